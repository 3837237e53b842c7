// A call as a command line: `standpipe call <server> <tool> name=value name:=json …`.

import type { CallRequest, Reach } from '../../../src/app/inspector/api.ts';
import { shellWords } from '../../../src/base/command-line.ts';

/** A call that the command line has a command for. */
export type SimpleCall = Exclude<CallRequest, { kind: 'request' }>;

export function commandLine({ server, options, command }: Reach, request: SimpleCall): string {
  const behind = command === undefined ? [] : ['--', ...command];
  return shellWords(['standpipe', ...wordsOf(request, server), ...options, ...behind]);
}

function wordsOf(request: SimpleCall, server: string | undefined): string[] {
  const at = server === undefined ? [] : [server];
  if (request.kind === 'resource') return ['read', ...at, request.uri];
  if (request.kind === 'prompt') return ['prompt', ...at, request.name, ...argumentWords(request.args)];
  const args = request.argsText === undefined ? argumentWords(request.args) : ['--args', request.argsText];
  return ['call', ...at, request.name, ...args];
}

/** Values that the command would read as a file, stdin, an empty value or JSON. */
const ambiguous = /^(?:@|-$|$|[-+.\d{["]|(?:true|false|null)$)/i;

function argumentWords(args: Record<string, unknown>): string[] {
  const plainNames = Object.keys(args).every((name) => /^[A-Za-z_]\w*$/.test(name));
  if (!plainNames) return ['--args', JSON.stringify(args)];
  return Object.entries(args).map(([name, value]) =>
    typeof value === 'string' && !ambiguous.test(value) ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`,
  );
}

const replacedSecret = /\[redacted\]|\[env [^\]]+\]/;

/** Whether a secret was replaced in the text, so that the command would behave differently. */
export function holdsReplacedSecret(text: string): boolean {
  return replacedSecret.test(text);
}
