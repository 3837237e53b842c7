// Finds environment variables that a server was not given and that its output names as needed. The variable is known to
// exist and to be withheld, so a line that names it and mentions that something is missing is sufficient proof.

const MISSING =
  /\b(?:no|not|isn't|unset|set|empty|missing|requires?|required|must|needs?|please|undefined|KeyError)\b/i;
const NAME = /\b[A-Z][A-Z0-9_]{2,}\b/g;

export function withheldVariable(text: string, withheld: readonly string[]): string | undefined {
  if (withheld.length === 0) return undefined;
  const names = new Set(withheld);
  for (const line of text.split('\n').reverse()) {
    const named = MISSING.test(line) ? line.match(NAME)?.find((name) => names.has(name)) : undefined;
    if (named !== undefined) return named;
  }
  return undefined;
}

/** The fix for a withheld variable. */
export function passOn(name: string): string {
  return `${name} is set in the environment of Standpipe, but servers get only a short list of variables. Pass it on with --env ${name}, written before the --; in a config, add it to "env" of the server with the value \${${name}}.`;
}
