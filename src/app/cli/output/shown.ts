// Shortens paths and reasons for tables on a terminal.

import { homedir } from 'node:os';
import { shellHere } from '../../../base/command-line.ts';
import type { Output } from './output.ts';

/** `~/project/mcp.json` on a terminal. A pipe gets the whole path: programs do not expand `~`, and neither do shells on Windows. */
export function shownPath(
  path: string,
  { onTerminal }: Pick<Output, 'onTerminal'>,
  home = homedir(),
  shell = shellHere,
): string {
  const isInside = home.length > 1 && (path === home || path.startsWith(home.endsWith('/') ? home : `${home}/`));
  return onTerminal && isInside && shell === 'posix' ? `~${path.slice(home.length)}` : path;
}

/** The part of an error message before its cause. In a table row the server is already named. */
const beginnings = [
  /^Server "[^"]*" (?:is not (?:running|connected)|cannot be reached): /,
  /^Could not connect(?: \([\w/]+\)| to \S+)?: /,
  /^Server ".*?" (?=(?:exited with|was ended by) )/,
];

/** Reason of a server state in a table. A pipe gets the whole message. */
export function shownReason(message: string, { onTerminal }: Pick<Output, 'onTerminal'>): string {
  return onTerminal ? causeOf(message) : message;
}

/** The cause in an error message: `exited with code 3 …` for `Could not connect (initialize): Server "node x.js" exited with code 3 …`. */
export function causeOf(message: string): string {
  return beginnings.reduce((text, beginning) => text.replace(beginning, ''), message);
}
