// Delays an answer after the progress before it. The official clients handle a notification in a promise and an answer
// at once: if one read contains both, the answer ends the request and its progress is lost. A pipe joins everything
// that is written before the reader wakes up, so an answer is sent at least GAP_MS after its progress was seen to be
// written. All other messages are sent at once. The official clients use the id of a request as its progress token;
// other tokens have no effect here.

import type { Clock, Timer } from '../../base/clock.ts';
import { SENT } from '../requests/pending-requests.ts';
import { mcp } from './conventions.ts';
import type { JsonRpcNotification, JsonRpcRequest } from './message.ts';

const GAP_MS = 1;
/** Node.js timers count whole milliseconds and may fire up to 1 ms early. */
const TIMER_MS = GAP_MS + 1;

/** The last progress message of one request. */
interface Reported {
  sentMs: number;
  /** The number of writes before the one that contains the message. Infinity while the message is queued. */
  writesBefore: number;
}

interface Held {
  after: Reported;
  /** The time when the progress was first seen to be written. */
  writtenMs: number | undefined;
  send: () => void;
}

export class ProgressGap {
  readonly #clock: Clock;
  readonly #wire: { readonly writes: number };
  /** The last progress by token, oldest first. */
  readonly #recent = new Map<unknown, Reported>();
  #held: Held[] = [];
  #timer: Timer | undefined;
  #isOver = false;

  constructor(clock: Clock, wire: { readonly writes: number }) {
    this.#clock = clock;
    this.#wire = wire;
  }

  /** `accepted` is the promise that the wire returned for the message. Reads `params` of progress only: a getter may make it. */
  sent(message: JsonRpcRequest | JsonRpcNotification, accepted: Promise<void>): void {
    if (message.method !== mcp.progress?.method || this.#isOver) return;
    const { id: token } = mcp.progress.read(message.params ?? {});
    this.#forgetOld();
    const writesBefore = accepted === SENT ? this.#wire.writes : Number.POSITIVE_INFINITY;
    const reported: Reported = { sentMs: this.#clock.nowMs(), writesBefore };
    this.#recent.delete(token); // deleted, so that it is inserted as the newest
    this.#recent.set(token, reported);
    if (accepted === SENT) return;
    const written = () => {
      reported.sentMs = this.#clock.nowMs();
      reported.writesBefore = -1;
      if (this.#held.length > 0) this.#wait(GAP_MS);
    };
    accepted.then(written, written);
  }

  /** Whether the answer to this request has to be delayed. */
  concerns(id: unknown): boolean {
    const reported = this.#recent.size > 0 ? this.#recent.get(id) : undefined;
    return reported !== undefined && !this.#isOld(reported);
  }

  /** Sends the answer once its progress was written at least GAP_MS ago. */
  hold(id: unknown, send: () => Promise<void>): Promise<void> {
    const after = this.#recent.get(id)!;
    this.#recent.delete(id);
    return new Promise((resolve, reject) => {
      this.#held.push({ after, writtenMs: undefined, send: () => void send().then(resolve, reject) });
      this.#wait(GAP_MS);
    });
  }

  /** The number of remembered tokens. */
  get size(): number {
    return this.#recent.size;
  }

  /** Sends all delayed answers at once, because the connection ends. */
  stop(): void {
    this.#isOver = true;
    this.#recent.clear();
    this.#timer?.cancel();
    for (const { send } of this.#held.splice(0)) send();
  }

  #wait(ms: number): void {
    this.#timer ??= this.#clock.after(ms, this.#look);
  }

  #look = (): void => {
    this.#timer = undefined;
    const nowMs = this.#clock.nowMs();
    const due: Held[] = [];
    const others: Held[] = [];
    for (const held of this.#held) {
      if (this.#isWritten(held.after)) held.writtenMs ??= nowMs;
      (held.writtenMs !== undefined && held.writtenMs + GAP_MS <= nowMs ? due : others).push(held);
    }
    this.#held = others;
    for (const { send } of due) send(); // the answers are sent in one tick, so that they share a write
    if (others.some(({ writtenMs }) => writtenMs !== undefined)) this.#wait(TIMER_MS);
  };

  /**
   * Uses the clock as well as the write count: a process that was not scheduled may send both messages in one tick but
   * at different times.
   */
  #isOld(reported: Reported): boolean {
    return this.#isWritten(reported) && reported.sentMs + GAP_MS <= this.#clock.nowMs();
  }

  #isWritten({ writesBefore }: Reported): boolean {
    return this.#wire.writes > writesBefore;
  }

  #forgetOld(): void {
    for (const [token, reported] of this.#recent) {
      if (!this.#isOld(reported)) return;
      this.#recent.delete(token);
    }
  }
}
