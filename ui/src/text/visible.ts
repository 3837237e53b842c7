// Text from a server is never trusted to look like what it is: characters that control a terminal, turn the reading direction
// or take no room are shown as signs.

/** Controls, format characters (directions, zero widths, tags) and the separators that only some treat as new lines. */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const lineBreaks = /[\n\t]/g;

const controls = [
  ...['NUL', 'SOH', 'STX', 'ETX', 'EOT', 'ENQ', 'ACK', 'BEL', 'BS', 'HT', 'LF', 'VT', 'FF', 'CR', 'SO', 'SI'],
  ...['DLE', 'DC1', 'DC2', 'DC3', 'DC4', 'NAK', 'SYN', 'ETB', 'CAN', 'EM', 'SUB', 'ESC', 'FS', 'GS', 'RS', 'US'],
];

export function visible(text: string): string {
  return text.replace(hidden, sign);
}

/** For a place of one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(lineBreaks, (found) => (found === '\n' ? '⏎' : '⇥'));
}

function sign(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x20) return `⟨${controls[code]}⟩`;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
