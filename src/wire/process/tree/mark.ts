// A mark is a random string in a server's environment, inherited by all processes that it starts. It identifies processes that left the
// group and the session of the server and lost their parent: daemons, and processes started while the host was killed.
// The variable holds a list, outermost host first, because a server can itself be a host. A mark is not a secret.
//
// A background host outlives the server that started it: `leaveTrees` removes the marks from its environment and records there which
// trees it left, because it stays a descendant of that server.

import { readFileSync } from 'node:fs';
import { readProcessRow } from './process-table.ts';

export const marksVariable = 'STANDPIPE_MARKS';
const leftVariable = 'STANDPIPE_LEFT';

/** 100 random bits, then pid and start time of this process. Does not use node:crypto, which takes milliseconds to load. */
export function newMark(): string {
  let mark = '';
  while (mark.length < 20) mark += Math.floor(Math.random() * 32).toString(32);
  ownStart ??= readProcessRow(process.pid)?.startTicks ?? 0;
  return `${mark}w${process.pid.toString(32)}w${ownStart.toString(32)}`;
}

let ownStart: number | undefined;

/** The process that made the mark. Undefined for a mark of an earlier version, or if its start time is unknown. */
export function hostOfMark(mark: string): { pid: number; startTicks: number } | undefined {
  const [, pid, start] = /^[0-9a-v]{20}w([0-9a-v]{1,7})w([0-9a-v]{2,12})$/.exec(mark) ?? [];
  if (pid === undefined || start === undefined) return undefined;
  return { pid: Number.parseInt(pid, 32), startTicks: Number.parseInt(start, 32) };
}

export function addMark(environment: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  const outer = environment[marksVariable];
  return { ...environment, [marksVariable]: outer ? `${outer} ${mark}` : mark };
}

/** Returns undefined if unknown: the process is still being started, or is a zombie or a kernel thread. */
export function hasMark(pid: number, mark: string): boolean | undefined {
  try {
    const environ = readFileSync(`/proc/${pid}/environ`);
    return environ.length === 0 ? undefined : environ.includes(mark);
  } catch {
    return false; // the process has exited or belongs to another user
  }
}

/** Returns the environment for a process that must not belong to the process trees of this process. */
export function leaveTrees(
  environment: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const { [marksVariable]: _, ...rest } = environment;
  const marks = own[marksVariable];
  return marks ? { ...rest, [leftVariable]: reversed(marks) } : rest;
}

/** Returns true if the process, although a descendant, left the tree with this mark. */
export function hasLeft(pid: number, mark: string): boolean {
  return hasMark(pid, reversed(mark)) === true;
}

/** Marks of trees that a process left are stored reversed, so that a search for a mark does not match them. */
function reversed(marks: string): string {
  return [...marks].reverse().join('');
}
