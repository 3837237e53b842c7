// Servers that end too early, and one that does not end.

import type { Scenario } from '../scenario.ts';

/** A server that ignores the end of its stdin and SIGTERM. */
export const stubborn: Scenario = { name: 'stubborn', ignoresEnd: true };

const CRASHED = 3;

/** A server that exits at the first request. */
export const crashAtStart: Scenario = { name: 'crash-at-start', first: (_, { server }) => server.exit(CRASHED) };

/** A server that exits during a call. */
export const crashAtCall: Scenario = {
  name: 'crash-at-call',
  on: { 'tools/call': (_, { server }) => server.exit(CRASHED) },
};
