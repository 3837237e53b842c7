// Rules about requests before `initialize`, a malformed or second `initialize`, and the time before `notifications/initialized`. Clients of
// both eras send `server/discover` first.

import type { JsonObject } from '../../../../base/json-object.ts';
import { NEWEST_MODERN } from '../../../../mcp/revisions.ts';
import { perRevision } from '../../../rule-run.ts';
import { initialization, mcp } from '../../../sources.ts';
import { notApplicable, Violation, violation } from '../../../verdict.ts';
import { COPY_ID, initializeParams, readAnswer, WITHOUT_ID, withEnvelope } from '../../conversation.ts';
import { initializeOn, isAnswering, problemOfPings } from '../../initialize.ts';
import { type Frame, messagesOf, type Probe } from '../../probe.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';

const discoverFirst = perRevision((ruleRun: ServerRuleRun) =>
  early(ruleRun, [{ method: 'server/discover', params: withEnvelope(undefined, NEWEST_MODERN, {}) }]),
);

const otherFirst = perRevision((ruleRun: ServerRuleRun) =>
  early(ruleRun, [{ method: 'ping' }, { method: 'tools/list' }]),
);

const twice = perRevision(async (ruleRun: ServerRuleRun) => {
  const probe = await ruleRun.start();
  const send = async (params: JsonObject) => {
    const id = probe.newId();
    probe.send({ jsonrpc: '2.0', id, method: 'initialize', params });
    const anonymous = () => probe.anonymousErrorTo(id);
    await probe.maybe(() => probe.answersTo(id)[0] ?? anonymous());
    return { answer: () => answerTo(id), anonymous: anonymous() };
  };
  const answerTo = (id: number) => {
    const [frame] = probe.answersTo(id);
    return frame && readAnswer(frame, id);
  };
  const { answer, anonymous } = await send({ capabilities: 'none' });
  const isRefused = answer()?.error !== undefined || anonymous !== undefined;
  const second = isRefused ? (await send(initializeParams(ruleRun.revision))).answer() : undefined;
  return { proof: probe.transcript.entries, first: answer(), second, anonymous };
});

/** A client that declares many capabilities and does not send `initialized`. */
const between = perRevision(async (ruleRun: ServerRuleRun) => {
  const probe = await ruleRun.start();
  await initializeOn(probe, initializeParams(ruleRun.revision, { roots: {}, sampling: {}, elicitation: {} }));
  const problem = await problemOfPings(probe);
  const pings = [...probe.transcript.entries];
  const isPing = ruleRun.simplestMethod === 'ping';
  const answers = !problem || (!isPing && (await isAnswering(probe, ruleRun.simplestMethod)));
  return { probe, problem, pings, answers, isBrokenLaterToo: !isPing };
});

export const handshakeRules = serverRows({ level: 'ADVICE', until: '2025-11-25', runs: 'once', uses: 'own' }, [
  {
    id: 'lifecycle/discover-is-answered',
    title: 'answer `server/discover` with an error if it is not supported',
    says: 'Every request is answered. Without an answer to `server/discover`, a client has to wait before it can fall back.',
    fix: 'Answer `server/discover` with the error -32601 if the server does not support 2026-07-28.',
    check: async (ruleRun) => {
      const { probe, answers, opening } = await discoverFirst(ruleRun);
      if (!opening) notApplicable('`initialize` is not answered afterwards (lifecycle/initialize-after-discover)');
      if (!answers[0])
        violation('`server/discover` before `initialize` was not answered.', ...probe.transcript.entries);
    },
  },
  {
    id: 'lifecycle/initialize-after-discover',
    title: 'accept `initialize` after `server/discover`',
    says: 'A client that supports both eras sends `server/discover` first. After any error it falls back to `initialize` over the same pipe.',
    fix: 'Answer an unknown method before `initialize` with an error. Do not exit, and do not treat it as the end of the handshake.',
    check: async (ruleRun) => {
      const { probe, opening } = await discoverFirst(ruleRun);
      if (!opening) violation('`initialize` was not answered after `server/discover`.', ...probe.transcript.entries);
    },
  },
  {
    id: 'lifecycle/ping-before-initialize',
    title: 'answer a ping before `initialize`',
    says: 'Pings are the only requests that a client may send before the answer to `initialize`. They are answered.',
    fix: 'Answer `ping` with {} at any time, even before `initialize`.',
    check: async (ruleRun) => {
      const { probe, answers, opening } = await otherFirst(ruleRun);
      if (!opening) notApplicable('`initialize` is not answered afterwards (lifecycle/requests-before-initialize)');
      if (!answers[0]) violation('A `ping` before `initialize` was not answered.', ...probe.transcript.entries);
    },
  },
  {
    id: 'lifecycle/requests-before-initialize',
    title: 'answer a request before `initialize`, and accept `initialize` afterwards',
    says: 'A client should not send requests before `initialize`. If it does, it gets a result or an error and can still open the connection.',
    fix: 'Answer requests before `initialize` with an error such as -32600. Do not ignore them, and do not exit.',
    check: async (ruleRun) => {
      const { probe, answers, opening } = await otherFirst(ruleRun);
      const proof = probe.transcript.entries;
      if (!opening) violation('`initialize` was not answered after other requests.', ...proof);
      if (!answers[1]) violation('`tools/list` before `initialize` was not answered.', ...proof);
    },
  },
  {
    id: 'lifecycle/malformed-initialize',
    title: 'refuse `initialize` without a version',
    says: '`initialize` has a version, capabilities and the name of the client. Without them it is answered with an error.',
    fix: 'Answer `initialize` with the error -32602 if `protocolVersion` is not a string or `capabilities` is not an object.',
    check: async (ruleRun) => {
      const { first, proof, anonymous } = await twice(ruleRun);
      const what = 'The answer to `initialize` without `protocolVersion`';
      if (!first && anonymous) throw new Violation(`${what} is an error ${WITHOUT_ID}.`, [anonymous], COPY_ID);
      if (!first) violation('`initialize` without `protocolVersion` was not answered.', ...proof);
      if (first.result) violation('`initialize` without `protocolVersion` was answered with a result.', first.frame);
    },
  },
  {
    id: 'lifecycle/initialize-can-be-repeated',
    title: 'accept a correct `initialize` after a refused one',
    says: 'A client whose `initialize` was refused may correct it and send it again over the same pipe.',
    fix: 'Do not exit when you refuse `initialize`, and do not count it as the `initialize` of the connection.',
    check: async (ruleRun) => {
      const { first, second, proof } = await twice(ruleRun);
      if (!first?.error) notApplicable('a malformed `initialize` is not refused (lifecycle/malformed-initialize)');
      if (!second) violation('A correct `initialize` was not answered after a malformed one.', ...proof);
      if (second.error) violation('A correct `initialize` was refused after a malformed one.', second.frame);
    },
  },
  {
    id: 'lifecycle/ping-before-initialized',
    level: 'MUST',
    title: 'answer a ping before `initialized`',
    says: 'The receiver of a ping answers it promptly, even before the client has sent `notifications/initialized`.',
    source: mcp('basic/utilities/ping#behavior-requirements'),
    fix: 'Answer `ping` with {} at any time.',
    check: async (ruleRun) => {
      const { problem, pings, isBrokenLaterToo } = await between(ruleRun);
      const later = isBrokenLaterToo ? ' It also fails after `initialized`.' : ' This was before `initialized`.';
      if (problem) violation(problem + later, ...pings);
    },
  },
  {
    id: 'lifecycle/no-requests-before-initialized',
    level: 'SHOULD',
    title: 'not send requests before `initialized`',
    says: 'Before the server has received `notifications/initialized`, it sends no requests other than pings.',
    source: initialization,
    fix: {
      node: 'Send the first request in oninitialized of the server, not immediately after connect.',
      any: 'Send roots/list and other requests only after notifications/initialized has arrived.',
    },
    check: async (ruleRun) => {
      const { probe, answers } = await between(ruleRun);
      const request = probe.frames.find(isRequest);
      if (request) violation('The server sent a request before `initialized`.', request);
      if (!answers) notApplicable('the server does not answer requests before `initialized`');
    },
  },
  {
    id: 'lifecycle/second-initialize',
    title: 'keep the session after a second `initialize`',
    says: 'A client sends `initialize` once. A second one is answered with an error or a result, and the session continues.',
    fix: 'Answer a second `initialize` with the error -32600, or like the first. Do not exit, and do not reset the session.',
    check: async (ruleRun) => {
      const conversation = await ruleRun.open();
      const { probe, simplestMethod } = conversation;
      if ((await conversation.request(simplestMethod)).error)
        notApplicable(`\`${simplestMethod}\` is also refused before a second \`initialize\``);
      await initializeOn(probe, initializeParams(ruleRun.revision));
      const { error, frame } = await conversation.request(simplestMethod);
      if (error) violation(`After a second \`initialize\`, \`${simplestMethod}\` was refused.`, frame);
    },
  },
]);

interface Early {
  probe: Probe;
  /** The answers to the early requests. */
  answers: readonly (Frame | undefined)[];
  /** The answer to `initialize`. */
  opening: Frame | undefined;
}

/**
 * Sends requests and then `initialize`. Its answer, and answers to later pings, prove that the requests were read. A concurrent server needs
 * as long for repeated requests as for the early ones.
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

function isRequest(frame: Frame): boolean {
  return messagesOf(frame).some(({ id, method }) => id !== undefined && method !== undefined && method !== 'ping');
}
