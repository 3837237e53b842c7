// Limits the notifications that the clients of one principal send to a process. A notification has no answer, so the work that it causes
// is unknown: the limit applies even if no other client uses the process. None is dropped: clients that send too many wait.

import { type Clock, systemClock, type Timer } from '../../base/clock.ts';
import { type Deferred, deferred } from '../supervision/link.ts';

/** Notifications of a principal in each interval. */
const MOST = 16;
const INTERVAL_MS = 50;
/** A notification counts once more for each 16 KB of its size. */
const BYTES_OF_ONE = 16 * 1024;
/** Limits of the waiting notifications of a principal. Beyond them, its clients have to wait until half of them are sent. */
const MOST_WAITING = 1000;
const MOST_WAITING_BYTES = 1024 * 1024;

interface Waiting {
  bytes: number;
  send: () => void;
}

class PrincipalQueue {
  #spent = 0;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #space: Deferred<void> | undefined;

  get isIdle(): boolean {
    return this.#spent === 0 && this.#waiting.length === 0;
  }

  add(next: Waiting): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#spent < MOST) {
      this.#send(next);
      return undefined;
    }
    this.#waiting.push(next);
    this.#bytes += next.bytes;
    if (this.#isWithin(1)) return undefined;
    this.#space ??= deferred();
    return this.#space.promise;
  }

  nextInterval(): void {
    this.#spent = Math.max(0, this.#spent - MOST);
    let at = 0;
    for (; at < this.#waiting.length && this.#spent < MOST; at++) {
      this.#bytes -= this.#waiting[at]!.bytes;
      this.#send(this.#waiting[at]!);
    }
    this.#waiting.splice(0, at);
    if (!this.#space || !this.#isWithin(0.5)) return;
    this.#space.resolve();
    this.#space = undefined;
  }

  #isWithin(share: number): boolean {
    return this.#waiting.length <= share * MOST_WAITING && this.#bytes <= share * MOST_WAITING_BYTES;
  }

  #send({ bytes, send }: Waiting): void {
    this.#spent += 1 + Math.floor(bytes / BYTES_OF_ONE);
    send();
  }
}

export class NotificationTurns {
  readonly #clock: Clock;
  readonly #queues = new Map<string | undefined, PrincipalQueue>();
  #timer: Timer | undefined;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /**
   * `send` must not throw. Returns a promise if too many notifications wait: the notification is accepted, and its client should send
   * the next one after the promise has resolved.
   */
  send(principal: string | undefined, bytes: number, send: () => void): Promise<void> | undefined {
    const queue = this.#queues.get(principal) ?? new PrincipalQueue();
    this.#queues.set(principal, queue);
    if (!this.#timer) this.#wait();
    return queue.add({ bytes, send });
  }

  #wait(): void {
    this.#timer = this.#clock.after(INTERVAL_MS, () => {
      for (const [principal, queue] of this.#queues) {
        queue.nextInterval();
        if (queue.isIdle) this.#queues.delete(principal);
      }
      this.#timer = undefined;
      if (this.#queues.size > 0) this.#wait();
    });
    this.#timer.keepAlive(false);
  }
}
