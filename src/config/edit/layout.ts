// The layout of a text that new lines follow: its line breaks and its indentation.

export interface Layout {
  lineBreak: string;
  unit: string;
}

export function layoutOf(text: string): Layout {
  return { lineBreak: lineBreakOf(text), unit: unitOf(text) };
}

export function lineBreakOf(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
}

/** One step of indentation: that of the first indented line. */
export function unitOf(text: string): string {
  return /(?:^|[\r\n])([ \t]+)[^\s/*#]/.exec(text)?.[1] ?? '  ';
}

/** The white space at the start of the line of an offset. */
export function indentOf(text: string, offset: number): string {
  const lineStart = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))![0];
}
