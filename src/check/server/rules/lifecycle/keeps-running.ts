// A server that exits although nothing was asked. Without this rule the request that happens to be pending would be blamed.

import { violation } from '../../../verdict.ts';
import { perRevision } from '../../per-revision.ts';
import type { ServerRule } from '../../server-rule.ts';

/** Long enough for failures of work started at launch to show. */
export const IDLE_MS = 2_000;

/** How a process ends that is opened and gets no request. Undefined if it runs on. */
export const idleEnd = perRevision(async (ruleRun) => {
  const { probe } = await ruleRun.open();
  if (!(await probe.exitStatus(IDLE_MS))) return undefined;
  return { how: await probe.howItEnded(), proof: probe.transcript.entries };
});

export const keepsRunning: ServerRule = {
  id: 'lifecycle/keeps-running',
  level: 'MUST',
  title: 'keep running while its stdin is open',
  says: 'Every request gets an answer. A server that exits by itself while its client is connected leaves requests without one.',
  source: { of: 'json-rpc', anchor: 'response_object' },
  fix: {
    node: 'Read the error on stderr. Catch errors of timers and of promises that nobody awaits: they end the process.',
    python:
      'Read the traceback on stderr. Run the loop that reads stdin until its end, and catch the errors of other tasks.',
    any: 'Read the error on stderr. Run until the end of stdin, and catch the errors of background work.',
  },
  runs: 'once',
  uses: 'own',
  check: async (ruleRun) => {
    const end = await idleEnd(ruleRun);
    if (end) violation(`Without a request ${end.how} within ${IDLE_MS / 1000} s after it was opened.`, ...end.proof);
  },
};
