// A local socket that streams a store to viewers in the recording format: the header, the stored events, then new
// events. Costs nothing without viewers. Viewers only read: their input is discarded.

import type { Socket } from 'node:net';
import type { Timer } from '../../base/clock.ts';
import type { Redact } from '../../base/secrets/redact.ts';
import { type LocalListener, listenLocal } from '../../wire/transport/local-socket.ts';
import type { FlowStore } from '../flow/store.ts';
import { EventLines } from '../record/event-line.ts';
import { headerLine, newRunId } from '../record/run-header.ts';
import { Viewer } from './viewer.ts';

export interface FlowSocketOptions {
  path: string;
  redact?: Redact;
  /** Stored in the header. */
  about?: Readonly<Record<string, unknown>>;
  maxViewers?: number;
  /** How long a viewer may read nothing before it is disconnected. */
  stallMs?: number;
}

/** New events are collected before a write, because a write per event would cost more than the event. */
const GATHER_MS = 10;
const FINISH_MS = 250;

export class FlowSocket {
  readonly run = newRunId();
  readonly #store: FlowStore;
  readonly #options: FlowSocketOptions;
  readonly #viewers = new Map<Socket, Viewer>();
  readonly #header: string;
  #listener: LocalListener | undefined;
  #unsubscribe: (() => void) | undefined;
  #timer: Timer | undefined;

  constructor(store: FlowStore, options: FlowSocketOptions) {
    this.#store = store;
    this.#options = options;
    const { about = {} } = options;
    this.#header = headerLine({ run: this.run, startedAt: store.startedAt, pid: process.pid, about });
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** Resolves when viewers can connect. */
  async listen(): Promise<void> {
    this.#listener = await listenLocal(this.#options.path, (socket) => this.#connected(socket), { isBackground: true });
  }

  /** Sends remaining events to viewers that read them within `FINISH_MS`. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#unsubscribe?.();
    this.#listener?.close();
    await Promise.all([...this.#viewers.values()].map((viewer) => viewer.finish(FINISH_MS)));
  }

  #connected(socket: Socket): void {
    socket.on('error', () => socket.destroy()); // the viewer disconnected
    socket.unref();
    if (this.#viewers.size >= (this.#options.maxViewers ?? 16)) {
      socket.destroy();
      return;
    }
    socket.resume();
    const { redact, stallMs = 10_000 } = this.#options;
    const viewer = new Viewer(socket, this.#store, new EventLines(this.run, redact), this.#header, stallMs);
    this.#viewers.set(socket, viewer);
    this.#unsubscribe ??= this.#store.subscribe(() => this.#schedulePump());
    socket.on('close', () => this.#gone(socket));
    this.#schedulePump();
  }

  #gone(socket: Socket): void {
    this.#viewers.delete(socket);
    if (this.#viewers.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #schedulePump(): void {
    this.#timer ??= this.#store.clock.after(GATHER_MS, () => {
      this.#timer = undefined;
      for (const viewer of this.#viewers.values()) viewer.pump();
    });
    this.#timer.keepAlive(false);
  }
}
