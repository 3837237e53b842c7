// Requests of the other end that it asks in the middle of one of ours: while we owe the answer, the silence about our request
// is not the other end's fault. JSON-RPC does not say which request a question belongs to. It is known when all other requests
// that were in flight as the question came have been answered since; otherwise no timeout waits for it.

export interface Question {
  /** The other end no longer waits for the answer. */
  readonly cancelled: boolean;
}

/** Requests in flight, in the order of their ids. */
interface Requests<T> {
  values(): Iterable<T>;
}

interface Asked {
  question: Question;
  /** Only requests with a smaller id were in flight when the question came. */
  beforeId: number;
  /** One of them was given up, and may be the one that asked. */
  unclear: boolean;
}

export class OpenQuestions<T extends { id: number }> {
  #asked = new Map<Question, Asked>();

  /** `nextId`: what the next request will have. Ids only grow. */
  open(question: Question, nextId: number): void {
    this.#asked.set(question, { question, beforeId: nextId, unclear: false });
  }

  /** Returns the request that waited for this answer, where that is known. */
  close(question: Question, inFlight: Requests<T>): T | undefined {
    const asked = this.#asked.get(question);
    this.#asked.delete(question);
    return asked && askerOf(asked, inFlight);
  }

  /** A request was given up before its answer. */
  gaveUp({ id }: T): void {
    for (const asked of this.#asked.values()) if (id < asked.beforeId) asked.unclear = true;
  }

  /** Whether an answer is owed at all, whichever request waits for it. */
  get any(): boolean {
    for (const { question } of this.#asked.values()) if (!question.cancelled) return true;
    return false;
  }

  /** Whether the other end is known to wait for us before it can answer this request. */
  holdUp(request: T, inFlight: Requests<T>): boolean {
    for (const asked of this.#asked.values()) if (askerOf(asked, inFlight) === request) return true;
    return false;
  }
}

/** Those in flight are in the order of their ids: two are enough to know. */
function askerOf<T extends { id: number }>(
  { question, beforeId, unclear }: Asked,
  inFlight: Requests<T>,
): T | undefined {
  if (unclear || question.cancelled) return undefined;
  const [first, second] = inFlight.values();
  if (!first || first.id >= beforeId) return undefined;
  return second && second.id < beforeId ? undefined : first;
}
