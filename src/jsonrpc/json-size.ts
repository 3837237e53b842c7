// About how many characters a value has as JSON, for messages that came over a channel that does not say how long they
// were. An object or array counts for more than its brackets: empty, it takes 64 bytes of heap. Walks without recursion and stops at a limit, so that no nesting and no circle can hold it up.

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
