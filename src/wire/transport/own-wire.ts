// This process as a server: frames on stdin and stdout. While it runs, stdout is reserved for the protocol (other output goes to stderr),
// and child processes do not inherit the protocol streams. When stdin ends, pending answers are completed and written, and the process
// exits, even if timers are active. When stdout breaks, running requests are aborted, reading stops, and the process exits too.
//
// Other streams can be passed in. They belong to the caller: they stay open, and the process does not exit.

import type { Readable, Writable } from 'node:stream';
import { within } from '../../base/wait.ts';
import { guardChildren } from '../process/streams/guard-children.ts';
import { reserveStdout } from '../process/streams/reserve-stdout.ts';
import type { WireEvents, WireOptions } from '../wire.ts';
import { ByteWire } from './byte-wire.ts';

export interface OwnWireOptions extends WireOptions {
  /** Limit for pending answers after stdin ends, and for aborted requests after stdout breaks. */
  drainMs?: number;
  /** Whether the process exits when stdin has ended. Default: true, unless other streams are given. */
  exitOnEnd?: boolean;
}

export interface GivenStreams {
  input?: Readable | undefined;
  output?: Writable | undefined;
}

const DRAIN_MS = 1_000;
/** How long a client may leave queued data unread: after the end of stdin, and when this side closes. */
const STALL_MS = { ending: 10_000, closing: 1_000 };

export class OwnWire extends ByteWire {
  readonly #drainMs: number;
  readonly #exitOnEnd: boolean;
  readonly #input: Readable;
  readonly #output: Writable;
  /** True if both streams are those of this process. */
  readonly #isOwn: boolean;
  #releases: (() => void)[] = [];
  #allAnswered: (() => void) | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: OwnWireOptions = {}, { input, output }: GivenStreams = {}) {
    super(options);
    this.#input = input ?? process.stdin;
    this.#output = output ?? process.stdout;
    this.#isOwn = this.#input === process.stdin && this.#output === process.stdout;
    this.#drainMs = options.drainMs ?? DRAIN_MS;
    this.#exitOnEnd = options.exitOnEnd ?? this.#isOwn;
  }

  async start(events: WireEvents): Promise<void> {
    this.begin(events);
    const stdout = this.#output === process.stdout ? reserveStdout() : undefined;
    const children = this.#isOwn ? guardChildren() : undefined;
    this.#releases = [() => stdout?.restore(), () => children?.restore()];
    this.attach(this.#input, stdout?.stream ?? this.#output, (error) => void this.#inputEnded(error));
    if (!this.#isOwn) this.#input.once('close', this.#inputClosed);
  }

  /** The input was destroyed before its end. */
  #inputClosed = (): void => {
    if (!this.#input.readableEnded) void this.#inputEnded(undefined);
  };

  override send(text: string, neverRefuse?: boolean, together?: boolean): Promise<void> {
    const accepted = super.send(text, neverRefuse, together);
    if (this.#allAnswered && this.#answersDue === 0) this.#allAnswered();
    return accepted;
  }

  get #answersDue(): number {
    return this.events?.unanswered?.() ?? 0;
  }

  /** Ends the service but not the process: sent data is written, and stdout becomes an ordinary stream again. */
  close(): Promise<void> {
    this.#ending ??= this.#end(undefined, STALL_MS.closing);
    return this.#ending;
  }

  async #inputEnded(error: Error | undefined): Promise<void> {
    if (this.#ending || this.closed) return;
    this.phase = 'closing';
    this.tell((events) => events.ending?.());
    await this.#answersInFlight();
    this.#ending ??= this.#end(error, STALL_MS.ending);
    await this.#ending;
    if (this.#exitOnEnd) process.exit();
  }

  /** Answers that are delayed by a client that does not read use the stall limit instead of `drainMs`. */
  async #answersInFlight(): Promise<void> {
    const allAnswered = new Promise<void>((resolve) => {
      this.#allAnswered = resolve;
    });
    const state = () => `${this.#answersDue} due, ${this.output.progress} taken`;
    for (let before = ''; this.#answersDue > 0 && before !== state(); ) {
      before = state();
      await within(this.clock, this.output.blocked ? STALL_MS.ending : this.#drainMs, allAnswered);
    }
  }

  protected override writeFailed(error: Error): void {
    if (this.#ending) return;
    this.#ending = this.#end(error, 0);
    if (!this.#exitOnEnd) return;
    // Request signals are aborted, and handlers get `drainMs` to clean up.
    this.clock.after(this.#drainMs, () => process.exit()).keepAlive(false);
  }

  async #end(error: Error | undefined, stallMs: number): Promise<void> {
    this.phase = 'closing';
    await this.flush(stallMs);
    this.finish(error);
    for (const release of this.#releases.splice(0)) release();
    if (this.#isOwn) return this.stopReading();
    this.#input.off('close', this.#inputClosed);
    this.detach();
  }
}
