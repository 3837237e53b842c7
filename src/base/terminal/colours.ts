// Terminal colours. They are on for terminals unless NO_COLOR is set; FORCE_COLOR takes precedence.

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (colour: Colour, text: string) => string;

const codes: Record<Colour, [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export function isColourful(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
}

export function painter(colourful: boolean): Paint {
  if (!colourful) return (_colour, text) => text;
  return (colour, text) => `\x1b[${codes[colour][0]}m${text}\x1b[${codes[colour][1]}m`;
}
