// Copies a call as a command, or announces why that is not possible.

import type { CallRequest } from '../../../src/app/inspector/api.ts';
import { lossOf, parseExact } from '../json/exact-json.ts';
import { commandLine, holdsReplacedSecret } from '../text/command-line.ts';
import { copyText } from '../text/copy.ts';
import { announce } from './announce.ts';
import { servers } from './inspected.ts';
import { secretsShown } from './secrets.ts';

export function commandOf(server: string, request: CallRequest): string | undefined {
  const reach = servers.read().find(({ name }) => name === server)?.reach;
  return reach && commandLine(reach, request);
}

export async function copyCommand(server: string, request: CallRequest): Promise<void> {
  const command = commandOf(server, request);
  if (command === undefined) {
    announce('Not copied: the command line cannot reach this server. It is behind a tap or in a recording.', 'bad');
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
