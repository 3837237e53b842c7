// Ends the servers of a host that was killed, even by SIGKILL. One `sh` per host reads a pipe to which the host writes its servers. The end
// of the pipe is the end of the host; watchdog-script.ts defines what happens then.
// Invariant: the watchdog runs, and has the mark of a server in its pipe, before that server is spawned, so that every server is guarded at
// all times. A watchdog that dies is replaced immediately, with all servers.
// Servers that run under a lease are also killed, while the host runs, if the lease is not renewed in time: a host that hangs or is
// suspended cannot stop them itself. Each session has its own deadline, because a process can contain several fleet nodes.
// POSIX only. It does not keep the host alive and does not block a folder. A forgotten server is never signalled. The functions do not
// throw: errors are reported, and the servers keep running without a watchdog.

import { type ChildProcess, spawn } from 'node:child_process';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { ProcessError, toError } from '../../../base/errors.ts';
import { watchdogScript } from './watchdog-script.ts';

interface WatchdogTarget {
  /** Set in the environment of the server and of all processes it starts (mark.ts). */
  mark: string;
  /** Process group, known after the spawn. */
  group?: number;
  /** Start time of the leader in ticks since boot, if the system reports it. */
  startTicks?: number | undefined;
  /** If true, processes that left the server's session are spared. */
  keepDaemons?: boolean | undefined;
  /** Session id of the server's lease. The server is killed if the lease is not renewed in time. */
  lease?: string | undefined;
}

export type WatchdogFailure = (error: ProcessError) => void;

export interface WatchdogOptions {
  /** Called once for each watchdog that died. Default: a process warning. */
  onFailure?: WatchdogFailure;
  /** The POSIX shell to run. */
  shell?: string;
  clock?: Clock;
}

/** Limit of replacements per period. After that, a new watchdog is started with the next server, or in the next period. */
const maxReplacements = 3;
const periodMs = 10_000;

/**
 * Fractions of a lease's lifetime since its last renewal; NATS expires it at 1. A lifetime of 5 s gives whole seconds,
 * as POSIX `sleep` requires.
 */
const TICK = 0.2;
const TICKS = 4;

interface Lease {
  /** Identifies the lease in the lines for the watchdog. */
  readonly number: number;
  /** Marks of the servers that run under the lease. */
  readonly marks: Set<string>;
  endsAtMs: number;
  endsAtWallMs: number;
  tickMs: number;
}

export class Watchdog {
  readonly #lines = new Map<string, string>(); // mark → the line that was written for that server
  readonly #shell: string;
  readonly #onFailure: WatchdogFailure;
  readonly #clock: Clock;
  /** Leases, keyed by session id. */
  readonly #leases = new Map<string, Lease>();
  #lastLease = 0;
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

  /** The pid of the watchdog; undefined while none runs. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Must be called before the spawn, and again with `group` in the same turn of the event loop as the spawn. */
  watch({ mark, group = 0, startTicks = 0, keepDaemons = false, lease: session }: WatchdogTarget): void {
    const known = group > 1 ? group : 0; // for kill(2), 0 is our own group and -1 is every process
    const lease = session === undefined ? undefined : this.#leaseOf(session);
    const line = `+ ${mark}:${known}:${startTicks}:${keepDaemons ? 1 : 0}${numberOf(lease)}\n`;
    this.#lines.set(mark, line);
    lease?.marks.add(mark);
    if (this.#process) this.#tell(line + this.#leaseLine(lease));
    else this.#start();
  }

  forget(mark: string): void {
    if (!this.#lines.delete(mark)) return;
    const lease = [...this.#leases.values()].find(({ marks }) => marks.delete(mark));
    this.#tell(`- ${mark}${numberOf(lease)}\n${this.#leaseLine(lease)}`);
  }

  /** Records that the lease of a session was renewed `ageMs` ago, or granted for the first time. */
  renewLease(session: string, ageMs: number, lifetimeMs: number): void {
    for (const [known, { marks }] of this.#leases) {
      if (marks.size === 0 && !this.holdsLease(known)) this.#leases.delete(known);
    }
    const lease = this.#leaseOf(session);
    const tickMs = TICK * lifetimeMs;
    const leftMs = TICKS * tickMs - ageMs;
    Object.assign(lease, { endsAtMs: this.#clock.nowMs() + leftMs, endsAtWallMs: Date.now() + leftMs, tickMs });
    if (lease.marks.size > 0) this.#tell(this.#leaseLine(lease));
  }

  /**
   * Returns true if a server may start under this lease now, by both clocks. A host that was suspended may process a
   * due start before it notices that its lease was lost, or after it has a new one; another host may run the server by
   * then.
   */
  holdsLease(session: string): boolean {
    const lease = this.#leases.get(session);
    return lease !== undefined && this.#clock.nowMs() < lease.endsAtMs && Date.now() < lease.endsAtWallMs;
  }

  /** Ends all watched servers, as if the host had been killed. */
  close(): void {
    const watchdog = this.#process;
    this.#process = undefined;
    this.#lines.clear();
    for (const { marks } of this.#leases.values()) marks.clear();
    watchdog?.stdin?.end();
  }

  #start(): void {
    try {
      const watchdog = spawn(this.#shell, ['-c', watchdogScript(), 'standpipe-watchdog'], {
        detached: true, // the watchdog has its own session: unaffected by signals to the host's group or terminal
        cwd: '/',
        env: { PATH: `${process.env.PATH ?? ''}:/usr/bin:/bin`, LC_ALL: 'C' }, // the folders of `sleep`, `grep` and `ps`
        stdio: ['pipe', 'ignore', 'ignore'],
        windowsHide: true,
      });
      this.#process = watchdog;
      watchdog.on('error', (error) => this.#lost(watchdog, error));
      watchdog.on('exit', (code, signal) => this.#lost(watchdog, new Error(`it exited with ${signal ?? code}`)));
      watchdog.stdin?.on('error', (error) => this.#lost(watchdog, error));
      watchdog.unref();
      (watchdog.stdin as Partial<import('node:net').Socket> | null)?.unref?.();
      const leases = [...this.#leases.values()].filter(({ marks }) => marks.size > 0);
      this.#tell([...this.#lines.values(), ...leases.map((lease) => this.#leaseLine(lease))].join(''));
    } catch (error) {
      this.#lost(this.#process, toError(error));
    }
  }

  /** A lease that was never renewed counts as expired. */
  #leaseOf(session: string): Lease {
    const known = this.#leases.get(session);
    if (known) return known;
    const lease = { number: ++this.#lastLease, marks: new Set<string>(), endsAtMs: 0, endsAtWallMs: 0, tickMs: 1_000 };
    this.#leases.set(session, lease);
    return lease;
  }

  /** Rounds down to whole ticks, but tolerates a missing tenth of a tick: the duration of the renewal itself. */
  #leaseLine(lease: Lease | undefined): string {
    if (!lease) return '';
    const { number, endsAtMs, tickMs } = lease;
    const left = Math.max(0, Math.floor((endsAtMs - this.#clock.nowMs()) / tickMs + 0.1));
    return `= ${number} ${left} ${TICKS} ${tickMs / 1000}\n`;
  }

  // A line is in the pipe when write() returns: libuv immediately writes as much as the pipe can take. If the watchdog has died unnoticed,
  // the write error shows it, and a new one must run before the caller continues.
  #tell(lines: string): void {
    const watchdog = this.#process;
    if (!watchdog?.stdin?.writable) return;
    watchdog.stdin.write(lines);
    if (watchdog.pid !== undefined && watchdog.stdin.errored) this.#lost(watchdog, watchdog.stdin.errored);
  }

  #lost(watchdog: ChildProcess | undefined, cause: Error): void {
    if (this.#process !== watchdog) return; // the failure was already reported
    this.#process = undefined;
    // A watchdog that could not be spawned would fail again: retry with the next server.
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

function numberOf(lease: Lease | undefined): string {
  return lease ? ` ${lease.number}` : '';
}
