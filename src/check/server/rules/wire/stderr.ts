// Rules about stderr: the client may ignore it.

import type { ServerRule } from '../../server-rule.ts';
import { allAnswered, burstOf } from '../answers.ts';
import { stdio } from './sources.ts';

const REQUESTS = 400;
const PADDING = 'x'.repeat(2_000);

/** A server that logs each request whole writes more than a pipe holds. */
export const unreadStderr: ServerRule = {
  id: 'wire/stderr-may-be-unread',
  level: 'ADVICE',
  title: 'answer while stderr is not read',
  says: 'A client may ignore the stderr of a server. Some do not even read it.',
  source: stdio,
  fix: {
    python: 'Log through a logging.handlers.QueueHandler, and log less than whole messages.',
    java: 'Log through an asynchronous appender that discards when it is full.',
    any: 'Do not log whole messages by default, or log from a thread of its own that discards what stderr does not take.',
  },
  runs: 'once',
  uses: 'own',
  check: async (ruleRun) => {
    const conversation = await ruleRun.open();
    const { probe } = conversation;
    const length = await burstOf(conversation, REQUESTS);
    probe.pauseReading('stderr');
    const pings = Array.from({ length }, () => conversation.ping(undefined, { _meta: { padding: PADDING } }));
    for (const ping of pings) probe.send(ping);
    try {
      await allAnswered(
        ruleRun,
        conversation,
        pings.map(({ id }) => id),
        'while stderr was not read',
      );
    } finally {
      probe.resumeReading('stderr');
    }
  },
};
