// Distinguishes two causes of a missing answer: a slow start, or an answer held back until stdin ends. Ending stdin proves the second
// only if the answer would not have arrived without it.

import type { ProcessUnderTest } from './process-under-test.ts';

export interface Later<P> {
  /** The process that has answered, or a second one that has had the same time and whose stdin is open. */
  readonly process: P;
  /** Set if the server answered before its stdin ended. */
  readonly slow?: { readonly reason: string; readonly fix: string };
}

/** `first` has not answered within its timeout. It gets a second timeout beside a new process, because a first start may take longer. */
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
  const seconds = Math.ceil(process.ageMs / 1000);
  return {
    process,
    slow: {
      reason: `The server starts slowly: its first answer came ${seconds} s after its start, and ${first.timeoutMs / 1000} s are allowed.`,
      fix: `Raise --timeout, to ${2 * seconds}s for example, or let the server answer before it loads what takes long.`,
    },
  };
}
