// A program under test as a process: its pipes, its transcript, and waiting for its output. Subclasses split stdout into messages. A process
// with too much output is stopped (budget.ts).

import type { Socket } from 'node:net';
import { systemClock, type Timer } from '../base/clock.ts';
import { SILENT, within } from '../base/wait.ts';
import { type ExitStatus, type ServerProcess, startServerProcess } from '../wire/process/server-process.ts';
import { sendSignal } from '../wire/process/tree/signals.ts';
import type { StopRung } from '../wire/process/tree/stop-ladder.ts';
import { type Budget, ENTRY_BYTES, MOST_PROCESS_BYTES, type Share } from './budget.ts';
import type { Target } from './target.ts';
import { STDIN_ENDED, Transcript } from './transcript.ts';
import { outOfTime, violation } from './verdict.ts';

/** Limit of the stderr output kept as evidence. stderr is read to its end. */
const MOST_STDERR_BYTES = 1024 * 1024;
/** The exit status and the rest of stderr may arrive this long after the end of stdout. */
const EXIT_WAIT_MS = 5_000;
/** If a timer fires later than this, this process or the machine was suspended, and the wait starts again. */
const PAUSE_MS = 1_000;
/** The part of the transcript kept for a process that was stopped because of its output. */
const KEPT_BYTES = 64 * 1024;

/** If a process ends later than this after the last message of a rule, the rule is not the cause. */
const LATER_MS = 500;
/** Upper limit of `laterMs`, which is longer on a busy machine. */
const MOST_LATER_MS = 5_000;

/** The end of a process. A separate object, so that the transcript can be released earlier. */
export interface ProcessEnd {
  /**
   * An exit up to this long after a message may be caused by the message: the time until the first output of the
   * process, at least `LATER_MS`, at most 5 s.
   */
  laterMs: number;
  /** Time at which the process exited or closed its stdout by itself, by `performance.now()`. */
  byItselfMs?: number;
}

export abstract class ProcessUnderTest {
  readonly end: ProcessEnd = { laterMs: LATER_MS };
  readonly transcript = new Transcript(({ kind, bytes }) => {
    const isHeld = this.hold(ENTRY_BYTES + (kind === 'received' ? 0 : bytes.length)); // received bytes were counted on arrival
    return isHeld || kind === 'event';
  });
  /** Why the check stopped the process, as a clause. */
  stopped: string | undefined;
  /** Time of the last output on stdout, by `performance.now()`. */
  lastOutputMs = Number.NEGATIVE_INFINITY;
  readonly process: ServerProcess;
  readonly timeoutMs: number;
  /** Set for a server that may have opened before: measures the time of a start (startup-time.ts). */
  another: (() => Promise<number> | undefined) | undefined;
  /** Whether stdout had an answer to any request. */
  protected hasAnswered = false;
  readonly #startMs = performance.now();
  readonly #waits = new Set<() => void>();
  readonly #share: Share;
  #stderrBytes = 0;
  #ended = false;
  #isAskedToEnd = false;
  #closing: Promise<unknown> | undefined;
  #hopeless: string | undefined;
  #lastId = 0;

  constructor(process: ServerProcess, timeoutMs: number, budget: Budget) {
    this.process = process;
    this.#share = budget.share();
    this.timeoutMs = timeoutMs;
    this.transcript.event(`started: ${process.commandLine}`);
    process.stdout.on('data', (chunk: Buffer) => this.#arrived(chunk));
    process.stdout.once('close', () => this.#over());
    process.stderr.on('data', (chunk: Buffer) => this.#keepStderr(chunk));
    process.onExit(({ exitCode, signal }) => {
      this.transcript.event(`exited: ${signal ?? `code ${exitCode}`}`);
      this.#noteEnd();
      this.#wake();
    });
  }

  /** Bytes of stdout that are not yet a whole message. */
  abstract get rest(): Buffer;

  /** Splits stdout. Waits are woken afterwards. */
  protected abstract read(chunk: Buffer): void;

  /** Called after the transcript was cut. Other copies of the dropped data must be dropped too. */
  protected abstract forgot(): void;

  /** Called at the end of stdout. Data that is not yet a whole message is added to the transcript as it is. */
  protected readEnd(): void {
    if (this.rest.length > 0) this.transcript.add('received', this.rest);
  }

  /** Time since the start of the process. */
  get ageMs(): number {
    return performance.now() - this.#startMs;
  }

  /** Stdout has ended: no further message can come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The process exited or closed its stdout before the check ended its stdin, stopped it or sent it a signal. */
  get endedByItself(): boolean {
    return this.end.byItselfMs !== undefined;
  }

  /** After the end of stdout: waits for the exit status and the rest of stderr, and describes the end as a clause. */
  async howItEnded(): Promise<string> {
    this.#closing ??= within(systemClock, EXIT_WAIT_MS, this.process.closed);
    await this.#closing;
    const { exitStatus } = this.process;
    if (!exitStatus) return 'the server closed its stdout';
    const { exitCode, signal } = exitStatus;
    return signal ? `the server was ended by ${signal}` : `the server exited with code ${exitCode}`;
  }

  newId(): number {
    return ++this.#lastId;
  }

  /** Whether the id is one of `newId`. */
  hasGiven(id: unknown): boolean {
    return Number.isInteger(id) && (id as number) > 0 && (id as number) <= this.#lastId;
  }

  write(bytes: Uint8Array | string): void {
    const buffer = Buffer.from(bytes as string);
    this.transcript.add('sent', buffer);
    if (!this.process.stdin.destroyed && !this.process.stdin.writableEnded) this.process.stdin.write(buffer);
  }

  endInput(): void {
    this.#isAskedToEnd = true;
    this.transcript.event(STDIN_ENDED);
    this.process.stdin.end();
  }

  /** Signals only the leader of the process tree. */
  kill(signal: NodeJS.Signals): void {
    this.#isAskedToEnd = true;
    this.transcript.event(`sent ${signal}`);
    sendSignal(this.process.pid, signal);
  }

  /**
   * Waits until `find` returns a value. It is called after every chunk of stdout, and at the end of stdout and of the process. A violation after
   * the timeout, or if stdout ends first. `otherwise`: the beginning of the message.
   */
  async until<T>(find: () => T | undefined, otherwise: string, timeoutMs = this.timeoutMs): Promise<T> {
    const found = (await this.maybe(find, timeoutMs)) ?? (await this.#afterSlowStart(find));
    if (found !== undefined) return found;
    if (this.#hopeless !== undefined) violation(`${otherwise}: ${this.#hopeless}.`);
    if (this.#ended) violation(`${otherwise}: ${await this.howItEnded()}.`);
    violation(`${otherwise} within ${timeoutMs / 1000} s.`);
  }

  /** A process without any answer may still be starting: it gets as much additional time as another process needs for its first answer. */
  async #afterSlowStart<T>(find: () => T | undefined): Promise<T | undefined> {
    if (this.#isOver || this.hasAnswered) return undefined;
    const startupMs = await this.another?.();
    if (startupMs === undefined) return undefined;
    if (startupMs < Number.POSITIVE_INFINITY) return this.maybe(find, startupMs);
    return find() ?? outOfTime('the server, which has opened before, starts too slowly: raise --timeout');
  }

  /** Like `until`, but returns undefined instead of a violation. */
  async maybe<T>(find: () => T | undefined, timeoutMs = this.timeoutMs): Promise<T | undefined> {
    const first = find();
    if (first !== undefined || this.#isOver) return first;
    return new Promise<T | undefined>((resolve) => {
      const done = (value: T | undefined) => {
        timer.cancel();
        this.#waits.delete(look);
        resolve(value);
      };
      const look = () => {
        const value = find();
        if (value !== undefined || this.#isOver) done(value);
      };
      const expire = () => {
        const lateMs = performance.now() - dueMs;
        // Timers run before pipes are read: after a pause of this process, an answer may be waiting.
        setImmediate(() => setImmediate(() => (lateMs > PAUSE_MS && find() === undefined ? wait() : done(find()))));
      };
      const wait = () => {
        dueMs = performance.now() + timeoutMs;
        timer = systemClock.after(timeoutMs, expire);
      };
      let dueMs = 0;
      let timer!: Timer;
      wait();
      this.#waits.add(look);
    });
  }

  /** Ends all waits, because the output can no longer arrive. `why`: the end of the message. */
  giveUp(why: string): void {
    this.#hopeless = why;
    this.#wake();
  }

  get #isOver(): boolean {
    return this.#ended || this.#hopeless !== undefined;
  }

  /** The exit of the leader, or undefined if it does not exit in time. */
  async exitStatus(timeoutMs = this.timeoutMs): Promise<ExitStatus | undefined> {
    const status = await within(systemClock, timeoutMs, this.process.exit);
    return status === SILENT ? undefined : status;
  }

  /** Waits for an exit that an earlier message may have caused. */
  exitLater(): Promise<ExitStatus | undefined> {
    return this.exitStatus(this.end.laterMs);
  }

  /** Whether the pipe has accepted all written data, which means that the process reads. */
  async inputTaken(timeoutMs = this.timeoutMs): Promise<boolean> {
    const taken = new Promise<boolean>((resolve) => this.process.stdin.write('', () => resolve(true)));
    return (await within(systemClock, timeoutMs, taken)) === true;
  }

  /** Waits until the process has read all input, or has read nothing for `idleMs`: it may be blocked because its output is not read. */
  async inputTakenUntilIdle(idleMs: number): Promise<void> {
    const stdin = this.process.stdin as Socket;
    const idle = new Promise<void>((resolve) => stdin.setTimeout(idleMs).once('timeout', resolve)); // no timeout while a write makes progress
    await Promise.race([this.inputTaken(), idle]);
    stdin.setTimeout(0);
  }

  pauseReading(stream: 'stdout' | 'stderr' = 'stdout'): void {
    this.transcript.event(`${stream} is no longer read`);
    this.process[stream].pause();
  }

  resumeReading(stream: 'stdout' | 'stderr' = 'stdout'): void {
    this.transcript.event(`${stream} is read again`);
    this.process[stream].resume();
  }

  stop(): Promise<StopRung> {
    if (!this.#isAskedToEnd && !this.process.exitStatus) this.transcript.event(STDIN_ENDED); // stopping begins with the end of stdin
    this.#isAskedToEnd = true;
    return this.process.stop();
  }

  /** Drops the transcript except for its first `keptBytes`. */
  forget(keptBytes = 0): void {
    this.release();
    this.transcript.cut(keptBytes);
    this.#share.hold(keptBytes);
    this.forgot();
  }

  /** Stops counting the output of the process, because it is no longer referenced. */
  release(): void {
    this.#share.release();
  }

  /** Counts memory of the output. Over the limit: stops the process, ignores its output and returns false. */
  protected hold(bytes: number): boolean {
    if (this.stopped === undefined && !this.#share.hold(bytes)) this.#stopFlood();
    return this.stopped === undefined;
  }

  #stopFlood(): void {
    const most = MOST_PROCESS_BYTES / 1024 / 1024;
    this.stopped = `the check stopped the server, because its output takes more than ${most} MiB of memory`;
    this.forget(KEPT_BYTES);
    this.transcript.event(`stopped: its output takes more than ${most} MiB of memory`);
    this.giveUp(this.stopped);
    void this.stop();
    sendSignal(this.process.pid, 'SIGKILL');
  }

  #arrived(chunk: Buffer): void {
    if (!this.hold(chunk.length + ENTRY_BYTES)) return;
    if (this.lastOutputMs < 0) this.end.laterMs = Math.min(Math.max(this.ageMs, LATER_MS), MOST_LATER_MS);
    this.lastOutputMs = performance.now();
    this.read(chunk);
    this.#wake();
  }

  #keepStderr(chunk: Buffer): void {
    if (this.#stderrBytes > MOST_STDERR_BYTES) return;
    this.#stderrBytes += chunk.length;
    this.transcript.add('stderr', chunk);
    if (this.#stderrBytes > MOST_STDERR_BYTES) this.transcript.event('further stderr output is not kept');
  }

  #over(): void {
    if (this.stopped === undefined) this.readEnd();
    this.#ended = true;
    this.#noteEnd();
    this.#wake();
  }

  #noteEnd(): void {
    if (!this.#isAskedToEnd) this.end.byItselfMs ??= performance.now();
  }

  #wake(): void {
    for (const look of [...this.#waits]) look();
  }
}

/** `make` is called as soon as the process exists, so that its streams are read from the first byte. `signal` ends only the start. */
export async function launch<P extends ProcessUnderTest>(
  target: Target,
  signal: AbortSignal | undefined,
  make: (process: ServerProcess) => P,
): Promise<P> {
  let made!: P;
  await startServerProcess({
    ...target,
    ...(signal && { signal }),
    onSpawn: (process) => {
      made = make(process);
    },
  });
  return made;
}
