// What a server does with requests that come before `initialize`. Clients of both eras ask `server/discover` first.

import { NEWEST_MODERN } from '../../../../mcp/revisions.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { initializeParams, withEnvelope } from '../../conversation.ts';
import { isAnswering } from '../../initialize.ts';
import { perRevision } from '../../per-revision.ts';
import type { Frame, Probe } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';

const common = {
  level: 'SHOULD',
  source: { of: 'standpipe' },
  until: '2025-11-25',
  runs: 'once',
  uses: 'own',
} as const satisfies Partial<ServerRule>;

interface Early {
  probe: Probe;
  /** The answers to the early requests, as far as they came. */
  answers: readonly (Frame | undefined)[];
  /** The answer to `initialize`. */
  opening: Frame | undefined;
}

/**
 * Sends requests and then `initialize`. Its answer, and those to pings after it, prove that the requests have been read. The same requests
 * again take as long to answer as the early ones, where a server answers several at a time.
 */
async function early(ruleRun: ServerRuleRun, requests: readonly object[]): Promise<Early> {
  const probe = await ruleRun.start();
  const send = (request: object) => {
    const id = probe.newId();
    probe.send({ jsonrpc: '2.0', id, ...request });
    return id;
  };
  const ids = requests.map(send);
  const id = probe.newId();
  probe.send({ jsonrpc: '2.0', id, method: 'initialize', params: initializeParams(ruleRun.revision) });
  const opening = await probe.maybe(() => probe.answersTo(id)[0]);
  if (opening && (await isAnswering(probe, ruleRun.simplestMethod))) {
    const isAnswered = (each: number) => probe.answersTo(each)[0] !== undefined;
    for (const request of requests.filter((_, at) => !isAnswered(ids[at]!))) {
      const again = send(request);
      await probe.maybe(() => probe.answersTo(again)[0] ?? probe.anonymousErrorTo(again));
    }
    await isAnswering(probe, ruleRun.simplestMethod);
  }
  return { probe, answers: ids.map((each) => probe.answersTo(each)[0]), opening };
}

const discoverFirst = perRevision((ruleRun) =>
  early(ruleRun, [{ method: 'server/discover', params: withEnvelope(undefined, NEWEST_MODERN, {}) }]),
);

export const initializeAfterDiscover: ServerRule = {
  ...common,
  id: 'lifecycle/initialize-after-discover',
  level: 'ADVICE',
  title: 'accept `initialize` after `server/discover`',
  says: 'A client that speaks both eras asks `server/discover` first. On any error it falls back to `initialize` over the same pipe.',
  fix: {
    any: 'Answer an unknown method before `initialize` with an error. Do not exit, and do not take it for the end of the handshake.',
  },
  check: async (ruleRun) => {
    const { probe, opening } = await discoverFirst(ruleRun);
    if (!opening) violation('`initialize` was not answered after `server/discover`.', ...probe.transcript.entries);
  },
};

export const discoverAnswered: ServerRule = {
  ...common,
  id: 'lifecycle/discover-is-answered',
  level: 'ADVICE',
  title: 'answer `server/discover` with an error if the server does not know it',
  says: 'Every request is answered. A client that gets no answer to `server/discover` has to wait before it can fall back.',
  fix: { any: 'Answer `server/discover` with the error -32601 if the server does not support 2026-07-28.' },
  check: async (ruleRun) => {
    const { probe, answers, opening } = await discoverFirst(ruleRun);
    if (!opening) notApplicable('the server does not survive it (lifecycle/initialize-after-discover)');
    if (!answers[0]) violation('`server/discover` before `initialize` was not answered.', ...probe.transcript.entries);
  },
};

const otherFirst = perRevision((ruleRun) => early(ruleRun, [{ method: 'ping' }, { method: 'tools/list' }]));

export const pingFirst: ServerRule = {
  ...common,
  id: 'lifecycle/ping-before-initialize',
  level: 'ADVICE',
  title: 'answer a ping before `initialize`',
  says: 'Pings are the only requests that a client may send before the answer to `initialize`. They are answered.',
  source: { of: 'standpipe' },
  fix: { any: 'Answer `ping` with {} at any time, also before `initialize`.' },
  check: async (ruleRun) => {
    const { probe, answers, opening } = await otherFirst(ruleRun);
    if (!opening) notApplicable('the server does not open afterwards (lifecycle/requests-before-initialize)');
    if (!answers[0]) violation('A `ping` before `initialize` was not answered.', ...probe.transcript.entries);
  },
};

export const requestFirst: ServerRule = {
  ...common,
  id: 'lifecycle/requests-before-initialize',
  level: 'ADVICE',
  title: 'answer a request before `initialize`, and open afterwards',
  says: 'A client should not send requests before `initialize`. One that does gets a result or an error, and can still open.',
  fix: {
    any: 'Answer requests before `initialize` with an error such as -32600. Do not ignore them, and do not exit.',
  },
  check: async (ruleRun) => {
    const { probe, answers, opening } = await otherFirst(ruleRun);
    const proof = probe.transcript.entries;
    if (!opening) violation('`initialize` was not answered after other requests.', ...proof);
    if (!answers[1]) violation('`tools/list` before `initialize` was not answered.', ...proof);
  },
};
