// Prints the steps of the example, with colours on a terminal unless NO_COLOR is set.

export function narrator(stream = process.stdout, env = process.env) {
  const colours = Boolean(stream.isTTY) && !env.NO_COLOR;
  const paint = (code) => (text) => (colours ? `\x1b[${code}m${text}\x1b[0m` : text);
  const [bold, dim, green] = [paint(1), paint(2), paint(32)];
  let steps = 0;
  return {
    title: (text) => stream.write(`${bold(text)}\n`),
    step: (text) => stream.write(`\n${bold(`${++steps}. ${text}`)}\n`),
    say: (text) => stream.write(`   ${green('✓')} ${text}\n`),
    quote: (who, text) => stream.write(`     ${dim(`${who.padEnd(6)} │ ${text.trimEnd()}`)}\n`),
    end: (text) => stream.write(`\n${text}\n`),
  };
}
