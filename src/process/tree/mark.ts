// A random word in the environment of a server, inherited by everything it starts. It finds those that left the group and
// the session of the server and lost their parent: daemons, and what was started in the moment the host was killed.
// The variable holds a list, outermost host first, since a server can itself be a host with servers of its own.
// A mark names a server and protects nothing: it is no secret and need not be hard to guess.

import { readFileSync } from 'node:fs';

export const marksVariable = 'STANDPIPE_MARKS';

/** 100 bits. Without node:crypto, which takes milliseconds to load at the first start of a server. */
export function newMark(): string {
  let mark = '';
  while (mark.length < 20) mark += Math.floor(Math.random() * 32).toString(32);
  return mark;
}

export function addMark(environment: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  const outer = environment[marksVariable];
  return { ...environment, [marksVariable]: outer ? `${outer} ${mark}` : mark };
}

/** Undefined if that cannot be known now: the process is just being started, or is none (a zombie, a kernel thread). */
export function hasMark(pid: number, mark: string): boolean | undefined {
  try {
    const environ = readFileSync(`/proc/${pid}/environ`);
    return environ.length === 0 ? undefined : environ.includes(mark);
  } catch {
    return false; // it has ended, or belongs to another user
  }
}
