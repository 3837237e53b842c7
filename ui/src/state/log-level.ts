// The log level that the page chose for each server. Servers do not report theirs, so a level is known only after it was chosen.

import { logLevels } from '../../../src/mcp/meta.ts';
import type { LogLevel } from '../../../src/mcp/types.ts';
import { api } from '../api/request.ts';
import { announce } from './announce.ts';
import { Cell } from './cell.ts';

export { type LogLevel, logLevels };

export const chosenLevels = new Cell<Readonly<Record<string, LogLevel>>>({});

export async function chooseLogLevel(server: string, level: LogLevel): Promise<void> {
  try {
    await api.setLogLevel(server, level);
    chosenLevels.update((known) => ({ ...known, [server]: level }));
    announce(`${server} sends log messages from “${level}” on`, 'good');
  } catch (error) {
    announce(`The log level was not set: ${(error as Error).message}`, 'bad');
  }
}
