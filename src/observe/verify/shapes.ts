// Shapes of values that differ from run to run, and how a text is compared when values of some shapes may differ.

/**
 * What a rule accepts at a path, the narrowest first. `order`: elements of an array, or lines of a text, in any order. `text`: any text.
 * `ignore`: anything, an absent value included.
 */
export const shapes = ['uuid', 'timestamp', 'duration', 'id', 'number', 'order', 'text', 'ignore'] as const;
export type Shape = (typeof shapes)[number];

/** Shapes of parts of a text, in the order in which they are replaced. */
export const textShapes = ['uuid', 'timestamp', 'duration', 'id', 'number'] as const satisfies readonly Shape[];
type TextShape = (typeof textShapes)[number];

const months = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}';
const days = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?';
const zone = '(?: ?(?:Z\\b|UTC|GMT|[+-]\\d{2}:?\\d{2}))?(?:[+-]\\d{2}:?\\d{2})?';
const clock = `\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?: ?[AP]M\\b)?${zone}`;

/** Each pattern takes linear time. */
const patterns: Readonly<Record<TextShape, RegExp>> = {
  uuid: /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi,
  timestamp: new RegExp(
    [
      `\\b\\d{4}-\\d{2}-\\d{2}(?:[T ]${clock})?`,
      `${days}\\b${months} \\d{1,2}(?:,? \\d{4}\\b)?(?:,? (?:at )?${clock}(?: \\([^)]{1,60}\\))?)?(?: \\d{4}\\b)?`,
      `${days}\\b\\d{1,2} ${months} \\d{4}(?:,? ${clock})?`,
      `\\b\\d{1,2}/\\d{1,2}/\\d{4}(?:,? ${clock})?`,
      `\\b${clock}`,
      '\\b1\\d{9}(?:\\d{3}){0,3}(?:\\.\\d{1,9})?\\b',
    ].join('|'),
    'g',
  ),
  duration: /\b\d{1,15}(?:\.\d{1,15})?\s?(?:ns|[µu]s|ms|s|secs?|seconds?|milliseconds?|min|mins|minutes?|h|hours?)\b/g,
  id: /(?=[\w+=-]{0,200}\d)[\w+=-]{6,}|[\w+=-]{16,}/g,
  number: /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi,
};

/** Replaces the parts with these shapes by their names. */
export function masked(text: string, accepted: ReadonlySet<Shape>): string {
  let left = text;
  for (const shape of textShapes) {
    if (accepted.has(shape)) left = left.replaceAll(patterns[shape], `<${shape}>`);
  }
  return left;
}

const wholeId = /^[\w+/=.~-]{4,}$/;

/** Whether the texts differ only in parts with these shapes. */
export function areAlike(one: string, other: string, accepted: ReadonlySet<Shape>): boolean {
  if (accepted.has('text')) return true;
  if (accepted.has('id') && wholeId.test(one) && wholeId.test(other)) return true;
  const [before, after] = [masked(one, accepted), masked(other, accepted)];
  return before === after || (accepted.has('order') && sortedLines(before) === sortedLines(after));
}

/** A number of a server: milliseconds or seconds since 1970 between 2001 and 2033, or any number. */
export function areNumbersAlike(one: number, other: number, accepted: ReadonlySet<Shape>): boolean {
  if (accepted.has('number') || accepted.has('duration') || accepted.has('id')) return true;
  return accepted.has('timestamp') && isTime(one) && isTime(other);
}

export function isTime(value: number): boolean {
  return (value >= 1e9 && value < 2e9) || (value >= 1e12 && value < 2e12);
}

function sortedLines(text: string): string {
  return text.split('\n').sort().join('\n');
}
