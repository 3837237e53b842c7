// This process as a server: frames come in on stdin and go out on stdout. While it runs, stdout is the protocol's alone
// (prints go to stderr) and no child of ours gets the protocol's streams. When stdin ends, answers in flight may finish,
// are written, and the process exits, whatever timers it still has.

import { guardChildren } from '../process/guard-children.ts';
import { takeOverStdout } from '../process/own-streams.ts';
import { ByteWire } from './byte-wire.ts';
import type { WireEvents, WireOptions } from './wire.ts';

export interface OwnWireOptions extends WireOptions {
  /** How long answers in flight may take after stdin has ended. */
  drainMs?: number;
  /** Whether the process exits when stdin has ended. Yes, unless the caller has other plans for it. */
  exitOnEnd?: boolean;
}

const DRAIN_MS = 1_000;
const FLUSH_WAIT_MS = 500;

export class OwnWire extends ByteWire {
  readonly #drainMs: number;
  readonly #exitOnEnd: boolean;
  #releases: (() => void)[] = [];
  #allAnswered: (() => void) | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: OwnWireOptions = {}) {
    super(options);
    this.#drainMs = options.drainMs ?? DRAIN_MS;
    this.#exitOnEnd = options.exitOnEnd ?? true;
  }

  async start(events: WireEvents): Promise<void> {
    this.begin(events);
    const stdout = takeOverStdout();
    const children = guardChildren();
    this.#releases = [() => stdout.restore(), () => children.restore()];
    this.attach(process.stdin, stdout.stream, (error) => void this.#inputEnded(error));
  }

  override owe(change: number): void {
    super.owe(change);
    if (this.answersDue === 0) this.#allAnswered?.();
  }

  /** Ends the service, not the process: what was sent goes out, and stdout is an ordinary stream again. */
  close(): Promise<void> {
    this.#ending ??= this.#end(undefined);
    return this.#ending;
  }

  async #inputEnded(error: Error | undefined): Promise<void> {
    if (this.#ending || this.closed) return;
    this.phase = 'closing';
    this.events?.ending?.();
    await this.#answersInFlight();
    this.#ending ??= this.#end(error);
    await this.#ending;
    if (this.#exitOnEnd) process.exit();
  }

  async #answersInFlight(): Promise<void> {
    if (this.answersDue === 0) return;
    await new Promise<void>((resolve) => {
      const timer = this.clock.after(this.#drainMs, resolve);
      this.#allAnswered = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  async #end(error: Error | undefined): Promise<void> {
    this.phase = 'closing';
    await this.flush(FLUSH_WAIT_MS);
    this.finish(error);
    for (const release of this.#releases.splice(0)) release();
    process.stdin.pause();
  }
}
