// Sends an answer later than the progress before it. The official clients handle a notification in a promise and an answer at once:
// where one read brings both, the answer ends the request, and its progress is lost. A pipe joins everything that is written before
// the reader wakes up, so an answer waits until its last progress was written GAP_MS ago. All other messages are sent at once.
// Those clients use the id of a request as its progress token; other tokens have no effect here.

import type { Clock, Timer } from '../base/clock.ts';
import { SENT } from '../requests/pending-requests.ts';
import { mcp } from './conventions.ts';
import type { JsonRpcNotification, JsonRpcRequest } from './message.ts';

const GAP_MS = 2;
/** Timers of Node.js count whole milliseconds, so one of them may fire 1 ms early. */
const TIMER_MS = GAP_MS + 1;

/** Progress of one request. */
interface Reported {
  /** When the last of it was written. Infinity while it waits for the other end to read. */
  writtenMs: number;
}

interface Held {
  after: Reported;
  send: () => void;
}

export class ProgressGap {
  readonly #clock: Clock;
  /** By token, the oldest first. */
  readonly #recent = new Map<unknown, Reported>();
  #held: Held[] = [];
  #timer: Timer | undefined;
  #isOver = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `accepted`: what the wire returned for the message. */
  sent({ method, params }: JsonRpcRequest | JsonRpcNotification, accepted: Promise<void>): void {
    if (method !== mcp.progress?.method || this.#isOver) return;
    const { id: token } = mcp.progress.read(params ?? {});
    this.#forgetOld();
    const reported: Reported = { writtenMs: accepted === SENT ? this.#clock.nowMs() : Number.POSITIVE_INFINITY };
    this.#recent.delete(token); // it becomes the newest
    this.#recent.set(token, reported);
    if (accepted === SENT) return;
    const written = () => {
      reported.writtenMs = this.#clock.nowMs();
      if (this.#held.length > 0) this.#wait();
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
      this.#held.push({ after, send: () => void send().then(resolve, reject) });
      this.#wait();
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

  #wait(): void {
    this.#timer ??= this.#clock.after(TIMER_MS, this.#release);
  }

  #release = (): void => {
    this.#timer = undefined;
    const held = this.#held;
    this.#held = held.filter((each) => !this.#isOld(each.after));
    // In one tick: they are written together.
    for (const each of held) if (this.#isOld(each.after)) each.send();
    if (this.#held.some(({ after }) => Number.isFinite(after.writtenMs))) this.#wait();
  };

  #isOld({ writtenMs }: Reported): boolean {
    return writtenMs + GAP_MS <= this.#clock.nowMs();
  }

  #forgetOld(): void {
    for (const [token, reported] of this.#recent) {
      if (!this.#isOld(reported)) return;
      this.#recent.delete(token);
    }
  }
}
