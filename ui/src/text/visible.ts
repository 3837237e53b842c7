// Makes hidden characters of untrusted text visible: control characters, changes of the writing direction and zero-width characters
// are shown as signs.

/** Control characters, format characters (direction, zero width, tags) and the Unicode line and paragraph separators. */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const lineBreaks = /[\n\t]/g;

const controls = [
  ...['NUL', 'SOH', 'STX', 'ETX', 'EOT', 'ENQ', 'ACK', 'BEL', 'BS', 'HT', 'LF', 'VT', 'FF', 'CR', 'SO', 'SI'],
  ...['DLE', 'DC1', 'DC2', 'DC3', 'DC4', 'NAK', 'SYN', 'ETB', 'CAN', 'EM', 'SUB', 'ESC', 'FS', 'GS', 'RS', 'US'],
];

export function visible(text: string): string {
  return text.replace(hidden, sign);
}

/** Like `visible`, but also replaces line breaks, for single-line elements. */
export function visibleLine(text: string): string {
  return visible(text).replace(lineBreaks, (found) => (found === '\n' ? '⏎' : '⇥'));
}

function sign(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x20) return `⟨${controls[code]}⟩`;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** Escape sequences of terminals: colours, and movements of the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const sequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;

export function hasColours(text: string): boolean {
  return text.search(sequence) >= 0;
}

export function withoutColours(text: string): string {
  return text.replace(sequence, '');
}

export interface ColouredPart {
  text: string;
  /** Names of CSS classes. */
  style: string;
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** Splits text at its escape sequences. Colours become names of classes; other sequences are removed. */
export function colouredParts(text: string): ColouredPart[] {
  const parts: ColouredPart[] = [];
  let [colour, bold, end] = ['', false, 0];
  const add = (piece: string) => {
    const style = [colour && `ansi-${colour}`, bold && 'ansi-bold'].filter(Boolean).join(' ');
    if (piece !== '') parts.push({ text: piece, style });
  };
  for (const found of text.matchAll(sequence)) {
    add(text.slice(end, found.index));
    end = found.index + found[0].length;
    const codes = /^.\[([\d;]*)m$/.exec(found[0])?.[1];
    if (codes === undefined) continue;
    const numbers = codes.split(';').map(Number);
    for (let at = 0; at < numbers.length; at++) {
      const code = numbers[at]!;
      if (code === 0) [colour, bold] = ['', false];
      else if (code === 1) bold = true;
      else if (code === 22) bold = false;
      else if (code === 39) colour = '';
      else if (code >= 30 && code <= 37) colour = colours[code - 30]!;
      else if (code >= 90 && code <= 97) colour = colours[code - 90]!;
      else if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : numbers[at + 1] === 2 ? 4 : 0;
    }
  }
  add(text.slice(end));
  return parts;
}
