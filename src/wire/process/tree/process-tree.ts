// A server and all processes it started, as a unit that can be signalled and checked for running members.
// The leader is spawned with `detached`, so it leads its own group and session; wrappers such as npx leave grandchildren.
//
// On Linux the members are: the leader, every process in its group or session or with its mark (mark.ts), every descendant of those, and
// every process that was a member at an earlier check (so an escaped child is still known after its parent died and it was adopted by
// init). With `keepDaemons` only the group and the session count: a process that left both is a daemon. A background host that a member
// started is not a member, and neither are the servers of that host (`leaveTrees`).
// Not found: a process that left the session, lost its parent and hides its environment before the first check.
// On macOS and other POSIX systems: only the group. On Windows: the processes of the job (windows-job.ts), or without a job the processes
// that `taskkill /T` finds below a running leader.

import { spawn } from 'node:child_process';
import { windowsTool } from '../launch/system.ts';
import { hasLeft, hasMark } from './mark.ts';
import { type ProcessRow, readProcessRow, readProcessTable, readResidentBytes } from './process-table.ts';
import { isRunning, sendSignal } from './signals.ts';
import type { WindowsJob } from './windows-job.ts';

export type TreeSignal = 'SIGTERM' | 'SIGKILL';

export class ProcessTree {
  readonly leaderPid: number;
  readonly leaderStart: number | undefined;
  readonly #mark: string;
  readonly #keepDaemons: boolean;
  readonly #job: WindowsJob | undefined;
  readonly #seen = new Map<number, number>(); // pid → startTicks of the members at the last check
  readonly #unmarked = new Map<number, number>(); // pid → startTicks of processes known to lack the mark
  #groupOver = false;

  /** Must be created in the same turn as the spawn: later the pid may belong to another process. */
  constructor(leaderPid: number, mark: string, keepDaemons = false, job?: WindowsJob) {
    this.#job = job?.hold(leaderPid) ? job : undefined; // called first, because processes that the leader starts earlier are not held
    this.leaderPid = leaderPid;
    this.leaderStart = readProcessRow(leaderPid)?.startTicks;
    this.#mark = mark;
    this.#keepDaemons = keepDaemons;
  }

  /** Records the current members. After the leader has exited, strays can no longer be found by their parent. */
  look(): void {
    this.#members();
  }

  /**
   * Returns true if any member still runs. Zombies do not count. Once false, it stays false, because the pid may be
   * reused.
   */
  alive(): boolean {
    if (this.#job) return this.#job.alive();
    if (process.platform === 'win32') return isRunning(this.leaderPid);
    if (this.#anySeenAlive()) return true;
    let members = this.#members();
    // Reading the table takes time: a member can fork after the listing and exit before it is read. Its group then still exists.
    if (members?.length === 0 && isRunning(-this.leaderPid)) members = this.#members();
    if (members) {
      this.#groupOver ||= members.length === 0;
      return members.length > 0;
    }
    this.#groupOver ||= !isRunning(-this.leaderPid);
    return !this.#groupOver;
  }

  /** Resident memory of all members, or undefined if the system does not report it. */
  residentBytes(): number | undefined {
    return this.#members()?.reduce((sum, { pid }) => sum + (readResidentBytes(pid) ?? 0), 0);
  }

  /** Signals every member. False if there was none. A member that changed its user is not reached: `alive` stays true. */
  signal(signal: TreeSignal): boolean {
    if (this.#job) return this.#job.terminate();
    if (process.platform === 'win32') return this.#taskkill();
    const members = this.#members();
    if (!members) return !this.#groupOver && sendSignal(-this.leaderPid, signal);
    const inGroup = (row: ProcessRow) => row.group === this.leaderPid;
    // Reading the table takes time. A process that has exited since is not signalled, because its pid may be reused.
    let reached = members.some((row) => inGroup(row) && isSame(row)) && sendSignal(-this.leaderPid, signal);
    for (const row of members) if (!inGroup(row) && isSame(row)) reached = sendSignal(row.pid, signal) || reached;
    return reached;
  }

  /** The running members, or undefined without a process table. */
  #members(): ProcessRow[] | undefined {
    const table = readProcessTable();
    if (!table) return undefined;
    this.#noticeReuse(table);

    const children = new Map<number, ProcessRow[]>();
    for (const row of table) {
      const siblings = children.get(row.parent);
      if (siblings) siblings.push(row);
      else children.set(row.parent, [row]);
    }
    const members = new Set<ProcessRow>();
    const add = (row: ProcessRow) => {
      if (row.dead || row.pid === process.pid || members.has(row) || this.#hasLeft(row)) return;
      members.add(row);
      if (!this.#keepDaemons) for (const child of children.get(row.pid) ?? []) add(child);
    };
    for (const row of table) if (this.#isOurs(row) || this.#isMarked(row)) add(row);

    this.#seen.clear();
    for (const row of members) this.#seen.set(row.pid, row.startTicks);
    return [...members];
  }

  /** Checks only the members of the last check, which is usually sufficient and much cheaper than the whole table. */
  #anySeenAlive(): boolean {
    for (const pid of this.#seen.keys()) {
      const row = readProcessRow(pid);
      if (row && !row.dead && this.#isOurs(row) && !this.#hasLeft(row)) return true;
    }
    return false;
  }

  #isOurs(row: ProcessRow): boolean {
    if (!this.#keepDaemons && this.#seen.get(row.pid) === row.startTicks) return true;
    return !this.#groupOver && (row.group === this.leaderPid || row.session === this.leaderPid);
  }

  /**
   * Only the leader of another session can have left the tree. The result is not cached, because a process has the
   * environment of its parent until it runs its program.
   */
  #hasLeft({ pid, session }: ProcessRow): boolean {
    return session === pid && pid !== this.leaderPid && hasLeft(pid, this.#mark);
  }

  /** A process that started before the leader, or was once found without the mark, never has it. So most environments are not read. */
  #isMarked({ pid, startTicks }: ProcessRow): boolean {
    if (this.#keepDaemons || startTicks < (this.leaderStart ?? 0) || this.#unmarked.get(pid) === startTicks)
      return false;
    const marked = hasMark(pid, this.#mark);
    if (marked === false) this.#unmarked.set(pid, startTicks);
    return marked === true;
  }

  /** A pid is reused only when neither a group nor a session has it: another process with the leader's pid means that our tree has ended. */
  #noticeReuse(table: ProcessRow[]): void {
    const leader = table.find((row) => row.pid === this.leaderPid);
    if (leader && this.leaderStart !== undefined && leader.startTicks !== this.leaderStart) this.#groupOver = true;
  }

  #taskkill(): boolean {
    const taskkill = spawn(windowsTool('taskkill.exe'), ['/PID', String(this.leaderPid), '/T', '/F'], {
      windowsHide: true,
      stdio: 'ignore',
    });
    taskkill.on('error', () => sendSignal(this.leaderPid, 'SIGKILL')); // without taskkill, kill at least the leader
    return true;
  }
}

function isSame({ pid, startTicks }: ProcessRow): boolean {
  return readProcessRow(pid)?.startTicks === startTicks;
}
