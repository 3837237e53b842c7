// Estimates the length of a value as JSON, for messages from a channel that does not report it. An object or array
// counts for more than its brackets, because an empty one takes 64 bytes of heap. The walk is not recursive and stops
// at a limit, so deep nesting and cycles are safe.

const OF_A_PLAIN_VALUE = 8;
const OF_A_CONTAINER = 16;

export function jsonSize(value: unknown, upTo: number): number {
  let size = 0;
  const left = [value];
  while (left.length > 0 && size < upTo) {
    const next = left.pop();
    if (typeof next === 'string') size += next.length + 2;
    else if (Array.isArray(next)) {
      size += next.length + OF_A_CONTAINER;
      for (const item of next) left.push(item);
    } else if (typeof next === 'object' && next !== null) {
      size += OF_A_CONTAINER;
      for (const [key, item] of Object.entries(next)) {
        size += key.length + 4;
        left.push(item);
      }
    } else size += OF_A_PLAIN_VALUE;
  }
  return size;
}
