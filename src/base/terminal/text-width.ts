// The number of columns of a text on a terminal, and cutting to a width. A grapheme is never split.

/** Created on first use: it takes longer than the rest of a start. */
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
