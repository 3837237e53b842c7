// Advice for servers that have failed: the reason, the next step, and how to restart.

import { shellWord } from '../../base/command-line.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import type { ServerStatus } from '../../host/supervision/server-state.ts';
import { visibleLine } from '../output/visible.ts';

const STDERR_LINES = 3;

/** Empty for servers that have not failed. */
export function adviceFor(status: ServerStatus, config: ServerConfig | undefined): string[] {
  if (status.state !== 'failed') return [];
  const { message, hint, evidence } = status.lastExit ?? {};
  const stderr = (evidence?.stderrTail ?? '').trimEnd().split('\n').filter(Boolean).slice(-STDERR_LINES);
  const place = config ? `${config.source.file}:${config.source.line}` : 'the config';
  return [
    `${visibleLine(status.name)} failed: ${visibleLine(message ?? status.reason)}`,
    ...stderr.map((line) => `  stderr: ${visibleLine(line)}`),
    ...(hint ? [`  ${visibleLine(hint)}`] : []),
    `  Change ${visibleLine(place)}, or fix the server and run: standpipe restart ${shellWord(visibleLine(status.name))}`,
  ];
}
