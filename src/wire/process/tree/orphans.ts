// Processes of servers whose hosts have all ended: the watchdog of a host did not end them, or they are daemons that an entry keeps. Found
// by the marks in their environment, so only on Linux and only processes of this user.

import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { hostOfMark, marksVariable } from './mark.ts';
import { type ProcessRow, readProcessTable } from './process-table.ts';

export interface Orphan {
  pid: number;
  /** Name of the program, without its arguments. */
  name: string;
}

/** The newest process is first. */
export function findOrphans(): Orphan[] {
  const table = readProcessTable() ?? [];
  const running = new Map(table.filter(({ dead }) => !dead).map((row) => [row.pid, row]));
  return [...running.values()]
    .filter(({ pid }) => isOrphan(pid, running))
    .sort((a, b) => b.startTicks - a.startTicks)
    .flatMap(({ pid }) => {
      const program = link(`/proc/${pid}/exe`);
      return program === undefined ? [] : [{ pid, name: basename(program) }]; // otherwise it has exited
    });
}

/** Marks of earlier versions do not name their host; a process with such a mark is not an orphan for certain. */
function isOrphan(pid: number, running: ReadonlyMap<number, ProcessRow>): boolean {
  const environ = read(`/proc/${pid}/environ`);
  const variable = environ?.split('\0').find((each) => each.startsWith(`${marksVariable}=`));
  if (variable === undefined || !sharesPids(pid)) return false;
  const hosts = variable
    .slice(marksVariable.length + 1)
    .split(' ')
    .map(hostOfMark);
  return hosts.every((host) => host && running.get(host.pid)?.startTicks !== host.startTicks);
}

/** Pids in the marks of another namespace, such as a container, are those of other processes here. */
function sharesPids(pid: number): boolean {
  const own = link('/proc/self/ns/pid');
  return own !== undefined && link(`/proc/${pid}/ns/pid`) === own;
}

function link(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined; // the process has exited
  }
}

/** Undefined if the process has exited or belongs to another user. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
