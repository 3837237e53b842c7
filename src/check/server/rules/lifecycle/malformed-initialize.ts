// `initialize` with params that are wrong.

import type { JsonObject } from '../../../../base/json-object.ts';
import { notApplicable, Violation, violation } from '../../../verdict.ts';
import { COPY_ID, initializeParams, readAnswer, WITHOUT_ID } from '../../conversation.ts';
import { perRevision } from '../../per-revision.ts';
import type { ServerRule } from '../../server-rule.ts';

const common = {
  level: 'SHOULD',
  until: '2025-11-25',
  runs: 'once',
  uses: 'own',
} as const satisfies Partial<ServerRule>;

const twice = perRevision(async (ruleRun) => {
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

export const malformedInitialize: ServerRule = {
  ...common,
  id: 'lifecycle/malformed-initialize',
  level: 'ADVICE',
  title: 'refuse `initialize` without a version',
  says: '`initialize` carries a version, capabilities and the name of the client. Without them it is answered with an error.',
  source: { of: 'standpipe' },
  fix: {
    any: 'Answer `initialize` with the error -32602 if `protocolVersion` is not a string or `capabilities` is not an object.',
  },
  check: async (ruleRun) => {
    const { first, proof, anonymous } = await twice(ruleRun);
    const what = 'The answer to `initialize` without `protocolVersion`';
    if (!first && anonymous) throw new Violation(`${what} is an error ${WITHOUT_ID}.`, [anonymous], COPY_ID);
    if (!first) violation('`initialize` without `protocolVersion` was not answered.', ...proof);
    if (first.result) violation('`initialize` without `protocolVersion` was answered with a result.', first.frame);
  },
};

export const initializeAgain: ServerRule = {
  ...common,
  id: 'lifecycle/initialize-can-be-repeated',
  level: 'ADVICE',
  title: 'accept a correct `initialize` after a refused one',
  says: 'A client whose `initialize` was refused may correct it and try again over the same pipe.',
  source: { of: 'standpipe' },
  fix: {
    any: 'Do not exit when `initialize` is refused, and do not count it as the one `initialize` of the connection.',
  },
  check: async (ruleRun) => {
    const { first, second, proof } = await twice(ruleRun);
    if (!first?.error) notApplicable('a malformed `initialize` is not refused (lifecycle/malformed-initialize)');
    if (!second) violation('A correct `initialize` was not answered after a malformed one.', ...proof);
    if (second.error) violation('A correct `initialize` was refused after a malformed one.', second.frame);
  },
};
