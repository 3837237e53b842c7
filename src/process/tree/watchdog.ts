// Ends the servers of a host that vanished, even by SIGKILL. One small `sh` a host holds the reading end of a pipe; the host
// writes which servers are its own, and the end of the pipe is the end of the host. The script says what happens then.
// What always holds: the watchdog runs, and has the mark of a server in its pipe, before that server is spawned, so that
// there is no moment at which a server has nobody to end it. One that dies is replaced at once, with all servers.
// POSIX only. It keeps no host alive and pins no folder. A server that was forgotten is never signalled. Nothing here throws:
// what goes wrong is reported, and the servers run on without the safety net.

import { type ChildProcess, spawn } from 'node:child_process';
import { type Clock, systemClock } from '../../base/clock.ts';
import { ProcessError, toError } from '../../base/errors.ts';
import { watchdogScript } from './watchdog-script.ts';

export interface WatchedServer {
  /** In the environment of the server and of all it starts (mark.ts). */
  mark: string;
  /** Once it is spawned. */
  group?: number;
  /** Of the leader, in ticks since boot, where the system tells. */
  startTicks?: number | undefined;
  /** Whether what left the server's session is spared. */
  keepDaemons?: boolean | undefined;
}

export type WatchdogFailure = (error: ProcessError) => void;

export interface WatchdogOptions {
  /** Called once for each watchdog lost. A warning of the process unless given. */
  onFailure?: WatchdogFailure;
  /** The POSIX shell to run. */
  shell?: string;
  clock?: Clock;
}

/** One that keeps dying is replaced so often in a period; then the next server that is started, or the next period, has a new one. */
const maxReplacements = 3;
const periodMs = 10_000;

export class Watchdog {
  readonly #lines = new Map<string, string>(); // mark → what the watchdog knows of that server
  readonly #shell: string;
  readonly #onFailure: WatchdogFailure;
  readonly #clock: Clock;
  #process: ChildProcess | undefined;
  #replacedAtMs: number[] = [];

  constructor({
    onFailure = (error) => process.emitWarning(error),
    shell = '/bin/sh',
    clock = systemClock,
  }: WatchdogOptions = {}) {
    this.#onFailure = onFailure;
    this.#shell = shell;
    this.#clock = clock;
  }

  /** Undefined while there is none. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** To be called before the spawn, and again with the group in the turn of the spawn. */
  watch({ mark, group = 0, startTicks = 0, keepDaemons = false }: WatchedServer): void {
    const known = group > 1 ? group : 0; // to kill(2), 0 is our own group and -1 is everyone
    const line = `+ ${mark}:${known}:${startTicks}:${keepDaemons ? 1 : 0}\n`;
    this.#lines.set(mark, line);
    if (this.#process) this.#tell(line);
    else this.#start();
  }

  forget(mark: string): void {
    if (this.#lines.delete(mark)) this.#tell(`- ${mark}\n`);
  }

  /** Ends the watch as if the host had vanished: what is still watched is ended. */
  close(): void {
    const watchdog = this.#process;
    this.#process = undefined;
    this.#lines.clear();
    watchdog?.stdin?.end();
  }

  #start(): void {
    try {
      const watchdog = spawn(this.#shell, ['-c', watchdogScript(), 'standpipe-watchdog'], {
        detached: true, // its own session: signals meant for the host's group or terminal pass it by
        cwd: '/',
        env: { PATH: `${process.env.PATH ?? ''}:/usr/bin:/bin`, LC_ALL: 'C' }, // for `sleep`, `grep` and `ps`
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      this.#process = watchdog;
      watchdog.on('error', (error) => this.#lost(watchdog, error));
      watchdog.on('exit', (code, signal) => this.#lost(watchdog, new Error(`it exited with ${signal ?? code}`)));
      watchdog.stdin?.on('error', (error) => this.#lost(watchdog, error));
      watchdog.unref();
      (watchdog.stdin as Partial<import('node:net').Socket> | null)?.unref?.();
      this.#tell([...this.#lines.values()].join(''));
    } catch (error) {
      this.#lost(this.#process, toError(error));
    }
  }

  // A line is in the pipe when write() returns: libuv writes at once what the pipe can take. If the watchdog has died without
  // our knowing yet, the error is known as well, and a new one must be there before the caller goes on.
  #tell(lines: string): void {
    const watchdog = this.#process;
    if (!watchdog?.stdin?.writable) return;
    watchdog.stdin.write(lines);
    if (watchdog.pid !== undefined && watchdog.stdin.errored) this.#lost(watchdog, watchdog.stdin.errored);
  }

  #lost(watchdog: ChildProcess | undefined, cause: Error): void {
    if (this.#process !== watchdog) return; // reported already
    this.#process = undefined;
    // One that could not even be spawned would fail again: the next server is the time to try.
    if (watchdog?.pid !== undefined && this.#lines.size > 0) {
      if (this.#mayReplace()) this.#start();
      else this.#clock.after(periodMs, () => this.#startAgain()).keepAlive(false);
    }
    const hint = this.#process
      ? 'It was replaced. Find out what ends it: servers are not guarded without a watchdog.'
      : 'The servers keep running, but they would outlive this process if it were killed. Check that /bin/sh can be run.';
    this.#onFailure(new ProcessError('WATCHDOG_FAILED', `The watchdog failed: ${cause.message}`, { hint, cause }));
  }

  #startAgain(): void {
    if (!this.#process && this.#lines.size > 0) this.#start();
  }

  #mayReplace(): boolean {
    const nowMs = this.#clock.nowMs();
    this.#replacedAtMs = this.#replacedAtMs.filter((atMs) => atMs > nowMs - periodMs);
    if (this.#replacedAtMs.length >= maxReplacements) return false;
    this.#replacedAtMs.push(nowMs);
    return true;
  }
}
