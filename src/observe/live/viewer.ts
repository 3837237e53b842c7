// The connection of one viewer: stored events, then new ones. It reads from the store at its own speed instead of a
// queue: a viewer that falls behind misses events (their numbers show it), and one that reads nothing for `stallMs` is
// disconnected. The store and the traffic never wait for it.

import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../base/clock.ts';
import type { FlowStore } from '../flow/store.ts';
import type { EventLines } from '../record/event-line.ts';

/** Maximum size of one write. */
const PIECE_BYTES = 128 * 1024;

export class Viewer {
  readonly #socket: Socket;
  readonly #store: FlowStore;
  readonly #lines: EventLines;
  readonly #clock: Clock;
  readonly #stallMs: number;
  #lastSeq = 0;
  #stalled: Timer | undefined;
  #pumping = false;

  constructor(socket: Socket, store: FlowStore, lines: EventLines, header: string, stallMs: number) {
    this.#socket = socket;
    this.#store = store;
    this.#lines = lines;
    this.#clock = store.clock;
    this.#stallMs = stallMs;
    socket.on('drain', () => {
      this.#stalled?.cancel();
      this.#stalled = undefined;
      this.pump();
    });
    socket.on('close', () => this.#stalled?.cancel());
    socket.write(`${header}\n`);
  }

  /** Writes pending events until the socket is full. */
  pump(): void {
    if (this.#pumping || this.#stalled || this.#socket.destroyed) return;
    const piece = this.#nextPiece();
    if (piece === '') return;
    if (!this.#socket.write(piece)) {
      this.#stalled = this.#clock.after(this.#stallMs, () => this.#socket.destroy());
      this.#stalled.keepAlive(false);
      return;
    }
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.pump();
    });
  }

  /** Writes the remaining events and ends the connection. Resolves when they were read, or after `withinMs`. */
  finish(withinMs: number): Promise<void> {
    if (this.#stalled || this.#socket.destroyed) {
      this.#socket.destroy();
      return Promise.resolve();
    }
    for (let piece = this.#nextPiece(); piece !== ''; piece = this.#nextPiece()) this.#socket.write(piece);
    this.#socket.end();
    return new Promise((resolve) => {
      const timer = this.#clock.after(withinMs, () => this.#socket.destroy());
      this.#socket.once('close', () => {
        timer.cancel();
        resolve();
      });
    });
  }

  #nextPiece(): string {
    let piece = '';
    for (const event of this.#store.since(this.#lastSeq, 256)) {
      piece += `${this.#lines.encode(event)}\n`;
      this.#lastSeq = event.seq;
      if (piece.length >= PIECE_BYTES) break;
    }
    return piece;
  }
}
