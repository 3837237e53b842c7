// The POSTs of a transport: requests up to a limit at a time, others wait. Answers and notifications never wait: a request that
// is under way may need them.

import { PeerError } from '../../base/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import { InFlight } from '../../requests/in-flight.ts';
import { DEFAULT_MAX_CONCURRENT, DEFAULT_MAX_QUEUED, type HttpClientOptions } from './http-client-options.ts';
import type { Post } from './post.ts';

export class PostQueue {
  readonly #maxConcurrent: number;
  readonly #maxQueued: number;
  /** Requests without an answer. */
  readonly #pending = new InFlight<RequestId, Post>();
  /** All with a connection. */
  readonly #open = new Set<Post>();
  #waiting: Post[] = [];
  #running = 0;
  #isHeld = false;

  constructor({ maxConcurrent = DEFAULT_MAX_CONCURRENT, maxQueued = DEFAULT_MAX_QUEUED }: HttpClientOptions) {
    this.#maxConcurrent = maxConcurrent;
    this.#maxQueued = maxQueued;
  }

  /** The request with this id, as long as it waits for its answer. */
  get(id: RequestId | undefined): Post | undefined {
    return id === undefined ? undefined : this.#pending.get(id);
  }

  /** Starts it, now or later. Returns why it is refused. */
  add(post: Post, neverRefuse: boolean): PeerError | undefined {
    if (post.id === undefined) this.#start(post);
    else if (this.#running < this.#maxConcurrent && !this.#isHeld) {
      this.#pending.add(post.id, post);
      this.#running++;
      this.#start(post);
    } else if (neverRefuse || this.#running + this.#waiting.length < this.#maxConcurrent + this.#maxQueued) {
      this.#pending.add(post.id, post);
      this.#waiting.push(post);
    } else {
      return new PeerError('SEND_QUEUE_FULL', `${this.#waiting.length} requests wait for the server already`, {
        hint: 'Wait for answers, or raise maxConcurrent or maxQueued.',
      });
    }
    return undefined;
  }

  /** All requests wait from now on. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    while (this.#running < this.#maxConcurrent && this.#waiting.length > 0) {
      this.#running++;
      this.#start(this.#waiting.shift()!);
    }
  }

  /** Returns false if it had not been started. */
  withdraw(post: Post): boolean {
    const at = this.#waiting.indexOf(post);
    if (at >= 0) this.#waiting.splice(at, 1);
    return at < 0;
  }

  settled(post: Post): void {
    if (post.id !== undefined && this.#pending.get(post.id) === post) this.#pending.delete(post.id);
  }

  /** Its connection is free again. */
  over(post: Post): void {
    this.#open.delete(post);
    if (post.id === undefined) return;
    const next = this.#isHeld ? undefined : this.#waiting.shift();
    if (next) this.#start(next);
    else this.#running--;
  }

  /** Ends all of them, first those that were never sent. */
  end(fail: (post: Post) => void): void {
    this.#waiting = [];
    for (const post of this.#pending.takeAll()) fail(post);
    for (const post of [...this.#open]) {
      fail(post);
      post.close();
    }
  }

  #start(post: Post): void {
    this.#open.add(post);
    post.start();
  }
}
