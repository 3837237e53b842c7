// A server and everything it started, as one thing that can be signalled and asked whether it is still there.
// The leader is spawned with `detached`, so it leads its own group and session; wrappers such as npx leave grandchildren.
//
// On Linux a member is: the leader, every process in its group or its session or with its mark (mark.ts), every descendant of
// those, and every process that was once seen to be one (so an escaped child is still known after its parent died and it was
// handed to init). With `keepDaemons` it is the group and the session alone: what has left both is a daemon, and is let go.
// Not found: a process that left the session, lost its parent and hides its environment, all before the first look.
// On macOS and other POSIX systems: the group alone. On Windows: what `taskkill /T` finds below a living leader.

import { spawn } from 'node:child_process';
import { hasMark } from './mark.ts';
import { type ProcessRow, readProcessRow, readProcessTable } from './process-table.ts';
import { isRunning, sendSignal } from './signals.ts';

export type TreeSignal = 'SIGTERM' | 'SIGKILL';

export class ProcessTree {
  readonly leaderPid: number;
  readonly leaderStart: number | undefined;
  readonly #mark: string;
  readonly #keepDaemons: boolean;
  readonly #seen = new Map<number, number>(); // pid → startTicks of the members at the last look
  readonly #unmarked = new Map<number, number>(); // the same of those that are known to have no mark
  #groupOver = false;

  /** To be made in the turn of the spawn, while the pid cannot yet belong to anyone else. */
  constructor(leaderPid: number, mark: string, keepDaemons = false) {
    this.leaderPid = leaderPid;
    this.leaderStart = readProcessRow(leaderPid)?.startTicks;
    this.#mark = mark;
    this.#keepDaemons = keepDaemons;
  }

  /** Takes note of who belongs to the tree now: after the leader has died, strays can no longer be told by their parent. */
  look(): void {
    this.#members();
  }

  /** Whether any member still runs. A zombie does not. Once false, false for ever: the pid may serve someone else by now. */
  alive(): boolean {
    if (process.platform === 'win32') return isRunning(this.leaderPid);
    if (this.#anySeenAlive()) return true;
    let members = this.#members();
    // A look is not an instant: a member can fork after the listing and end before it is read. Then its group still answers.
    if (members?.length === 0 && isRunning(-this.leaderPid)) members = this.#members();
    if (members) {
      this.#groupOver ||= members.length === 0;
      return members.length > 0;
    }
    this.#groupOver ||= !isRunning(-this.leaderPid);
    return !this.#groupOver;
  }

  /** Signals every member. False when there was none. One that changed its user stays: `alive` keeps saying so. */
  signal(signal: TreeSignal): boolean {
    if (process.platform === 'win32') return this.#taskkill();
    const members = this.#members();
    if (!members) return !this.#groupOver && sendSignal(-this.leaderPid, signal);
    const inGroup = (row: ProcessRow) => row.group === this.leaderPid;
    // A look takes a while. Who has ended since is not signalled: the pid may be another's by now.
    let reached = members.some((row) => inGroup(row) && isSame(row)) && sendSignal(-this.leaderPid, signal);
    for (const row of members) if (!inGroup(row) && isSame(row)) reached = sendSignal(row.pid, signal) || reached;
    return reached;
  }

  /** The living members, or undefined where there is no process table. */
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
      if (row.dead || row.pid === process.pid || members.has(row)) return;
      members.add(row);
      if (!this.#keepDaemons) for (const child of children.get(row.pid) ?? []) add(child);
    };
    for (const row of table) if (this.#isOurs(row) || this.#isMarked(row)) add(row);

    this.#seen.clear();
    for (const row of members) this.#seen.set(row.pid, row.startTicks);
    return [...members];
  }

  /** Mostly enough, and much cheaper than the whole table. */
  #anySeenAlive(): boolean {
    for (const pid of this.#seen.keys()) {
      const row = readProcessRow(pid);
      if (row && !row.dead && this.#isOurs(row)) return true;
    }
    return false;
  }

  #isOurs(row: ProcessRow): boolean {
    if (!this.#keepDaemons && this.#seen.get(row.pid) === row.startTicks) return true;
    return !this.#groupOver && (row.group === this.leaderPid || row.session === this.leaderPid);
  }

  /** What began before the leader, or was found without the mark once, never has it. That spares reading most environments. */
  #isMarked({ pid, startTicks }: ProcessRow): boolean {
    if (this.#keepDaemons || startTicks < (this.leaderStart ?? 0) || this.#unmarked.get(pid) === startTicks)
      return false;
    const marked = hasMark(pid, this.#mark);
    if (marked === false) this.#unmarked.set(pid, startTicks);
    return marked === true;
  }

  /** A pid is given out again only once no group or session bears it: a stranger with the leader's pid means ours is over. */
  #noticeReuse(table: ProcessRow[]): void {
    const leader = table.find((row) => row.pid === this.leaderPid);
    if (leader && this.leaderStart !== undefined && leader.startTicks !== this.leaderStart) this.#groupOver = true;
  }

  #taskkill(): boolean {
    const taskkill = spawn('taskkill', ['/PID', String(this.leaderPid), '/T', '/F'], {
      windowsHide: true,
      stdio: 'ignore',
    });
    taskkill.on('error', () => sendSignal(this.leaderPid, 'SIGKILL')); // no taskkill: at least the leader
    return true;
  }
}

function isSame({ pid, startTicks }: ProcessRow): boolean {
  return readProcessRow(pid)?.startTicks === startTicks;
}
