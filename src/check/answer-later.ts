// Distinguishes two causes of a missing answer: a slow start, and an answer that stays in a buffer until stdin ends. Ending stdin proves the
// second only if the answer would not have arrived without it.

import type { ProcessUnderTest } from './process-under-test.ts';

export interface Later<P> {
  /** The process that answered, or the second one, whose stdin is still open. */
  readonly process: P;
  /** Set if the server answered before its stdin ended: why it is not tested, as a clause. */
  readonly slow?: string;
}

/** `first` has not answered within its timeout. It gets another timeout in parallel to a new process: the first start may be the slowest. */
export async function answerLater<P extends ProcessUnderTest>(
  first: P,
  startSecond: () => Promise<P>,
  answerOf: (process: P) => object | undefined,
): Promise<Later<P>> {
  const second = await startSecond();
  const waits = [first, second].map((each) => each.maybe(() => answerOf(each)));
  const never = new Promise<never>(() => undefined);
  await Promise.race([...waits.map((wait) => wait.then((answer) => answer ?? never)), Promise.all(waits)]);
  const process = [first, second].find((each) => answerOf(each));
  if (!process) return { process: second };
  return { process, slow: slowStart(process) };
}

/** Why a server is not tested that has answered after its timeout. */
export function slowStart({ ageMs, timeoutMs }: ProcessUnderTest): string {
  const seconds = Math.ceil(ageMs / 1000);
  return `the server starts slowly: its first answer arrived ${seconds} s after its start, and the limit is ${timeoutMs / 1000} s. Raise --timeout, for example to ${2 * seconds}s`;
}
