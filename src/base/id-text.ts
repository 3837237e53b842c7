// Converts numbers that occur once, such as ids, to decimal text. V8 caches the text of converted numbers, and cached
// texts survive collections of the young generation: with a new id for each message, the young generation grew to its
// largest size. Text that is concatenated from two parts is not cached.

const LOW = 100;
/** "00" to "99". */
const lowTexts = Array.from({ length: LOW }, (_, low) => String(low).padStart(2, '0'));
const LARGEST = 2 ** 30;

let lastHigh = 0;
let lastHighText = '';

/** Returns `String(id)`. Fast for consecutive ids. */
export function idText(id: number): string {
  if (!(id >= LOW && id < LARGEST && Number.isInteger(id))) return String(id);
  const high = Math.floor(id / LOW);
  if (high !== lastHigh) {
    lastHigh = high;
    lastHighText = String(high);
  }
  return lastHighText + lowTexts[id - high * LOW];
}
