// Measures text in terminal columns, and cuts, pads and wraps it to a width. A grapheme is never split.

/** Created on first use, because creating it takes longer than the rest of a start. */
let segmenter: Intl.Segmenter | undefined;
const plain = /^[\x20-\x7e]*$/;
const noWidth = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;
const wide =
  /^(?:\p{Emoji_Presentation}|.*\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;

export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const segment of segmentsOf(text)) width += segmentWidth(segment);
  return width;
}

export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let cut = '';
  let left = width - 1;
  for (const segment of segmentsOf(text)) {
    left -= segmentWidth(segment);
    if (left < 0) break;
    cut += segment;
  }
  return width > 0 ? `${cut}…` : '';
}

export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

function segmentWidth(segment: string): number {
  if (noWidth.test(segment)) return 0;
  return wide.test(segment) ? 2 : 1;
}

function* segmentsOf(text: string): Generator<string> {
  if (plain.test(text)) return yield* text;
  segmenter ??= new Intl.Segmenter();
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** Breaks lines of more than `width` columns, at spaces where possible. Words for which `isWhole` returns true are never broken. */
export function wrapToWidth(text: string, width: number, isWhole = (_word: string) => false): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(2, width), isWhole));
}

/** Like `wrapToWidth`, but in at most `mostLines` lines: the remaining text is cut in the last line. */
export function wrapToLines(text: string, width: number, mostLines: number): string[] {
  const lines = wrapToWidth(text, width);
  if (lines.length <= mostLines) return lines;
  return [...lines.slice(0, mostLines - 1), cutToWidth(lines.slice(mostLines - 1).join(' '), width)];
}

function wrapLine(text: string, width: number, isWhole: (word: string) => boolean): string[] {
  if (textWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.split(' ')) {
    const length = textWidth(word);
    const isFirst = line === '';
    if (!isFirst && used + 1 + length <= width) {
      line += ` ${word}`;
      used += 1 + length;
      continue;
    }
    if (!isFirst) lines.push(line);
    const pieces = length <= width || isWhole(word) ? [word] : piecesOf(word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1)!;
    used = textWidth(line);
  }
  return [...lines, line];
}

function piecesOf(word: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const segment of segmentsOf(word)) {
    const length = segmentWidth(segment);
    if (used + length > width) {
      const slash = piece.lastIndexOf('/') + 1;
      const end = slash > piece.length / 2 ? slash : piece.length; // break a path or a URL after a slash
      pieces.push(piece.slice(0, end));
      piece = piece.slice(end);
      used = textWidth(piece);
    }
    piece += segment;
    used += length;
  }
  return [...pieces, piece];
}
