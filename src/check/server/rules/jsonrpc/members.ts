// Members that a server does not know, or does not expect.

import { notApplicable, violation } from '../../../verdict.ts';
import { describeError } from '../../conversation.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { anonymousAnswers, framesAfter } from './frames-after.ts';
import { messages } from './source.ts';

const common = { level: 'SHOULD', source: messages('requests'), runs: 'each era', uses: 'shared' } as const;

export const unknownParams: ServerRule = {
  ...common,
  id: 'jsonrpc/unknown-params-are-ignored',
  level: 'ADVICE',
  title: 'ignore unknown members of params',
  says: 'The params of a request are an open object: a client of a later revision may send members that the server does not know.',
  fix: {
    python: 'Set model_config = ConfigDict(extra="ignore"), not "forbid".',
    java: 'Set FAIL_ON_UNKNOWN_PROPERTIES to false (@JsonIgnoreProperties(ignoreUnknown = true)).',
    go: 'Do not call DisallowUnknownFields.',
    rust: 'Leave out #[serde(deny_unknown_fields)].',
    node: 'Do not use .strict() of zod, or additionalProperties: false, for params.',
    any: 'Ignore members of params that are not known.',
  },
  check: (ruleRun) => isTolerated(ruleRun, { 'standpipe/unknown': [1] }, {}, 'an unknown member in params'),
};

export const unknownMembers: ServerRule = {
  ...common,
  id: 'jsonrpc/unknown-members-are-ignored',
  level: 'ADVICE',
  title: 'ignore unknown members of a request',
  says: 'No specification forbids further members beside `id`, `method` and `params`. A server that ignores them works with more clients.',
  source: { of: 'standpipe' },
  fix: {
    node: 'The official SDK drops such messages without an answer. In a server of your own: no .strict() of zod for messages.',
    any: 'Ignore members of a message that are not known.',
  },
  check: (ruleRun) => isTolerated(ruleRun, {}, { 'standpipe/unknown': true }, 'an unknown member'),
};

export const positionalParams: ServerRule = {
  ...common,
  id: 'jsonrpc/positional-params-are-answered',
  level: 'ADVICE',
  title: 'answer a request with a list as params',
  says: 'JSON-RPC allows params as a list; MCP has objects only. Such a request is refused or answered, not ignored.',
  source: { of: 'json-rpc', anchor: 'parameter_structures' },
  fix: { any: 'Answer a request whose params are a list with the error -32602.' },
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    const { probe } = conversation;
    const id = probe.newId();
    const frames = await framesAfter(conversation, () =>
      probe.send({ jsonrpc: '2.0', id, method: 'tools/list', params: [] }),
    );
    if (probe.answersTo(id)[0] || anonymousAnswers(frames)[0]) return;
    await conversation.request('tools/list'); // it takes as long to answer, where a server answers several requests at a time
    await conversation.settled();
    if (!probe.answersTo(id)[0]) violation('A request with the params [] was not answered.');
  },
};

async function isTolerated(ruleRun: ServerRuleRun, params: object, members: object, what: string): Promise<void> {
  const conversation = await ruleRun.shared();
  const { probe, simplestMethod: method } = conversation;
  if ((await conversation.request(method)).error) notApplicable(`\`${method}\` is refused without it too`);
  const id = probe.newId();
  const request = { jsonrpc: '2.0', id, method, params: { ...conversation.params(), ...params }, ...members };
  await framesAfter(conversation, () => probe.send(request));
  if (!probe.answersTo(id)[0]) violation(`A request with ${what} was not answered.`);
  const { error, frame } = await conversation.answer(id, 'it');
  if (error) violation(`A request with ${what} was refused with the error ${describeError(error)}.`, frame);
}
