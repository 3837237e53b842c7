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
