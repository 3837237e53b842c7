// The same call as a command for a terminal: `standpipe call <server> <tool> name=value name:=json …`.

import type { CallRequest } from '../../../src/inspector/api.ts';

export function commandLine(server: string, request: CallRequest): string {
  if (request.kind === 'resource') return words('read', server, request.uri);
  const args = argumentWords(request.args);
  return words(request.kind === 'tool' ? 'call' : 'prompt', server, request.name, ...args);
}

function argumentWords(args: Record<string, unknown>): string[] {
  const plainNames = Object.keys(args).every((name) => /^[A-Za-z_][\w.]*$/.test(name));
  if (!plainNames) return ['--args', JSON.stringify(args)];
  return Object.entries(args).map(([name, value]) =>
    // `@file` and `-` mean something else to the command.
    typeof value === 'string' && !/^(?:@|-$|$)/.test(value) ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`,
  );
}

function words(...parts: string[]): string {
  return ['standpipe', ...parts.map(quoted)].join(' ');
}

/** Safe in any POSIX shell. */
function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
