// Variables of the environment that a server did not get and that its output says it needs. That the variable exists and was not passed
// on is known, so a line that names it and says that something is missing is proof enough.

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

/** What to do about one. */
export function passOn(name: string): string {
  return `${name} is set in the environment of Standpipe, but servers get only a short list of variables. Pass it on with --env ${name}, written before the --; in a config, add it to "env" of the server with the value \${${name}}.`;
}
