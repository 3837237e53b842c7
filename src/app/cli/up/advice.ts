// Advice for servers that have failed or cannot be reached: the reason, the next step, and how to restart.

import { shellWord } from '../../../base/command-line.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { isAway, type ServerStatus } from '../../../host/supervision/server-state.ts';
import { causeOf } from '../output/shown.ts';
import { stdoutLine } from '../show-error.ts';

const STDERR_LINES = 3;

/** Empty unless the server failed or is unreachable. `place`: file and line of its entry. `sameConfig`: options that select this host. */
export function adviceFor(status: ServerStatus, place: string, sameConfig: string): string[] {
  if (!isAway(status.state)) return [];
  const { message, hint, evidence, code } = status.lastExit ?? {};
  const restart = `${ownCommand} restart ${shellWord(visibleLine(status.name))}${visibleLine(sameConfig)}`;
  const stderr = (evidence?.stderrTail ?? '').trimEnd().split('\n').filter(Boolean).slice(-STDERR_LINES);
  return [
    `${visibleLine(status.name)} ${status.state === 'failed' ? 'failed' : 'cannot be reached'}: ${visibleLine(causeOf(message ?? status.reason))}`,
    ...(evidence?.firstNoise ? [stdoutLine(evidence.firstNoise)] : []),
    ...stderr.map((line) => `  stderr: ${visibleLine(line)}`),
    ...(hint ? [`  ${visibleLine(hint)}`] : []),
    code === 'LOGIN_REQUIRED'
      ? `  It connects after the login. To retry without a login: ${restart}`
      : status.state === 'failed'
        ? `  Change ${visibleLine(place)}, or fix the server and run: ${restart}`
        : `  The host retries at least every 30 s and for each call. To retry now: ${restart}`,
  ];
}
