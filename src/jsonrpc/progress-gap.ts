// Sends an answer later than the progress before it. The official clients handle a notification in a promise and an answer at once:
// where one read brings both, the answer ends the request, and its progress is lost. A pipe joins everything that is written before
// the reader wakes up, so an answer is sent when its progress was seen to be written at least GAP_MS ago. All other messages are
// sent at once. Those clients use the id of a request as its progress token; other tokens have no effect here.

import type { Clock, Timer } from '../base/clock.ts';
import { SENT } from '../requests/pending-requests.ts';
import { mcp } from './conventions.ts';
import type { JsonRpcNotification, JsonRpcRequest } from './message.ts';

const GAP_MS = 1;
/** Timers of Node.js count whole milliseconds, and may fire up to one early. */
const TIMER_MS = GAP_MS + 1;

/** The last progress of one request. */
interface Reported {
  sentMs: number;
  /** It is in the next write. Infinity while it waits for the other end to read. */
  writesBefore: number;
}

interface Held {
  after: Reported;
  /** When its progress was first seen to be written. */
  writtenMs: number | undefined;
  send: () => void;
}

export class ProgressGap {
  readonly #clock: Clock;
  readonly #wire: { readonly writes: number };
  /** By token, the oldest first. */
  readonly #recent = new Map<unknown, Reported>();
  #held: Held[] = [];
  #timer: Timer | undefined;
  #isOver = false;

  constructor(clock: Clock, wire: { readonly writes: number }) {
    this.#clock = clock;
    this.#wire = wire;
  }

  /** `accepted`: what the wire returned for the message. */
  sent({ method, params }: JsonRpcRequest | JsonRpcNotification, accepted: Promise<void>): void {
    if (method !== mcp.progress?.method || this.#isOver) return;
    const { id: token } = mcp.progress.read(params ?? {});
    this.#forgetOld();
    const writesBefore = accepted === SENT ? this.#wire.writes : Number.POSITIVE_INFINITY;
    const reported: Reported = { sentMs: this.#clock.nowMs(), writesBefore };
    this.#recent.delete(token); // it becomes the newest
    this.#recent.set(token, reported);
    if (accepted === SENT) return;
    const written = () => {
      reported.sentMs = this.#clock.nowMs();
      reported.writesBefore = -1;
      if (this.#held.length > 0) this.#wait(GAP_MS);
    };
    accepted.then(written, written);
  }

  /** Whether the answer to this request has to be held. */
  concerns(id: unknown): boolean {
    const reported = this.#recent.size > 0 ? this.#recent.get(id) : undefined;
    return reported !== undefined && !this.#isOld(reported);
  }

  /** Sends the answer to the request when its progress was written long enough ago. */
  hold(id: unknown, send: () => Promise<void>): Promise<void> {
    const after = this.#recent.get(id)!;
    this.#recent.delete(id);
    return new Promise((resolve, reject) => {
      this.#held.push({ after, writtenMs: undefined, send: () => void send().then(resolve, reject) });
      this.#wait(GAP_MS);
    });
  }

  /** How many tokens are remembered. */
  get size(): number {
    return this.#recent.size;
  }

  /** Nothing waits any longer: the connection ends. */
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
    for (const { send } of due) send(); // in one tick: they are written together
    if (others.some(({ writtenMs }) => writtenMs !== undefined)) this.#wait(TIMER_MS);
  };

  /** A process that did not get the processor may send both in one tick, and yet at different times. */
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
