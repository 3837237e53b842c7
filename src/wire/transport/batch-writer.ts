// Writes outbound messages in order, with one write per tick, or one per event-loop turn for messages that allow it. While the stream is
// full, messages queue here, so it is certain that they were never sent. Answers are never refused: they queue regardless of the queue
// size, and `onFull` signals when to stop accepting work. Other messages are refused beyond `maxQueuedChars`. Queued messages settle when
// the stream ends or fails.

import { PeerError } from '../../base/errors.ts';
import type { Framing } from '../framing/framing.ts';
import { type ByteSink, unreadBytes } from '../process/streams/reserve-stdout.ts';
import { SENT } from '../requests/pending-requests.ts';
import type { BudgetMember, SendBudget } from '../send-budget.ts';
import { OutboundBatch } from './outbound-batch.ts';

/** Maximum number of messages held back until the end of a turn, because a turn can be long. */
const MOST_TOGETHER = 16;

/** Overhead counted for each queued message, so that many small messages also reach the limit. */
const OVERHEAD_CHARS = 256;

/** Messages are joined up to this many characters, because JavaScript strings have a maximum length. */
const BATCH_CHARS = 1024 * 1024;
/** Maximum size of one write to the stream. Small pieces make the progress of a slow reader observable. */
const PIECE_BYTES = 1024 * 1024;

export const DEFAULT_MAX_QUEUED_CHARS = 64 * 1024 * 1024;

export interface BatchWriterOptions {
  maxQueuedChars?: number | undefined;
  /** A limit for messages that are never refused, shared by several writers. */
  budget?: SendBudget | undefined;
  /** Called with the messages of one write. Refused and queued messages are not included. */
  onWrite?: ((chunk: Uint8Array, places: number[]) => void) | undefined;
  /**
   * Called with true when queued never-refused messages exceed `maxQueuedChars` or the budget, and with false when half of them are
   * written.
   */
  onFull?: ((isFull: boolean) => void) | undefined;
}

export class BatchWriter implements BudgetMember {
  /**
   * Number of writes passed to the stream. A message that was not followed by a write was never sent, not even in part.
   */
  writes = 0;
  /** Number of times that the other end has taken all buffered data. */
  #drains = 0;
  #stream: ByteSink;
  #framing: Framing;
  #maxQueuedChars: number;
  #options: BatchWriterOptions;
  /** Queued batches. New messages are added to the last one. */
  #batches: OutboundBatch[] = [];
  /** The unwritten remainder of the current batch. */
  #rest: Uint8Array | undefined;
  #queuedChars = 0;
  /** Characters of `#queuedChars` in messages sent with `neverRefuse`. */
  #keptChars = 0;
  #budget: SendBudget | undefined;
  #isFull = false;
  #whenEmpty: (() => void)[] = [];
  /** A flush is scheduled with `nextTick` (`#flushesSoon`) or `setImmediate` (`#flushesLater`). */
  #flushesSoon = false;
  #flushesLater = false;
  /** Number of messages held back until the end of the turn. */
  #together = 0;
  #blocked = false;
  #ended: Error | undefined;

  constructor(stream: ByteSink, framing: Framing, options: BatchWriterOptions = {}) {
    this.#stream = stream;
    this.#framing = framing;
    this.#maxQueuedChars = options.maxQueuedChars ?? DEFAULT_MAX_QUEUED_CHARS;
    this.#options = options;
    this.#budget = options.budget;
    this.#budget?.join(this);
    stream.on('drain', this.#onDrain);
  }

  #onDrain = (): void => this.#drained();

  /** Removes the listener from a stream that belongs to the caller. */
  detach(): void {
    this.#stream.off('drain', this.#onDrain);
  }

  /** Changes whenever the other end takes data, even part of a piece. */
  get progress(): number {
    return this.#drains * 2 * PIECE_BYTES - unreadBytes(this.#stream);
  }

  /** True if the other end must read before more can be written. */
  get blocked(): boolean {
    return this.#blocked;
  }

  /** Resolves when the message is handed to the stream: immediately unless the other end reads too slowly. */
  send(json: string, neverRefuse = false, together = false): Promise<void> {
    if (this.#ended) return Promise.reject(this.#ended);
    if (!neverRefuse && this.#queuedChars > 0 && this.#queuedChars + json.length > this.#maxQueuedChars) {
      return Promise.reject(this.#full());
    }
    const batch = this.#batchFor(json);
    try {
      batch.add(json);
    } catch (error) {
      return Promise.reject(error); // this framing cannot encode the payload
    }
    const chars = json.length + OVERHEAD_CHARS;
    batch.chars += chars;
    this.#queuedChars += chars;
    if (neverRefuse) this.#keep(batch, chars);
    if (this.#blocked) {
      return new Promise((resolve, reject) => {
        batch.waiters ??= [];
        batch.waiters.push({ resolve, reject });
      });
    }
    batch.promised = true;
    this.#schedule(together && ++this.#together < MOST_TOGETHER);
    return SENT;
  }

  /** Resolves when everything sent so far has been handed to the operating system, or the stream has failed. */
  flush(): Promise<void> {
    this.#flush();
    if (this.#ended || !this.#stream.writable) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#stream.off('close', done);
        resolve();
      };
      this.#stream.once('close', done);
      // An empty write completes after all earlier writes.
      const last = () => {
        if (this.#ended || !this.#stream.writable) done();
        else this.#stream.write('', done);
      };
      if (this.#isEmpty()) last();
      else this.#whenEmpty.push(last);
    });
  }

  /** Accepts no further messages. Queued messages are rejected with `reason`. */
  end(reason: Error): void {
    if (this.#ended) return;
    if (this.#stream.writable) {
      this.#flush();
      // Complete a partly written message, and write messages whose `send` has already resolved.
      while (this.#stream.writable && (this.#rest || this.#batches[0]?.promised)) this.#writeNext();
    }
    this.#ended = reason;
    const batches = this.#batches.splice(0);
    this.#rest = undefined;
    this.#queuedChars = 0;
    this.#release(this.#keptChars);
    this.#budget?.leave(this);
    for (const { waiters = [] } of batches) for (const waiter of waiters) waiter.reject(reason);
    for (const callback of this.#whenEmpty.splice(0)) callback();
    this.#setFull(false);
  }

  #batchFor(json: string): OutboundBatch {
    const last = this.#batches[this.#batches.length - 1];
    if (last && last.chars + json.length <= BATCH_CHARS) return last;
    const batch = new OutboundBatch(this.#framing, this.#options.onWrite !== undefined);
    this.#batches.push(batch);
    return batch;
  }

  #keep(batch: OutboundBatch, chars: number): void {
    batch.keptChars += chars;
    this.#keptChars += chars;
    this.#budget?.add(chars);
    if (this.#keptChars > this.#maxQueuedChars || this.#budget?.isExceeded) this.#setFull(true);
  }

  #release(chars: number): void {
    this.#keptChars -= chars;
    this.#budget?.add(-chars);
  }

  budgetChanged(): void {
    this.#setFull(this.#keptChars > 0 && this.#isOver());
  }

  #isOver(): boolean {
    return this.#keptChars > this.#maxQueuedChars / 2 || this.#budget?.isExceeded === true;
  }

  #setFull(isFull: boolean): void {
    if (this.#isFull === isFull) return;
    this.#isFull = isFull;
    this.#options.onFull?.(isFull);
  }

  #schedule(later: boolean): void {
    if (this.#flushesSoon || (later && this.#flushesLater)) return;
    if (later) {
      this.#flushesLater = true;
      setImmediate(this.#flushTurn);
    } else {
      this.#flushesSoon = true;
      process.nextTick(this.#flushTick);
    }
  }

  #flushTick = (): void => {
    this.#flushesSoon = false;
    this.#flush();
  };

  #flushTurn = (): void => {
    this.#flushesLater = false;
    this.#flush();
  };

  #flush(): void {
    this.#together = 0;
    while (!this.#blocked && !this.#ended && !this.#isEmpty()) this.#writeNext();
  }

  #isEmpty(): boolean {
    return this.#rest === undefined && this.#batches.length === 0;
  }

  #writeNext(): void {
    if (this.#rest) this.#writePiece(this.#rest);
    else this.#writeBatch(this.#batches.shift()!);
    if (this.#whenEmpty.length > 0 && this.#isEmpty()) for (const callback of this.#whenEmpty.splice(0)) callback();
  }

  #writeBatch(batch: OutboundBatch): void {
    const data = batch.encoded(PIECE_BYTES);
    if (typeof data === 'string') this.#blocked = !this.#stream.write(data);
    else this.#writePiece(data);
    // A write that fails within the call was not sent at all. A write that fails later may have been sent in part.
    if (this.#stream.errored) return void this.#batches.unshift(batch);
    this.writes++;
    this.#queuedChars -= batch.chars;
    this.#release(batch.keptChars);
    if (batch.waiters) for (const waiter of batch.waiters) waiter.resolve();
    // Call the observer after the write, so that the other end can work in parallel.
    if (this.#options.onWrite) batch.show(data, this.#options.onWrite);
    if (this.#isFull && (this.#keptChars === 0 || !this.#isOver())) this.#setFull(false);
  }

  #writePiece(bytes: Uint8Array): void {
    this.#rest = bytes.length > PIECE_BYTES ? bytes.subarray(PIECE_BYTES) : undefined;
    this.#blocked = !this.#stream.write(this.#rest ? bytes.subarray(0, PIECE_BYTES) : bytes);
  }

  #drained(): void {
    this.#blocked = false;
    this.#drains++;
    this.#flush();
  }

  #full(): PeerError {
    return new PeerError(
      'SEND_QUEUE_FULL',
      `${this.#blocked ? 'The other end does not read' : 'Too much was sent at once'}: ${this.#queuedChars} characters are already queued (limit ${this.#maxQueuedChars})`,
      { hint: 'Await `send` before sending more, or raise maxQueuedChars.' },
    );
  }
}
