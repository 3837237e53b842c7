// Escapes text from servers for a terminal, so that a server cannot fake output: characters that would move the cursor, change colours,
// reorder letters or stay invisible are written as `\x1b` or `\u202e`.

/** C0 except tab and newline, DEL, C1; marks that reorder or hide text; separators; tags, which are invisible but read by models. */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Escapes a text, except for tabs and newlines. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unseen, escapeCharacter);
}

/** Escapes a text after a label: further lines are indented, so that none of them looks like output of the command. */
export function visibleIndented(text: string): string {
  return visible(text).replaceAll('\n', '\n  ');
}

/** Escapes a name or a field of one line, including newlines and tabs. */
export function visibleLine(text: string): string {
  return text.replace(unseen, escapeCharacter).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** JSON for a terminal, with special characters escaped. Its value is the same. */
export function visibleJson(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, undefined, indent) ?? 'null';
  return text.replace(unseen, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join(''),
  );
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x100) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\u{${code.toString(16)}}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
