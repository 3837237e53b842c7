// Between the answer to `initialize` and `notifications/initialized`.

import { notApplicable, violation } from '../../../verdict.ts';
import { initializeParams } from '../../conversation.ts';
import { initializeOn, isAnswering, problemOfPings } from '../../initialize.ts';
import { perRevision } from '../../per-revision.ts';
import { type Frame, messagesOf } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';

const common = {
  source: { of: 'mcp', page: 'basic/lifecycle#initialization' },
  until: '2025-11-25',
  runs: 'once',
  uses: 'own',
} as const satisfies Partial<ServerRule>;

/** A client that offers much and does not send `initialized`. */
const between = perRevision(async (ruleRun) => {
  const probe = await ruleRun.start();
  await initializeOn(probe, initializeParams(ruleRun.revision, { roots: {}, sampling: {}, elicitation: {} }));
  const problem = await problemOfPings(probe);
  const pings = [...probe.transcript.entries];
  const isPing = ruleRun.simplestMethod === 'ping';
  const answers = !problem || (!isPing && (await isAnswering(probe, ruleRun.simplestMethod)));
  return { probe, problem, pings, answers, isBrokenLaterToo: !isPing };
});

export const pingBeforeInitialized: ServerRule = {
  ...common,
  id: 'lifecycle/ping-before-initialized',
  level: 'MUST',
  title: 'answer a ping before `initialized`',
  says: 'The receiver of a ping answers it promptly, also before the client has sent `notifications/initialized`.',
  source: { of: 'mcp', page: 'basic/utilities/ping#behavior-requirements' },
  fix: { any: 'Answer `ping` with {} at any time.' },
  check: async (ruleRun) => {
    const { problem, pings, isBrokenLaterToo } = await between(ruleRun);
    const later = isBrokenLaterToo ? ' It is the same after `initialized`.' : ' This was before `initialized`.';
    if (problem) violation(problem + later, ...pings);
  },
};

export const quietBeforeInitialized: ServerRule = {
  ...common,
  id: 'lifecycle/no-requests-before-initialized',
  level: 'SHOULD',
  title: 'not send requests before `initialized`',
  says: 'Before the server has received `notifications/initialized` it sends no requests but pings.',
  fix: {
    node: 'Send the first request in oninitialized of the server, not right after connect.',
    any: 'Send roots/list and other requests only after notifications/initialized has arrived.',
  },
  check: async (ruleRun) => {
    const { probe, answers } = await between(ruleRun);
    const request = probe.frames.find(isRequest);
    if (request) violation('The server sent a request before `initialized`.', request);
    if (!answers) notApplicable('the server answers nothing before `initialized`');
  },
};

function isRequest(frame: Frame): boolean {
  return messagesOf(frame).some(({ id, method }) => id !== undefined && method !== undefined && method !== 'ping');
}

export const secondInitialize: ServerRule = {
  ...common,
  id: 'lifecycle/second-initialize',
  level: 'ADVICE',
  title: 'keep the session after a second `initialize`',
  says: '`initialize` is sent once. A second one is answered with an error or a result, and the session goes on.',
  source: { of: 'standpipe' },
  fix: {
    any: 'Answer a second `initialize` with the error -32600, or like the first. Do not exit and do not reset the session.',
  },
  check: async (ruleRun) => {
    const conversation = await ruleRun.open();
    const { probe, simplestMethod } = conversation;
    if ((await conversation.request(simplestMethod)).error)
      notApplicable(`\`${simplestMethod}\` is refused before it too`);
    await initializeOn(probe, initializeParams(ruleRun.revision));
    const { error, frame } = await conversation.request(simplestMethod);
    if (error) violation('After a second `initialize` the session was broken.', frame);
  },
};
