// The server under test as a process: bytes in, lines out, nothing interpreted that the rules want to see. Everything that goes over its pipes
// is in the transcript. Bounded: a server that writes without end is stopped.

import { systemClock } from '../../base/clock.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { SILENT, within } from '../../base/wait.ts';
import { type ExitStatus, type ServerProcess, startServerProcess } from '../../process/server-process.ts';
import type { StopRung } from '../../process/tree/stop-ladder.ts';
import { type Entry, Transcript } from '../transcript.ts';
import { violation } from '../verdict.ts';

export interface Target {
  command: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Further values to mask in reports. */
  secrets?: readonly string[];
  cwd?: string;
}

/** One line of stdout. */
export interface Frame extends Entry {
  readonly kind: 'received';
  /** Undefined for a line that is not JSON. */
  readonly json: unknown;
}

/** Of all lines of one process. */
const MOST_BYTES = 256 * 1024 * 1024;

export class Probe {
  readonly transcript = new Transcript();
  /** Lines of stdout, in order. */
  readonly frames: Frame[] = [];
  readonly process: ServerProcess;
  readonly timeoutMs: number;
  /** Called for each line, before waits are. */
  onframe: ((frame: Frame) => void) | undefined;
  readonly #answers = new Map<string, Frame[]>();
  readonly #waits = new Set<() => void>();
  #rest: Buffer[] = [];
  #bytes = 0;
  #ended = false;
  #lastId = 0;

  static async start(target: Target, timeoutMs: number, signal?: AbortSignal): Promise<Probe> {
    let probe!: Probe;
    await startServerProcess({
      ...target,
      ...(signal && { signal }),
      onSpawn: (process) => {
        probe = new Probe(process, timeoutMs); // its streams are read from the first byte
      },
    });
    return probe;
  }

  private constructor(process: ServerProcess, timeoutMs: number) {
    this.process = process;
    this.timeoutMs = timeoutMs;
    this.transcript.event(`started: ${process.commandLine}`);
    process.stdout.on('data', (chunk: Buffer) => this.#arrived(chunk));
    process.stdout.once('close', () => this.#over());
    process.stderr.on('data', (chunk: Buffer) => this.transcript.add('stderr', chunk));
    process.onExit(({ exitCode, signal }) => {
      this.transcript.event(`exited: ${signal ?? `code ${exitCode}`}`);
      this.#wake();
    });
  }

  /** Bytes of stdout that no newline has ended. */
  get rest(): Buffer {
    return Buffer.concat(this.#rest);
  }

  /** Stdout has ended: no further line can come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** An id that was not used in this process. */
  newId(): number {
    return ++this.#lastId;
  }

  /** One message as one line. */
  send(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  /** Bytes as they are. A string is written as UTF-8. */
  write(bytes: Uint8Array | string): void {
    const buffer = Buffer.from(bytes as string);
    this.transcript.add('sent', buffer);
    if (!this.process.stdin.destroyed && !this.process.stdin.writableEnded) this.process.stdin.write(buffer);
  }

  endInput(): void {
    this.transcript.event('stdin ended');
    this.process.stdin.end();
  }

  /** To the leader alone. */
  kill(signal: NodeJS.Signals): void {
    this.transcript.event(`sent ${signal}`);
    process.kill(this.process.pid, signal);
  }

  /** All answers with this id, in order. */
  answersTo(id: unknown): readonly Frame[] {
    return this.#answers.get(JSON.stringify(id)) ?? [];
  }

  /** The first answer with this id. It is a violation if none comes in time; `what` names the request. */
  answerTo(id: unknown, what: string, timeoutMs = this.timeoutMs): Promise<Frame> {
    return this.until(() => this.answersTo(id)[0], `There was no answer to ${what}`, timeoutMs);
  }

  /**
   * Waits until `find` finds something; it is asked again after every line, and at the end of stdout and of the process. It is a violation
   * if nothing is found in time, or if stdout ends first. `otherwise` begins the message.
   */
  async until<T>(find: () => T | undefined, otherwise: string, timeoutMs = this.timeoutMs): Promise<T> {
    const found = await this.maybe(find, timeoutMs);
    if (found !== undefined) return found;
    if (this.#ended) violation(`${otherwise}: ${this.#end()}.`);
    violation(`${otherwise} within ${timeoutMs / 1000} s.`);
  }

  /** The same without a violation. */
  async maybe<T>(find: () => T | undefined, timeoutMs = this.timeoutMs): Promise<T | undefined> {
    const first = find();
    if (first !== undefined || this.#ended) return first;
    return new Promise<T | undefined>((resolve) => {
      const done = (value: T | undefined) => {
        timer.cancel();
        this.#waits.delete(look);
        resolve(value);
      };
      const look = () => {
        const value = find();
        if (value !== undefined || this.#ended) done(value);
      };
      const timer = systemClock.after(timeoutMs, () => done(find()));
      this.#waits.add(look);
    });
  }

  /** The exit of the leader, or undefined if it does not exit in time. */
  async exitStatus(timeoutMs = this.timeoutMs): Promise<ExitStatus | undefined> {
    const status = await within(systemClock, timeoutMs, this.process.exit);
    return status === SILENT ? undefined : status;
  }

  /** Stops reading stdout, as a busy client does. */
  pauseReading(): void {
    this.process.stdout.pause();
  }

  resumeReading(): void {
    this.process.stdout.resume();
  }

  stop(): Promise<StopRung> {
    return this.process.stop();
  }

  #arrived(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MOST_BYTES) {
      this.transcript.event(`stopped: it wrote more than ${MOST_BYTES} bytes`);
      void this.stop();
      return;
    }
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#line(Buffer.concat([...this.#rest, chunk.subarray(from, at)]));
      this.#rest = [];
      from = at + 1;
    }
    if (from < chunk.length) this.#rest.push(chunk.subarray(from));
    this.#wake();
  }

  #line(bytes: Buffer): void {
    const frame = { kind: 'received', bytes, json: parsed(bytes) } as const;
    this.transcript.entries.push(frame);
    this.frames.push(frame);
    for (const message of messagesOf(frame)) {
      if (!isAnswer(message)) continue;
      const key = JSON.stringify(message.id);
      const before = this.#answers.get(key);
      if (before) before.push(frame);
      else this.#answers.set(key, [frame]);
    }
    this.onframe?.(frame);
  }

  #over(): void {
    if (this.#rest.length > 0) this.transcript.add('received', this.rest);
    this.#ended = true;
    this.#wake();
  }

  #wake(): void {
    for (const look of [...this.#waits]) look();
  }

  #end(): string {
    const { exitStatus } = this.process;
    if (!exitStatus) return 'the server closed its stdout';
    const { exitCode, signal } = exitStatus;
    return signal ? `the server was ended by ${signal}` : `the server exited with code ${exitCode}`;
  }
}

/** The messages of a line: of a batch each, of anything else but an object none. */
export function messagesOf({ json }: Frame): JsonObject[] {
  return (Array.isArray(json) ? json : [json]).filter(isObject);
}

export function isAnswer(message: JsonObject): boolean {
  return message.method === undefined && ('result' in message || 'error' in message);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
