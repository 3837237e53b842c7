// The checker's view of one process that the client under test has started as its server: stdin, signals, end and output. Independent of the
// protocol. A client that sends too much is cut off.

import type { Socket } from 'node:net';
import { systemClock } from '../../base/clock.ts';
import { ENTRY_BYTES } from '../budget.ts';
import type { Transcript } from '../transcript.ts';
import { fromStub, stubFrame, stubFrameReader, toStub } from './stub-frames.ts';

/** An event of the process. Signals are named. */
export type StubEvent = 'started' | 'stdin ended' | 'exits' | 'gone' | NodeJS.Signals;

/** The end of stdin may arrive this long after a signal. */
const END_MS = 1_000;
/** The parts of a client run that its servers share. */
export interface PlayedIn {
  readonly transcript: Transcript;
  /** Counts memory for data from the client. Returns false over the limit. */
  readonly hold: (bytes: number) => boolean;
  readonly onactivity: () => void;
}

export class PlayedServer {
  readonly transcript: Transcript;
  readonly events: StubEvent[] = [];
  /** Bytes of stdin. Add messages to the transcript as `received`. */
  onbytes: ((chunk: Buffer) => void) | undefined;
  /** The end of stdin. */
  oninputend: (() => void) | undefined;
  /** Called when most of the transcript was dropped because the client sent too much. Other copies of received data must be dropped too. */
  onforget: (() => void) | undefined;
  /** If true, the process ignores the end of its stdin and signals that can be handled. */
  ignoresEnd = false;
  /** True if the checker ended the process. */
  wasClosed = false;
  readonly hold: (bytes: number) => boolean;
  readonly #socket: Socket;
  readonly #onactivity: () => void;
  readonly #waits = new Set<() => void>();
  #flushes = 0;
  #written = 0;
  #isAlive = false;
  #isExiting = false;

  constructor(socket: Socket, { transcript, hold, onactivity }: PlayedIn) {
    this.#socket = socket;
    this.transcript = transcript;
    this.hold = hold;
    this.#onactivity = onactivity;
    socket.on(
      'data',
      stubFrameReader(
        (letter, payload) => this.#reported(letter, payload),
        () => this.close(),
      ),
    );
    socket.on('error', () => undefined); // the event `close` follows
    socket.on('close', () => this.#happened('gone'));
  }

  has(event: StubEvent): boolean {
    return this.events.includes(event);
  }

  /** Writes to stdout. A string is written as UTF-8. One call is one write, unless it is larger than a pipe. */
  write(bytes: Uint8Array | string): void {
    this.transcript.add('sent', Buffer.from(bytes as string));
    this.#tell(toStub.stdout, bytes);
  }

  writeStderr(bytes: Uint8Array | string): void {
    this.transcript.event(`${Buffer.byteLength(bytes)} bytes to stderr of the server`);
    this.#tell(toStub.stderr, bytes);
  }

  /** Whether the client has read the output, except for what its pipes hold. */
  async flushed(timeoutMs: number): Promise<boolean> {
    const flush = ++this.#flushes;
    this.#tell(toStub.flush);
    return (await this.maybe(() => (this.#written >= flush ? true : undefined), timeoutMs)) ?? false;
  }

  exit(code: number): void {
    if (this.#isExiting) return;
    this.#isExiting = true;
    this.transcript.event(`the server exits with code ${code}`);
    this.#tell(toStub.exit, `${code}`);
  }

  /** Whether the process was ended from outside by a signal that cannot be handled. */
  get wasKilled(): boolean {
    return this.has('gone') && !this.has('exits') && !this.wasClosed;
  }

  /** Whether the process answers that it is running. */
  async isAlive(timeoutMs: number): Promise<boolean> {
    this.#isAlive = false;
    this.#tell(toStub.ask);
    return (await this.maybe(() => this.#isAlive || undefined, timeoutMs)) ?? false;
  }

  /** Ends the process. */
  close(): void {
    this.wasClosed ||= !this.has('gone');
    this.#socket.destroy();
  }

  /** Ends the process and drops the data received from the client. */
  forget(): void {
    this.close();
    this.onbytes = undefined;
    this.onforget?.();
  }

  /** Waits within a scenario. Returns early if the process ends. */
  async pause(ms: number): Promise<void> {
    await this.maybe(() => undefined, ms);
  }

  /**
   * Waits until `find` returns a value. It is called after every event. Resolves to undefined if the time or the
   * process ends first.
   */
  maybe<T>(find: () => T | undefined, timeoutMs: number): Promise<T | undefined> {
    return new Promise<T | undefined>((resolve) => {
      const look = () => {
        const value = find();
        if (value !== undefined || this.has('gone')) done(value);
      };
      const done = (value: T | undefined) => {
        timer.cancel();
        this.#waits.delete(look);
        resolve(value);
      };
      const timer = systemClock.after(timeoutMs, () => done(find()));
      this.#waits.add(look);
      look();
    });
  }

  #tell(letter: string, payload?: Uint8Array | string): void {
    if (!this.#socket.destroyed) this.#socket.write(stubFrame(letter, payload));
  }

  #reported(letter: string, payload: Buffer): void {
    switch (letter) {
      case fromStub.started:
        return this.#happened('started');
      case fromStub.exits:
        return this.#happened('exits');
      case fromStub.stdin:
        return this.#arrived(payload);
      case fromStub.stdinEnded:
        this.#happened('stdin ended');
        this.oninputend?.();
        if (!this.ignoresEnd) this.exit(0);
        return;
      case fromStub.signal:
        this.#happened(payload.toString() as NodeJS.Signals);
        if (!this.ignoresEnd) void this.#obeySignal();
        return;
      case fromStub.written:
        this.#written++;
        break;
      case fromStub.alive:
        this.#isAlive = true;
    }
    this.#wake();
  }

  /** Waits for the end of stdin: if a client closes stdin and sends a signal at once, their order of arrival is random. */
  async #obeySignal(): Promise<void> {
    await this.maybe(() => this.has('stdin ended') || undefined, END_MS);
    this.exit(1);
  }

  #arrived(chunk: Buffer): void {
    if (!this.hold(chunk.length + ENTRY_BYTES)) return this.close();
    this.onbytes?.(chunk);
    this.#wake();
  }

  #happened(event: StubEvent): void {
    this.events.push(event);
    this.transcript.event(`server: ${event}`);
    this.#wake();
  }

  #wake(): void {
    this.#onactivity();
    for (const look of [...this.#waits]) look();
  }
}
