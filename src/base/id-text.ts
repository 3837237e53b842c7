// The decimal text of numbers that come once, such as ids. V8 keeps the texts of converted numbers in a cache, where they
// survive collections of the young generation: with an id for each message, the young generation grew to its largest size.
// A text that is put together from two parts is not cached.

const LOW = 100;
/** "00" to "99". */
const lowTexts = Array.from({ length: LOW }, (_, low) => String(low).padStart(2, '0'));
const LARGEST = 2 ** 30;

let lastHigh = 0;
let lastHighText = '';

/** The same as `String(id)`. Fast for ids that follow each other. */
export function idText(id: number): string {
  if (!(id >= LOW && id < LARGEST && Number.isInteger(id))) return String(id);
  const high = Math.floor(id / LOW);
  if (high !== lastHigh) {
    lastHigh = high;
    lastHighText = String(high);
  }
  return lastHighText + lowTexts[id - high * LOW];
}
