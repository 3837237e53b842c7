// A wire to a child process, over its stdin and stdout. When the child goes, for whatever reason, everything it wrote has
// been delivered before the wire closes, `closeError` says what happened, and the rest of its process tree is stopped;
// `close()` resolves when all of it is gone.

import type { Readable } from 'node:stream';
import type { Timer } from '../base/clock.ts';
import { type Evidence, ProcessError, UsageError } from '../base/errors.ts';
import { within } from '../base/wait.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import type { Symptoms } from '../diagnosis/symptoms.ts';
import { explainExit } from '../process/launch/explain-exit.ts';
import { type ServerProcess, startServerProcess } from '../process/server-process.ts';
import type { StopRung, StopWaits } from '../process/tree/stop-ladder.ts';
import { ByteWire } from './byte-wire.ts';
import { type StderrChoice, type StderrOutlet, stderrOutlet } from './stderr-outlet.ts';
import { readInTurns } from './turn-reader.ts';
import type { WireEvents, WireOptions } from './wire.ts';

export interface ChildOptions extends WireOptions {
  command: string;
  args?: readonly string[];
  /** Added to a short list of inherited variables (PATH, HOME and similar). */
  env?: Readonly<Record<string, string>>;
  /** Values to be masked in errors besides those of `env`: some come in by the arguments. */
  secrets?: readonly string[];
  cwd?: string | undefined;
  stderr?: StderrChoice;
  /** How long each rung of the stop ladder is given. */
  stopWaits?: Partial<StopWaits>;
  /** Lets processes live that left the server's session, as daemons do. They are ended with the server unless given. */
  keepDaemons?: boolean;
  /** The session of the lease of this process: killed by the watchdog if that is not renewed in time. */
  lease?: string | undefined;
}

/** How long a child that has closed its stdout, or its stdin, may take to exit: then its exit is the cause. */
const EXIT_WAIT_MS = { stdout: 1_000, stdin: 300 };
/** How often, while output comes. */
const EXIT_WAITS = 20;
/** How long a stream that was given for stderr may take for the last of it. */
const STDERR_WAIT_MS = 1_000;

export class ChildWire extends ByteWire {
  /** What it took to stop the child, once it has stopped: `stdin` means that it exited at the end of its input. */
  stopRung: StopRung | undefined;
  readonly #options: ChildOptions;
  readonly #stderr: StderrOutlet;
  readonly #head = new OutputHead();
  protected override arrived = (chunk: Uint8Array): void => this.#head.add(chunk);
  readonly #abortStart = new AbortController();
  #process: ServerProcess | undefined;
  #starting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #ending = false;
  #bytesBeforeEof: number | undefined;

  constructor(options: ChildOptions) {
    super(options);
    this.#options = options;
    this.#stderr = stderrOutlet(options.stderr ?? 'inherit', (error) => this.report(error));
  }

  /** Null before the start and once the process has ended: its number may belong to another process by then. */
  get pid(): number | null {
    return this.#process && !this.#process.exitStatus ? this.#process.pid : null;
  }

  get stderr(): Readable | null {
    return this.#stderr.stream;
  }

  async start(events: WireEvents): Promise<void> {
    this.begin(events);
    this.#starting = this.#start();
    return this.#starting;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  override evidence(): Evidence {
    const process = this.#process;
    if (!process) return super.evidence();
    const evidence = process.evidence(this.phase);
    return this.firstNoise === undefined ? evidence : { ...evidence, firstNoise: process.redact(this.firstNoise) };
  }

  symptoms(): Symptoms | undefined {
    const process = this.#process;
    if (!process) return undefined;
    const { command = '', stderrTail = '', exitCode, signal } = process.evidence(this.phase);
    const { bytes, total } = this.#head;
    return {
      command,
      framing: this.framingName,
      stdout: bytes,
      stdoutBytes: total,
      bytesBeforeEof: this.#bytesBeforeEof,
      stderr: stderrTail,
      withheld: process.withheld,
      exitCode,
      signal,
      redact: (text) => process.redact(text),
    };
  }

  mask(text: string): string {
    return this.#process?.mask(text) ?? text;
  }

  async #start(): Promise<void> {
    let process: ServerProcess;
    try {
      process = await startServerProcess({
        ...this.#options,
        signal: this.#abortStart.signal,
        onSpawn: (spawned) => this.#observe(spawned),
      });
    } catch (error) {
      this.finish(error as Error);
      throw error;
    }
    this.#process = process;
    this.#stderr.connect(process.stderr);
    readInTurns(process.stderr);
    this.attach(process.stdout, process.stdin, (error) => this.#outputEnded(error));
    process.onExit(() => void this.#processEnded());
  }

  #observe(process: ServerProcess): void {
    if (!this.#options.observer) return;
    this.observe((observer) => observer.spawned?.(process.pid, process.commandLine));
    process.stderr.on('data', (chunk: Buffer) => this.observe((observer) => observer.stderr?.(chunk)));
    process.onExit(({ exitCode, signal }) => this.observe((observer) => observer.exited?.(exitCode, signal)));
  }

  async #close(): Promise<void> {
    const wasSilent = this.phase === 'startup';
    this.phase = 'closing';
    this.#ending = true;
    this.#abortStart.abort(new UsageError('TRANSPORT_CLOSED', 'Closed while the server was being started'));
    // A start that fails tells its own caller.
    await this.#starting?.catch(() => undefined);
    this.stopSending();
    this.#bytesBeforeEof = this.#head.total;
    await this.#stopProcess();
    // Answers that come with the end of stdin are the proof of a missing flush.
    if (wasSilent && this.#process) await this.lastInput(this.#process.stdout);
    if (this.#process && this.#stderr.written) await within(this.clock, STDERR_WAIT_MS, this.#stderr.written);
    this.finish(undefined);
  }

  /** The child has exited: read what it left behind, then say what happened. */
  async #processEnded(): Promise<void> {
    const process = this.#process!;
    await this.lastInput(process.stdout);
    if (this.#ending) return;
    this.#ending = true;
    const found = this.phase === 'startup' ? diagnose(this.symptoms()!) : undefined;
    this.finish(explainExit(this.evidence(), found));
    await this.#stopProcess();
  }

  /** Nothing more can be read. */
  #outputEnded(error: Error | undefined): void {
    this.#endUnlessExited('stdout', error, 'It is being stopped: its output can no longer be received.');
  }

  protected override writeFailed(error: Error): void {
    this.#endUnlessExited('stdin', error, 'It is being stopped: nothing more can be sent to it.');
  }

  /**
   * Mostly the exit follows at once, and explains more. If not, the child is of no more use, once the answer that it may be
   * writing has come.
   */
  #endUnlessExited(closed: 'stdin' | 'stdout', cause: Error | undefined, hint: string): void {
    if (this.#ending) return;
    const process = this.#process!;
    let timer: Timer;
    const wait = (times: number): void => {
      const before = this.#head.total;
      timer = this.clock.after(EXIT_WAIT_MS[closed], () => {
        if (this.#head.total > before && times > 1) wait(times - 1);
        else void end();
      });
    };
    const end = async (): Promise<void> => {
      await this.lastInput(process.stdout); // answers may still be in the pipe
      if (this.#ending || process.exitStatus) return;
      this.#ending = true;
      const message = `The server closed its ${closed} but keeps running`;
      const evidence = this.evidence();
      void this.#stopProcess();
      this.finish(new ProcessError('PROCESS_UNRESPONSIVE', message, { cause, evidence, hint }));
    };
    wait(EXIT_WAITS);
    process.onExit(() => timer.cancel());
  }

  async #stopProcess(): Promise<void> {
    if (!this.#process) return;
    const rung = await this.#process.stop();
    this.stopRung = rung;
    this.observe((observer) => observer.stopped?.(rung));
    if (rung !== 'unresponsive') return;
    this.report(
      new ProcessError('PROCESS_UNRESPONSIVE', `Process ${this.#process.pid} survived SIGKILL`, {
        evidence: this.evidence(),
        hint: 'It hangs inside the operating system (a dead network drive, a debugger) and cannot be ended from here.',
      }),
    );
  }
}

const HEAD_BYTES = 8 * 1024;

/**
 * The first bytes that a child wrote, and how many there were in all: what a diagnosis of a failed start looks at. They are
 * copied, so that no chunk stays in memory for the sake of its start.
 */
export class OutputHead {
  /** How many bytes came. */
  total = 0;
  #buffer: Buffer | undefined; // allocated with the first byte

  add(chunk: Uint8Array): void {
    if (this.total < HEAD_BYTES) {
      this.#buffer ??= Buffer.allocUnsafeSlow(HEAD_BYTES);
      this.#buffer.set(chunk.subarray(0, HEAD_BYTES - this.total), this.total);
    }
    this.total += chunk.length;
  }

  get bytes(): Uint8Array {
    return this.#buffer?.subarray(0, this.total) ?? new Uint8Array();
  }
}
