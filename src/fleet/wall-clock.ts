/**
 * The date, with fractions of a millisecond: a request between two nodes often takes less than one. It goes on evenly from the start of
 * the process, whatever is done to the clock of the machine, so that differences are exact.
 */
export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}
