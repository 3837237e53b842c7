// The process table of Linux (/proc): parent, group and session of every process. Reading takes about 40 µs per process and does not access
// the disk. Other systems have no table.

import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** Start time in ticks since boot. With the pid it identifies a process, although pids are reused. */
  startTicks: number;
  /** Exited but not yet reaped. Containers without an init process never reap. */
  dead: boolean;
}

/** Returns undefined without a readable /proc, for example in a chroot or with too many open files. */
export function readProcessTable(): ProcessRow[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const rows: ProcessRow[] = [];
    for (const name of readdirSync('/proc')) {
      const first = name.charCodeAt(0);
      const row = first >= 48 && first <= 57 ? readStat(name) : undefined;
      if (row) rows.push(row);
    }
    return rows.length === 0 ? undefined : rows;
  } catch {
    return undefined; // an incomplete table would make living processes look dead
  }
}

export function readProcessRow(pid: number): ProcessRow | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readStat(String(pid));
  } catch {
    return undefined;
  }
}

/** Resident memory of a process. Undefined without /proc or if the process has exited. */
export function readResidentBytes(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const [, kilobytes] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Resident memory of a session leader, its session and its descendants. Undefined without /proc or if all have exited. */
export function residentBytesOfSession(leader: number): number | undefined {
  const table = readProcessTable() ?? [];
  const members = new Set(
    table.filter(({ pid, session }) => pid === leader || session === leader).map(({ pid }) => pid),
  );
  for (let before = 0; before < members.size; ) {
    before = members.size;
    for (const { pid, parent } of table) if (members.has(parent)) members.add(pid);
  }
  return members.size === 0 ? undefined : [...members].reduce((sum, pid) => sum + (readResidentBytes(pid) ?? 0), 0);
}

function readStat(pid: string): ProcessRow | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined; // the process exited after the listing
    throw error;
  }
}

/** proc(5): `pid (name) state ppid pgrp session …`. The name may contain spaces and parentheses. */
export function parseStat(stat: string): ProcessRow {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 20); // the fields up to number 22
  const field = (number: number) => Number(fields[number - 3]); // fields are numbered as in proc(5)
  const state = fields[0];
  // A main thread can end before other threads. The process is then shown as a zombie but still runs.
  const dead = (state === 'Z' || state === 'X') && field(20) <= 1;
  return {
    pid: Number.parseInt(stat, 10),
    parent: field(4),
    group: field(5),
    session: field(6),
    startTicks: field(22),
    dead,
  };
}
