// Advice for servers that have failed: the reason, the next step, and how to restart.

import { shellWord } from '../../base/command-line.ts';
import type { ServerStatus } from '../../host/supervision/server-state.ts';
import { visibleLine } from '../output/visible.ts';

const STDERR_LINES = 3;

/** Empty for servers that have not failed. `place`: where its entry is. `sameConfig`: the options with which other commands find the host. */
export function adviceFor(status: ServerStatus, place: string, sameConfig: string): string[] {
  if (status.state !== 'failed') return [];
  const { message, hint, evidence } = status.lastExit ?? {};
  const stderr = (evidence?.stderrTail ?? '').trimEnd().split('\n').filter(Boolean).slice(-STDERR_LINES);
  return [
    `${visibleLine(status.name)} failed: ${visibleLine(message ?? status.reason)}`,
    ...stderr.map((line) => `  stderr: ${visibleLine(line)}`),
    ...(hint ? [`  ${visibleLine(hint)}`] : []),
    `  Change ${visibleLine(place)}, or fix the server and run: standpipe restart ${shellWord(visibleLine(status.name))}${visibleLine(sameConfig)}`,
  ];
}
