// All scenarios. Those that take longest are started first.

import type { Scenario } from '../scenario.ts';

/** A server of all revisions that does nothing unusual. */
export const plain: Scenario = { name: 'plain' };

/** A server of one older revision, that refuses `server/discover`. */
export const older: Scenario = { name: 'older', speaks: { only: 'legacy', version: '2025-03-26' } };

/** A server that ignores the end of its stdin and SIGTERM. */
export const stubborn: Scenario = { name: 'stubborn', ignoresEnd: true, timeoutMs: 30_000 };

export const scenarios: readonly Scenario[] = [stubborn, plain, older];
