/**
 * Wall-clock time with fractions of a millisecond: a request between two nodes often takes less than one. It advances evenly from the
 * start of the process, even if the machine's clock is changed, so that differences are exact.
 */
export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}
