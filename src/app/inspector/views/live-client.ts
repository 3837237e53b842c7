// One page that follows the events. It reads rows from the store at its own speed; of everything else only the newest state is kept,
// so that no queue grows. A page that has missed too much gets `resync` and is disconnected; so is one that reads nothing for 30 s.

import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../../../base/clock.ts';
import type { LiveMessages } from '../api.ts';
import type { Redaction } from '../redaction.ts';
import type { InspectorView } from './view.ts';

const BATCH_ROWS = 500;
const MOST_UPDATES = 10_000;
const STALL_MS = 30_000;

export class LiveClient {
  /** The redaction of everything that is sent. */
  readonly redaction: Redaction;
  readonly #response: ServerResponse;
  readonly #view: InspectorView;
  readonly #clock: Clock;
  /** The newest event that was sent. */
  #sentSeq: number;
  #updates = new Set<number>();
  /** The newest message of each name and id: a message replaces the previous one, and an answer its question. */
  readonly #newest = new Map<string, { name: keyof LiveMessages; data: object }>();
  #stalled: Timer | undefined;
  #pumping = false;

  constructor(response: ServerResponse, view: InspectorView, after: number, redaction: Redaction, clock: Clock) {
    this.#response = response;
    this.#view = view;
    this.#sentSeq = after;
    this.redaction = redaction;
    this.#clock = clock;
    response.on('drain', () => {
      this.#stalled?.cancel();
      this.#stalled = undefined;
      this.pump();
    });
    response.on('close', () => this.#stalled?.cancel());
  }

  putUpdates(seqs: Iterable<number>): void {
    for (const seq of seqs) if (seq <= this.#sentSeq) this.#updates.add(seq);
  }

  put<K extends keyof LiveMessages>(name: K, data: LiveMessages[K]): void {
    this.putRedacted(name, this.redaction.value(data));
  }

  /** Queues a list that was redacted once for several pages. */
  putRedacted<K extends keyof LiveMessages>(name: K, data: LiveMessages[K]): void {
    const id = 'id' in data ? data.id : '';
    this.#newest.set(`${name === 'answered' ? 'question' : name} ${id}`, { name, data });
  }

  /** Detects a connection that was lost silently. */
  beat(): void {
    if (!this.#stalled && !this.#response.destroyed) this.#write(':\n\n');
  }

  end(): void {
    this.#response.end();
  }

  /** Writes pending data until the connection is full. */
  pump(): void {
    if (this.#pumping || this.#response.destroyed || this.#response.writableEnded) return;
    if (this.#hasMissed()) {
      this.#write(message('resync', {}));
      this.end();
      return;
    }
    if (this.#stalled) return;
    const piece = this.#nextPiece();
    if (piece === '') return;
    this.#write(piece);
    if (this.#sentSeq >= this.#view.seenSeq) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.pump();
    });
  }

  /** Returns true if the store has dropped unsent events, or too many updates are pending. */
  #hasMissed(): boolean {
    const { lastSeq, size } = this.#view.source.flow;
    const isBehind = this.#sentSeq < lastSeq - size && this.#sentSeq > 0;
    return isBehind || this.#updates.size > MOST_UPDATES;
  }

  #nextPiece(): string {
    const { source, seenSeq } = this.#view;
    const events = source.flow.since(this.#sentSeq, BATCH_ROWS).filter(({ seq }) => seq <= seenSeq);
    const rows = events.map((event) => this.#view.row(event, this.redaction));
    this.#sentSeq = rows.at(-1)?.seq ?? this.#sentSeq;
    let piece = rows.length > 0 ? `id: ${this.#sentSeq}\n${message('rows', rows)}` : '';
    if (this.#updates.size > 0) piece += message('updates', this.#view.updates(this.#updates, this.redaction));
    for (const { name, data } of this.#newest.values()) piece += message(name, data);
    this.#updates = new Set();
    this.#newest.clear();
    return piece;
  }

  #write(text: string): void {
    if (this.#response.write(text) || this.#stalled) return;
    this.#stalled = this.#clock.after(STALL_MS, () => this.#response.destroy());
    this.#stalled.keepAlive(false);
  }
}

function message(name: keyof LiveMessages | 'resync', data: unknown): string {
  try {
    return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  } catch {
    return ''; // data that is nested too deeply or too long is left out
  }
}
