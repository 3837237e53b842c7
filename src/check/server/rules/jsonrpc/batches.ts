// Batches exist in 2025-03-26 alone. In other revisions a list is an invalid message.

import type { Source } from '../../../rule.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import type { Conversation } from '../../conversation.ts';
import { type Frame, isAnswer, isList, messagesOf, type Probe } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';
import { anonymousAnswers, framesAfter } from './frames-after.ts';

const WITH_BATCHES = '2025-03-26';
const batching: Source = { of: 'mcp', page: 'basic#batching' };
const batch: Source = { of: 'json-rpc', anchor: 'batch' };
const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'standpipe-unknown' } };
const common = { since: WITH_BATCHES, until: WITH_BATCHES, runs: 'once', uses: 'shared' } as const;

export const batchesAnswered: ServerRule = {
  ...common,
  id: 'jsonrpc/batches-are-answered',
  level: 'MUST',
  title: 'answer the requests of a batch',
  says: 'In 2025-03-26 a server supports receiving batches: every request in the list gets its answer.',
  source: batching,
  fix: {
    any: 'Handle each message of a list when 2025-03-26 was negotiated. A server that cannot do this should not accept that revision.',
  },
  check: async (ruleRun) => {
    const { ids, frames, probe } = await afterBatch(await ruleRun.shared());
    const [refusal] = anonymousAnswers(frames);
    if (ids.every((id) => probe.answersTo(id)[0])) return;
    if (refusal) violation('A batch was refused.', refusal.frame);
    violation('A batch was not answered.');
  },
};

export const batchAnswerIsList: ServerRule = {
  ...common,
  id: 'jsonrpc/batch-answers-are-one-list',
  level: 'ADVICE',
  title: 'answer a batch with one list',
  says: 'A batch is answered with a list of the responses, once all of its requests are processed.',
  source: batch,
  fix: { any: 'Collect the answers to the requests of a batch, and write them as one JSON array on one line.' },
  check: async (ruleRun) => {
    const { ids, frames } = await afterBatch(await ruleRun.shared());
    const answered = frames.filter((frame) =>
      messagesOf(frame).some((message) => isAnswer(message) && ids.includes(message.id as number)),
    );
    if (answered.length === 0) notApplicable('a batch is not answered (jsonrpc/batches-are-answered)');
    if (answered.length > 1 || !isList(answered[0]!)) {
      violation('The answers to a batch came as single messages.', ...answered);
    }
  },
};

export const batchOfNotifications: ServerRule = {
  ...common,
  id: 'jsonrpc/batch-of-notifications',
  level: 'MUST',
  title: 'not answer a batch of notifications',
  says: 'If a batch contains no request, nothing is sent back, not even an empty list.',
  source: batch,
  fix: { any: 'Write nothing if a batch has no answers.' },
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    const frames = await framesAfter(conversation, () => conversation.probe.send([notification, notification]));
    const empty = frames.find(({ json }) => Array.isArray(json) && json.length === 0);
    if (empty) violation('A batch of notifications was answered with an empty list.', empty);
    const [answer] = anonymousAnswers(frames);
    // A server without batches refuses it, which is reported by the rule on batches.
    if (answer && !answer.error) violation('A batch of notifications was answered.', answer.frame);
  },
};

export const emptyBatch: ServerRule = {
  ...common,
  id: 'jsonrpc/empty-batch',
  level: 'MUST',
  title: 'answer an empty batch with one error',
  says: 'An empty list is not a valid batch. It is answered with one response, not with a list.',
  source: batch,
  fix: { any: 'Answer an empty list with one error -32600 whose id is null.' },
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    const frames = await framesAfter(conversation, () => conversation.probe.send([]));
    const [answer] = anonymousAnswers(frames);
    if (!answer) {
      const { ids, probe } = await afterBatch(conversation);
      if (!probe.answersTo(ids[0])[0]) notApplicable('a batch is not answered (jsonrpc/batches-are-answered)');
      violation('An empty batch was not answered.');
    }
    if (isList(answer.frame)) violation('An empty batch was answered with a list.', answer.frame);
  },
};

export const batchesSurvived: ServerRule = {
  id: 'jsonrpc/batches-are-survived',
  level: 'ADVICE',
  title: 'survive a batch',
  says: 'In revisions without batches a list is an invalid message. It may be refused or ignored; later requests are answered.',
  source: { of: 'standpipe' },
  fix: { any: 'Test that a message is an object before its members are read. Answer a list with the error -32600.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    if (ruleRun.revision === WITH_BATCHES) notApplicable(`${WITH_BATCHES} has batches`);
    await afterBatch(await ruleRun.shared());
  },
};

/** Two requests with a notification between them, and what came back. */
async function afterBatch(conversation: Conversation): Promise<{ ids: number[]; frames: Frame[]; probe: Probe }> {
  const { probe, simplestMethod: method } = conversation;
  const request = () => ({ jsonrpc: '2.0', id: probe.newId(), method, params: conversation.params() });
  const [first, second] = [request(), request()];
  const frames = await framesAfter(conversation, () => probe.send([first, notification, second]));
  return { ids: [first.id, second.id], frames, probe };
}
