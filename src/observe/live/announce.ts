// Makes a running tap or host discoverable: a descriptor in the runtime folder, and a socket beside it that streams its flow.

import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Clock, Timer } from '../../base/clock.ts';
import type { Redact } from '../../base/secrets/redact.ts';
import { isRunning } from '../../wire/process/tree/signals.ts';
import { type LocalListener, listenLocal } from '../../wire/transport/local-socket.ts';
import type { FlowStore } from '../flow/store.ts';
import { EventLines } from '../record/event-line.ts';
import { headerLine, newRunId } from '../record/run-header.ts';
import {
  ensureRuntimeFolder,
  type LiveDescriptor,
  readDescriptor,
  removeDescriptor,
  runtimeFolder,
  writeDescriptor,
} from './runtime-folder.ts';

export type Announcement = Pick<
  LiveDescriptor,
  'kind' | 'name' | 'control' | 'command' | 'cwd' | 'cliOptions' | 'record'
>;

export interface AnnounceOptions extends Pick<FlowSocketOptions, 'maxViewers' | 'stallMs'> {
  folder?: string;
  redact?: Redact;
}

export interface Announced {
  readonly descriptor: LiveDescriptor;
  readonly viewers: number;
  /** Sends remaining events to viewers that read promptly. Never rejects. */
  close(): Promise<void>;
}

/** Rejects with the system error if the folder is not safe or the socket cannot be opened. */
export async function announce(
  store: FlowStore,
  about: Announcement,
  { folder = runtimeFolder(), redact, ...limits }: AnnounceOptions = {},
): Promise<Announced> {
  ensureRuntimeFolder(folder);
  removeDead(folder);
  const id = `${about.kind}-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  const path = join(folder, `${id}.sock`);
  const shown = { ...about, command: about.command && redact ? redact(about.command) : about.command };
  const socket = new FlowSocket(store, { path, redact, about: shown, ...limits });
  await socket.listen();
  const descriptor: LiveDescriptor = {
    standpipe: 'live',
    version: 1,
    ...shown,
    pid: process.pid,
    startedAt: store.startedAt.toISOString(),
    socket: path,
  };
  const file = writeDescriptor(folder, id, descriptor);
  const remove = () => removeDescriptor(file);
  process.once('exit', remove);
  return {
    descriptor,
    get viewers() {
      return socket.viewers;
    },
    async close() {
      process.off('exit', remove);
      remove();
      await socket.close();
    },
  };
}

function removeDead(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.json')) continue;
    const file = join(folder, name);
    const found = readDescriptor(file);
    if (found && !isRunning(found.pid)) removeDescriptor(file);
  }
}

interface FlowSocketOptions {
  path: string;
  redact?: Redact;
  about?: Readonly<Record<string, unknown>>;
  maxViewers?: number;
  /** How long a viewer may read nothing before it is disconnected. */
  stallMs?: number;
}

/** New events are collected before a write, because a write per event would cost more than the event. */
const GATHER_MS = 10;
const FINISH_MS = 250;

/**
 * A local socket that streams a store to viewers in the recording format: the header, the stored events, then new events. Costs nothing
 * without viewers. Input of viewers is discarded.
 */
class FlowSocket {
  readonly run = newRunId();
  readonly #store: FlowStore;
  readonly #options: FlowSocketOptions;
  readonly #viewers = new Map<Socket, Viewer>();
  #listener: LocalListener | undefined;
  #unsubscribe: (() => void) | undefined;
  #timer: Timer | undefined;

  constructor(store: FlowStore, options: FlowSocketOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** `lastSeq`: the newest event before the viewer connected. */
  #header(): string {
    const { startedAt, lastSeq } = this.#store;
    const about = { ...this.#options.about, lastSeq };
    return headerLine({ run: this.run, startedAt, pid: process.pid, about });
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  async listen(): Promise<void> {
    this.#listener = await listenLocal(this.#options.path, (socket) => this.#connected(socket), { isBackground: true });
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#unsubscribe?.();
    this.#listener?.close();
    await Promise.all([...this.#viewers.values()].map((viewer) => viewer.finish(FINISH_MS)));
  }

  #connected(socket: Socket): void {
    socket.on('error', () => socket.destroy()); // the viewer has disconnected
    socket.unref();
    if (this.#viewers.size >= (this.#options.maxViewers ?? 16)) return void socket.destroy();
    socket.resume();
    const { redact, stallMs = 10_000 } = this.#options;
    const viewer = new Viewer(socket, this.#store, new EventLines(this.run, redact), this.#header(), stallMs);
    this.#viewers.set(socket, viewer);
    this.#unsubscribe ??= this.#store.notice(() => this.#schedulePump());
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

const PIECE_BYTES = 128 * 1024;

/**
 * The connection of one viewer. It reads from the store at its own speed: a viewer that falls behind misses events (gaps in the numbers
 * show it), and one that reads nothing for `stallMs` is disconnected. The store and the traffic never wait for it.
 */
class Viewer {
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
