// The share of a gateway's limits that one HTTP request holds.

import type { Account, LimitRefusal } from './limits.ts';

/** The admission of one request. It counts until all holders have released it. */
export class Admission {
  readonly account: Account;
  #kind: 'inFlight' | 'streams';
  #bodyBytes = 0;
  #unreadBytes = 0;
  #holders = 1;

  constructor(account: Account, kind: 'inFlight' | 'streams') {
    this.account = account;
    this.#kind = kind;
  }

  get isStream(): boolean {
    return this.#kind === 'streams';
  }

  hold(): void {
    this.#holders++;
  }

  release(): void {
    if (this.#holders === 1) {
      this.#setBytes(0, 0);
      this.account.give(this.#kind);
    }
    this.#holders--;
  }

  /** Counts the request as a stream instead of as work. `keptBytes`: memory held besides the body. */
  becomeStream(keptBytes = 0): LimitRefusal | undefined | Promise<LimitRefusal | undefined> {
    if (this.#kind === 'streams') return undefined;
    if (this.account.share) {
      return this.account.takeOrAsk('streams').then((refusal) => this.#changed(refusal, keptBytes));
    }
    return this.#changed(this.account.take('streams'), keptBytes);
  }

  #changed(refusal: LimitRefusal | undefined, keptBytes: number): LimitRefusal | undefined {
    if (refusal) return refusal;
    if (this.#holders === 0) {
      this.account.give('streams'); // released in the meantime
      return undefined;
    }
    this.account.give(this.#kind);
    this.#kind = 'streams';
    return this.addBody(keptBytes, true);
  }

  /** Adds received bytes of the body, which count until the answer. */
  addBody(bytes: number, isKept = false): LimitRefusal | undefined {
    const refusal = this.account.take('waitingBytes', bytes, isKept);
    if (!refusal) this.#bodyBytes += bytes;
    return refusal;
  }

  /** Adds kept events that are sent again. Unlike an answer, they are refused beyond the quota. */
  addUnread(bytes: number): LimitRefusal | undefined {
    const refusal = this.account.take('waitingBytes', bytes);
    if (!refusal) this.#unreadBytes += bytes;
    return refusal;
  }

  /**
   * Sets the bytes that the client has not read yet. They are never refused, but further requests are while there are
   * too many.
   */
  setUnread(bytes: number): void {
    if (this.#holders > 0) this.#setBytes(this.#bodyBytes, bytes);
  }

  /** Counts the bytes of the answer instead of those of the request body. */
  answered(bytes: number): void {
    if (this.#holders > 0) this.#setBytes(0, bytes);
  }

  #setBytes(body: number, unread: number): void {
    const more = body + unread - this.#bodyBytes - this.#unreadBytes;
    if (more !== 0) this.account.add('waitingBytes', more);
    this.#bodyBytes = body;
    this.#unreadBytes = unread;
  }
}
