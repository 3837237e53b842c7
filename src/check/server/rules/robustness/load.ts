// Many requests, a client that reads slowly, and the memory that is left.

import { notApplicable, violation } from '../../../verdict.ts';
import type { ServerRule } from '../../server-rule.ts';
import { allAnswered, burstOf } from '../answers.ts';
import { ofLength } from '../long-requests.ts';
import { expected, responses } from '../wire/sources.ts';

const THOUSAND = 1_000;

export const thousandRequests: ServerRule = {
  id: 'robustness/thousand-requests',
  level: 'MUST',
  title: 'answer a thousand requests at once',
  says: 'A server answers every request, if only with an error: it does not lose those that it has no room for. A server that takes longer than 20 ms for one gets fewer, at least 100.',
  source: responses,
  fix: { any: 'Wait with reading stdin while the queue is full, or answer with an error. Do not drop requests.' },
  runs: 'once',
  uses: 'shared',
  isHeavy: true,
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    const length = await burstOf(conversation, THOUSAND);
    const pings = Array.from({ length }, () => conversation.ping(undefined, { _meta: { padding: 'x' } }));
    for (const ping of pings) conversation.probe.send(ping);
    await allAnswered(
      ruleRun,
      conversation,
      pings.map(({ id }) => id),
      'that were sent at once',
    );
  },
};

const SLOW_REQUESTS = 500;
const SLOW_PADDING = 4_000;
const BLOCKED_MS = 1_000;

export const slowReader: ServerRule = {
  id: 'robustness/slow-reader',
  level: 'MUST',
  title: 'not lose answers while the client does not read',
  says: 'A server answers every request. While the client is busy the pipe is full: the server waits, and loses nothing.',
  source: responses,
  fix: {
    node: "Keep what process.stdout.write does not take at once: it returns false and emits 'drain' later.",
    any: 'Wait until stdout takes the whole message. Do not set it to non-blocking without handling EAGAIN.',
  },
  runs: 'once',
  uses: 'shared',
  isHeavy: true,
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    const { probe } = conversation;
    const length = await burstOf(conversation, SLOW_REQUESTS);
    const ids = Array.from({ length }, (_, at) => `slow-${at}-`.padEnd(SLOW_PADDING, '.'));
    probe.pauseReading();
    try {
      for (const id of ids) probe.send(conversation.ping(id));
      // Until the server has read all, or waits for the client itself. The verdict does not depend on the time.
      await probe.inputTakenUntilIdle(BLOCKED_MS);
    } finally {
      probe.resumeReading();
    }
    await allAnswered(ruleRun, conversation, ids, 'that were sent while stdout was not read');
  },
};

/** In each round, each answered before the next is sent. */
const ROUND = 16;
const ROUNDS = 5;
const PADDING = 256 * 1024;
/** Of what was sent. Healthy servers stay below 3; a virtual machine may collect its garbage late. */
const GROWTH = 16;

export const memory: ServerRule = {
  id: 'robustness/memory',
  level: 'ADVICE',
  title: 'keep memory bounded over many requests',
  says: 'A server that runs for days does not keep what it has answered.',
  source: expected,
  fix: { any: 'Look for tables and lists that get an entry for each message and never lose it.' },
  runs: 'once',
  uses: 'shared',
  isHeavy: true,
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    const { probe } = conversation;
    const round = async () => {
      for (let n = 0; n < ROUND; n++) {
        const ping = conversation.ping(undefined, { _meta: { padding: 'x'.repeat(PADDING) } });
        await ofLength(ruleRun, PADDING, async () => {
          probe.send(ping);
          await probe.answerTo(ping.id, 'a request of 256 KiB');
        });
      }
      return probe.process.residentBytes() ?? notApplicable('this system does not say how much memory a process uses');
    };
    const before = await round();
    let after = before;
    for (let n = 1; n < ROUNDS; n++) after = await round();
    const sent = (ROUNDS - 1) * ROUND * PADDING;
    if (after - before > GROWTH * sent) {
      violation(`After ${mib(sent)} of requests the server used ${mib(after - before)} more memory than before.`);
    }
  },
};

function mib(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
