// Questions: requests that the other end sends while it handles one of ours. While we owe the answer, the other
// end cannot answer our request. JSON-RPC does not say which request a question belongs to. It is known once all other
// requests that were in flight when the question arrived have been answered; until then the question delays no timeout.

export interface OpenQuestion {
  /** True if the other end no longer waits for the answer. */
  readonly cancelled: boolean;
}

/** Requests in flight, in the order of their ids. */
interface Requests<T> {
  values(): Iterable<T>;
}

interface Asked {
  question: OpenQuestion;
  /** Only requests with a smaller id were in flight when the question arrived. */
  beforeId: number;
  /** True if one of the requests was given up: the question may belong to it. */
  unclear: boolean;
}

export class OpenQuestions<T extends { id: number }> {
  #asked = new Map<OpenQuestion, Asked>();

  /** `nextId` is the id of the next request. Ids only increase. */
  open(question: OpenQuestion, nextId: number): void {
    this.#asked.set(question, { question, beforeId: nextId, unclear: false });
  }

  /** Returns the request that waited for this answer, if known. */
  close(question: OpenQuestion, inFlight: Requests<T>): T | undefined {
    const asked = this.#asked.get(question);
    this.#asked.delete(question);
    return asked && askerOf(asked, inFlight);
  }

  /** Call this when a request is given up before its answer. */
  gaveUp({ id }: T): void {
    for (const asked of this.#asked.values()) if (id < asked.beforeId) asked.unclear = true;
  }

  /** Whether any answer is owed, for whichever request. */
  get any(): boolean {
    for (const { question } of this.#asked.values()) if (!question.cancelled) return true;
    return false;
  }

  /** Whether the other end is known to need our answer before it can answer this request. */
  holdUp(request: T, inFlight: Requests<T>): boolean {
    for (const asked of this.#asked.values()) if (askerOf(asked, inFlight) === request) return true;
    return false;
  }
}

/** Requests in flight are in the order of their ids, so the first two are enough to decide. */
function askerOf<T extends { id: number }>(
  { question, beforeId, unclear }: Asked,
  inFlight: Requests<T>,
): T | undefined {
  if (unclear || question.cancelled) return undefined;
  const [first, second] = inFlight.values();
  if (!first || first.id >= beforeId) return undefined;
  return second && second.id < beforeId ? undefined : first;
}
