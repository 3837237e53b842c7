// What one HTTP request holds of the limits of a door.

import type { Account, LimitRefusal } from './limits.ts';

/** One request while it is counted: until all who hold it have released it. */
export class Ticket {
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

  /** It is a stream that stays open, and no work. `keptBytes`: what it holds beside its body. */
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
      this.account.give('streams'); // released meanwhile
      return undefined;
    }
    this.account.give(this.#kind);
    this.#kind = 'streams';
    return this.addBody(keptBytes, true);
  }

  /** More of the body has arrived. It is held until the answer. */
  addBody(bytes: number, isKept = false): LimitRefusal | undefined {
    const refusal = this.account.take('waitingBytes', bytes, isKept);
    if (!refusal) this.#bodyBytes += bytes;
    return refusal;
  }

  /** What was kept is sent again. Unlike an answer it can wait: it is refused beyond the quota. */
  addUnread(bytes: number): LimitRefusal | undefined {
    const refusal = this.account.take('waitingBytes', bytes);
    if (!refusal) this.#unreadBytes += bytes;
    return refusal;
  }

  /** What waits for the client to read. It is never refused, but requests are while it is too much. */
  setUnread(bytes: number): void {
    if (this.#holders > 0) this.#setBytes(this.#bodyBytes, bytes);
  }

  /** The answer has taken the place of the request. */
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
