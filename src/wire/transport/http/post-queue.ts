// The POSTs of a transport. Requests beyond the limit are queued or refused. Answers and notifications have a separate limit, so that
// requests cannot block an answer that the server needs. While too many of them are queued, nothing is read.

import { PeerError } from '../../../base/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import { InFlight } from '../../requests/in-flight.ts';
import {
  DEFAULT_MAX_CONCURRENT,
  DEFAULT_MAX_QUEUED,
  DEFAULT_MAX_QUEUED_CHARS,
  type HttpClientOptions,
} from './http-client-options.ts';
import { Post, type Posted } from './post.ts';

/** Limits for answers and notifications: the maximum under way, and the maximum queued before reading stops. */
const MOST_REPLIES = 64;
const MOST_WAITING_REPLIES = 256;

export class PostQueue {
  readonly #maxQueued: number;
  readonly #maxQueuedChars: number;
  /** Requests that are not answered yet. */
  readonly #pending = new InFlight<RequestId, Post>();
  /** POSTs that use a connection. */
  readonly #open = new Set<Post>();
  readonly #requests: Lane;
  readonly #replies = new Lane(MOST_REPLIES);
  readonly #onfull: (isFull: boolean) => void;
  #isFull = false;

  constructor(options: HttpClientOptions, onfull: (isFull: boolean) => void) {
    this.#requests = new Lane(options.maxConcurrent ?? DEFAULT_MAX_CONCURRENT);
    this.#maxQueued = options.maxQueued ?? DEFAULT_MAX_QUEUED;
    this.#maxQueuedChars = options.maxQueuedChars ?? DEFAULT_MAX_QUEUED_CHARS;
    this.#onfull = onfull;
  }

  /** The pending request with this id. */
  get(id: RequestId | undefined): Post | undefined {
    return id === undefined ? undefined : this.#pending.get(id);
  }

  /** Starts the POST now or later. Returns an error if it is refused. */
  add(post: Post, neverRefuse: boolean): PeerError | undefined {
    if (post.id === undefined) {
      if (this.#replies.admits(post)) this.#start(post);
      else if (this.#replies.waiting.length > MOST_WAITING_REPLIES) this.#setFull(true);
      return undefined;
    }
    if (!neverRefuse && !isLasting(post) && this.#isRequestsFull(post)) {
      return new PeerError('SEND_QUEUE_FULL', `${this.#requests.waiting.length} requests already wait for the server`, {
        hint: 'Wait for answers, or raise maxConcurrent, maxQueued or maxQueuedChars.',
      });
    }
    this.#pending.add(post.id, post);
    if (isLasting(post) || this.#requests.admits(post)) this.#start(post);
    return undefined;
  }

  /** Queues all requests from now on. */
  hold(): void {
    this.#requests.isHeld = true;
  }

  /** Queues notifications and answers as well. */
  holdAll(): void {
    this.hold();
    this.#replies.isHeld = true;
  }

  release(): void {
    for (const lane of [this.#requests, this.#replies]) {
      lane.isHeld = false;
      for (let next = lane.next(0); next; next = lane.next(0)) this.#start(next);
    }
    this.#readAgain();
  }

  /** Sends the same message again. */
  repeat(post: Post, change: Partial<Posted>): void {
    if (post.isSettled) return;
    this.settled(post);
    post.isSettled = true;
    this.add(new Post(post.owner, { ...post.posted, ...change }), true);
  }

  /** Ends POSTs that depend on the session. */
  sessionEnded(): void {
    for (const post of [...this.#open]) post.sessionEnded();
  }

  /** Drops matching answers and notifications that are still queued. */
  dropReplies(isDropped: (post: Post) => boolean): void {
    for (const post of this.#replies.waiting.filter(isDropped)) {
      this.#replies.remove(post);
      post.drop();
    }
  }

  /** Returns false if the POST was not started. */
  withdraw(post: Post): boolean {
    return !this.#requests.remove(post);
  }

  settled(post: Post): void {
    if (post.id !== undefined && this.#pending.get(post.id) === post) this.#pending.delete(post.id);
  }

  /** Called when the connection of the POST is free again. */
  over(post: Post): void {
    this.#open.delete(post);
    if (isLasting(post)) return;
    const next = (post.id === undefined ? this.#replies : this.#requests).next(1);
    this.#readAgain();
    if (next) this.#start(next);
  }

  /** Ends all POSTs, beginning with those that were never sent. */
  end(fail: (post: Post) => void): void {
    const waiting = [...this.#requests.clear(), ...this.#replies.clear()];
    for (const post of [...waiting, ...this.#pending.takeAll()]) fail(post);
    for (const post of [...this.#open]) {
      fail(post);
      post.close();
    }
  }

  #isRequestsFull(post: Post): boolean {
    const { free, waiting, waitingChars } = this.#requests;
    if (waiting.length < free) return false;
    const isLong = waitingChars + post.posted.text.length > this.#maxQueuedChars;
    return isLong || waiting.length - free >= this.#maxQueued;
  }

  #readAgain(): void {
    if (this.#isFull && this.#replies.waiting.length < MOST_WAITING_REPLIES / 2) this.#setFull(false);
  }

  #setFull(isFull: boolean): void {
    if (this.#isFull === isFull) return;
    this.#isFull = isFull;
    this.#onfull(isFull);
  }

  #start(post: Post): void {
    this.#open.add(post);
    post.start();
  }
}

/**
 * In 2026-07-28, this request is answered only when its subscription ends. It does not count towards the limit of
 * requests.
 */
function isLasting({ method }: Post): boolean {
  return method === 'subscriptions/listen';
}

/** A number of slots and a queue of POSTs that need one. */
class Lane {
  waiting: Post[] = [];
  waitingChars = 0;
  /** While true, queued POSTs are not started. */
  isHeld = false;
  readonly #places: number;
  #running = 0;

  constructor(places: number) {
    this.#places = places;
  }

  /** Number of POSTs that can still be started, ignoring `isHeld`. */
  get free(): number {
    return this.#places - this.#running;
  }

  /** Returns false if the POST is queued. */
  admits(post: Post): boolean {
    if (this.free <= 0 || this.isHeld) {
      this.waiting.push(post);
      this.waitingChars += post.posted.text.length;
      return false;
    }
    this.#running++;
    return true;
  }

  /** Frees `ended` slots. Returns a POST to start. */
  next(ended: number): Post | undefined {
    this.#running -= ended;
    const next = this.free > 0 && !this.isHeld ? this.waiting.shift() : undefined;
    if (!next) return undefined;
    this.#running++;
    this.waitingChars -= next.posted.text.length;
    return next;
  }

  remove(post: Post): boolean {
    const at = this.waiting.indexOf(post);
    if (at < 0) return false;
    this.waiting.splice(at, 1);
    this.waitingChars -= post.posted.text.length;
    return true;
  }

  clear(): Post[] {
    this.waitingChars = 0;
    return this.waiting.splice(0);
  }
}
