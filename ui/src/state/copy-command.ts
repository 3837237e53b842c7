// Copies a call as a command, or announces why that is not possible.

import type { CallRequest } from '../../../src/app/inspector/api.ts';
import { lossOf, parseExact, writeExact } from '../json/exact-json.ts';
import { commandLine, holdsReplacedSecret } from '../text/command-line.ts';
import { copyText } from '../text/copy.ts';
import { announce } from './announce.ts';
import { subjectOf } from './calls.ts';
import { servers } from './inspected.ts';
import { secretsShown } from './secrets.ts';

export function commandOf(server: string, request: CallRequest): string | undefined {
  const reach = servers.read().find(({ name }) => name === server)?.reach;
  return reach && request.kind !== 'request' ? commandLine(reach, request) : undefined;
}

export async function copyCommand(server: string, request: CallRequest): Promise<void> {
  const command = commandOf(server, request);
  if (command === undefined) {
    await copyText(writtenCall(request), 'Request');
    announce('Copied as JSON: the command line cannot reach this server. It is behind a tap or in a recording.');
  } else if (holdsReplacedSecret(command)) {
    const cure = secretsShown
      ? 'The secrets were replaced before the message was stored.'
      : 'Use “Show secrets” in the header first.';
    announce(`Not copied: the message contains secrets, which are shown as placeholders. ${cure}`, 'bad');
  } else {
    await copyText(command, 'Command');
    const loss = request.kind === 'tool' && request.argsText && lossOf(parseExact(request.argsText));
    if (loss) announce(`The command line reads JSON numbers and keys as JavaScript does: ${loss}`, 'bad');
  }
}

/** The request as JSON, with all digits of its arguments. */
function writtenCall(request: CallRequest): string {
  const exact = request.kind === 'tool' && request.argsText ? parseExact(request.argsText) : undefined;
  const { kind: _, ...members } = request;
  return exact === undefined
    ? writeExact(members, '  ')
    : writeExact({ name: subjectOf(request), arguments: exact }, '  ');
}
