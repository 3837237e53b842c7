// A wire to a child process over its stdin and stdout. When the child exits, all of its output is delivered before the
// wire closes, `closeError` holds the cause, and the rest of its process tree is stopped. `close()` resolves when the whole tree has exited.

import type { Readable } from 'node:stream';
import type { Timer } from '../../base/clock.ts';
import { type Evidence, ProcessError, UsageError } from '../../base/errors.ts';
import { within } from '../../base/wait.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import type { Symptoms } from '../diagnosis/symptoms.ts';
import { explainExit } from '../process/launch/explain-exit.ts';
import { type ServerProcess, startServerProcess } from '../process/server-process.ts';
import type { StopRung, StopWaits } from '../process/tree/stop-ladder.ts';
import type { WireEvents, WireOptions } from '../wire.ts';
import { ByteWire } from './byte-wire.ts';
import { type StderrChoice, type StderrOutlet, stderrOutlet } from './stderr-outlet.ts';
import { readInTurns } from './turn-reader.ts';

export interface ChildOptions extends WireOptions {
  command: string;
  args?: readonly string[];
  /** Variables in addition to a short list of inherited ones (PATH, HOME and similar). */
  env?: Readonly<Record<string, string>>;
  /** Further values to mask in errors, for example from the arguments. Values of `env` are always masked. */
  secrets?: readonly string[];
  cwd?: string | undefined;
  stderr?: StderrChoice;
  /** Timeouts for the rungs of the stop ladder. */
  stopWaits?: Partial<StopWaits>;
  /**
   * Keeps processes alive that left the server's session, such as daemons. By default they are stopped with the server.
   */
  keepDaemons?: boolean;
  /** Session id of the lease of this process. The watchdog kills the process tree if the lease is not renewed in time. */
  lease?: string | undefined;
}

/**
 * Time that a child gets to exit after it closes stdout or stdin. If it exits in time, the exit is reported as the
 * cause.
 */
const EXIT_WAIT_MS = { stdout: 1_000, stdin: 300 };
/** How often the wait is repeated while output still arrives. */
const EXIT_WAITS = 20;
/** Time for a caller's stderr stream to take the remaining output. */
const STDERR_WAIT_MS = 1_000;

export class ChildWire extends ByteWire {
  /** The stop rung that ended the child. `stdin` means that it exited at the end of its input. */
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

  /**
   * The pid of the child; null before the start and after the process has ended, because the operating system may reuse
   * it.
   */
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
    // A failed start is reported to the caller of `start`.
    await this.#starting?.catch(() => undefined);
    this.stopSending();
    this.#bytesBeforeEof = this.#head.total;
    await this.#stopProcess();
    // Answers that arrive only after stdin ends prove a missing flush.
    if (wasSilent && this.#process) await this.lastInput(this.#process.stdout);
    if (this.#process && this.#stderr.written) await within(this.clock, STDERR_WAIT_MS, this.#stderr.written);
    this.finish(undefined);
  }

  /** Called when the child has exited: reads the remaining output, then reports the exit. */
  async #processEnded(): Promise<void> {
    const process = this.#process!;
    await this.lastInput(process.stdout);
    if (this.#ending) return;
    this.#ending = true;
    const found = this.phase === 'startup' ? diagnose(this.symptoms()!) : undefined;
    this.finish(explainExit(this.evidence(), found));
    await this.#stopProcess();
  }

  /** Called when stdout can no longer be read. */
  #outputEnded(error: Error | undefined): void {
    this.#endUnlessExited(
      'stdout',
      error,
      'The server is being stopped, because its output can no longer be received.',
    );
  }

  protected override writeFailed(error: Error): void {
    this.#endUnlessExited('stdin', error, 'The server is being stopped, because nothing more can be sent to it.');
  }

  /**
   * Usually the exit follows immediately and explains more. Otherwise the child is stopped, after an answer that it may be writing has
   * arrived.
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
        hint: 'The process hangs inside the operating system (a dead network drive, a debugger) and cannot be ended from here.',
      }),
    );
  }
}

const HEAD_BYTES = 8 * 1024;

/**
 * The first bytes of a child's output and the total byte count, used to diagnose a failed start. The bytes are copied, so that their chunk
 * can be freed.
 */
export class OutputHead {
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
