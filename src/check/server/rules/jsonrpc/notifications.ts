// Rules about notifications, which are never answered, and about batches, which exist only in 2025-03-26.

import { jsonRpc, mcp, stdio } from '../../../sources.ts';
import { notApplicable, Violation, violation } from '../../../verdict.ts';
import type { Conversation } from '../../conversation.ts';
import { isMessage } from '../../line-reader.ts';
import { type Frame, isAnswer, isList, messagesOf, type Probe } from '../../probe.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { anonymousAnswers, framesAfter } from '../answers.ts';
import { notificationSource } from './messages.ts';

const WITH_BATCHES = '2025-03-26';
const batch = jsonRpc('batch');
const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'standpipe-unknown' } };

const unanswered = { level: 'MUST', source: notificationSource(), runs: 'each era', uses: 'shared' } as const;
const inBatches = { since: WITH_BATCHES, until: WITH_BATCHES, source: batch, runs: 'once', uses: 'shared' } as const;

export const notificationRules = [
  ...serverRows(unanswered, [
    {
      id: 'jsonrpc/notifications-are-not-answered',
      endIsReportedBy: 'robustness/stray-notifications',
      title: 'not answer notifications',
      says: 'The receiver of a notification does not send a response.',
      fix: 'Test whether a message has an id before you answer it. Without an id, write nothing.',
      check: (ruleRun) => isUnanswered(ruleRun, 'notifications/cancelled', { requestId: 'standpipe-unknown' }),
    },
    {
      id: 'jsonrpc/wrong-notifications-are-not-answered',
      endIsReportedBy: 'robustness/stray-notifications',
      title: 'not answer a notification with invalid params',
      says: 'A notification with invalid params is not answered with an error: its sender cannot assign the error to anything.',
      fix: 'Log the problem of a notification to stderr; do not send an error.',
      check: (ruleRun) => isUnanswered(ruleRun, 'notifications/cancelled', { requestId: { wrong: true }, reason: 7 }),
    },
    {
      id: 'jsonrpc/unknown-notifications-are-ignored',
      title: 'not answer unknown notifications',
      says: 'A notification of an unknown method gets no response, and the server continues.',
      fix: 'Ignore notifications of unknown methods. The error -32601 is only for requests.',
      check: (ruleRun) => isIgnored(ruleRun, 'notifications/standpipe/unknown', { any: 'thing' }),
    },
  ]),
  ...serverRows({ level: 'MUST', source: stdio, runs: 'each revision', uses: 'seen' }, [
    {
      id: 'jsonrpc/no-batches',
      title: 'write each message alone, not in an array',
      says: 'A message is a single request, notification or response. Only 2025-03-26 has batches: arrays of requests and notifications, and of the responses to such an array.',
      fix: 'Write each message as one JSON object on its own line, not as an array.',
      check: ({ seen, revision }) => {
        // The observed conversation has no batch of the client.
        const isWrong = revision === WITH_BATCHES ? isAnswer : isMessage;
        for (const { frames } of seen) {
          const array = frames.find((frame) => isList(frame) && messagesOf(frame).some(isWrong));
          if (!array) continue;
          const what = messagesOf(array).some(isAnswer) ? 'answered a single request with' : 'wrote';
          violation(`The server ${what} an array of messages (a batch).`, array);
        }
      },
    },
  ]),
  ...serverRows(inBatches, [
    {
      id: 'jsonrpc/batches-are-answered',
      level: 'MUST',
      title: 'answer the requests of a batch',
      says: 'In 2025-03-26 a server accepts batches: every request in the array gets an answer.',
      source: mcp('basic#batching'),
      fix: 'Handle each message of an array when 2025-03-26 was negotiated. A server without batches should not accept that revision.',
      check: async (ruleRun) => {
        const { ids, frames, probe } = await afterBatch(await ruleRun.shared());
        const [refusal] = anonymousAnswers(frames);
        if (ids.every((id) => probe.answersTo(id)[0])) return;
        if (refusal) violation('A batch was refused.', refusal.frame);
        violation('A batch was not answered.');
      },
    },
    {
      id: 'jsonrpc/batch-answers-are-one-list',
      level: 'ADVICE',
      title: 'answer a batch with one array',
      says: 'A batch is answered with an array of the responses after all of its requests are processed.',
      fix: 'Collect the answers to the requests of a batch, and write them as one JSON array on one line.',
      check: async (ruleRun) => {
        const { ids, frames } = await afterBatch(await ruleRun.shared());
        const answered = frames.filter((frame) =>
          messagesOf(frame).some((message) => isAnswer(message) && ids.includes(message.id as number)),
        );
        if (answered.length === 0) notApplicable('a batch is not answered (jsonrpc/batches-are-answered)');
        if (answered.length > 1 || !isList(answered[0]!)) {
          violation('The answers to a batch were sent as single messages, not as one array.', ...answered);
        }
      },
    },
    {
      id: 'jsonrpc/batch-of-notifications',
      level: 'MUST',
      title: 'not answer a batch of notifications',
      says: 'A batch without requests is not answered, not even with an empty array.',
      fix: 'Write nothing if a batch has no answers.',
      check: async (ruleRun) => {
        const conversation = await ruleRun.shared();
        const frames = await framesAfter(conversation, () => conversation.probe.send([notification, notification]));
        const empty = frames.find(({ json }) => Array.isArray(json) && json.length === 0);
        if (empty) violation('A batch of notifications was answered with an empty array.', empty);
        const [answer] = anonymousAnswers(frames);
        // A server without batches answers with an error, which jsonrpc/batches-are-answered reports.
        if (answer && !answer.error) violation('A batch of notifications was answered.', answer.frame);
      },
    },
    {
      id: 'jsonrpc/empty-batch',
      level: 'MUST',
      title: 'answer an empty batch with one error',
      says: 'An empty array is not a valid batch. It is answered with one response, not with an array.',
      fix: 'Answer an empty array with one error -32600 whose id is null.',
      check: async (ruleRun) => {
        const conversation = await ruleRun.shared();
        const frames = await framesAfter(conversation, () => conversation.probe.send([]));
        const [answer] = anonymousAnswers(frames);
        if (!answer) {
          const { ids, probe } = await afterBatch(conversation);
          if (!probe.answersTo(ids[0])[0]) notApplicable('a batch is not answered (jsonrpc/batches-are-answered)');
          violation('An empty batch was not answered.');
        }
        if (isList(answer.frame)) violation('An empty batch was answered with an array.', answer.frame);
      },
    },
  ]),
  ...serverRows({ level: 'ADVICE', runs: 'each era', uses: 'shared' }, [
    {
      id: 'jsonrpc/batches-are-survived',
      title: 'keep running after a batch',
      says: 'In revisions without batches an array is an invalid message. The server may refuse or ignore it, and answers later requests.',
      fix: 'Test that a message is an object before you read its members. Answer an array with the error -32600.',
      check: async (ruleRun) => {
        if (ruleRun.revision === WITH_BATCHES) notApplicable(`${WITH_BATCHES} has batches`);
        await afterBatch(await ruleRun.shared());
      },
    },
  ]),
];

/** Sends two requests with a notification between them as a batch. */
async function afterBatch(conversation: Conversation): Promise<{ ids: number[]; frames: Frame[]; probe: Probe }> {
  const { probe, simplestMethod: method } = conversation;
  const request = () => ({ jsonrpc: '2.0', id: probe.newId(), method, params: conversation.params() });
  const [first, second] = [request(), request()];
  const frames = await framesAfter(conversation, () => probe.send([first, notification, second]));
  return { ids: [first.id, second.id], frames, probe };
}

/** A server that stops answering has not answered the notification. */
async function isUnanswered(ruleRun: ServerRuleRun, method: string, params: Record<string, unknown>): Promise<void> {
  const conversation = await ruleRun.shared();
  await isIgnored(ruleRun, method, params).catch((error: unknown) => {
    if (error instanceof Violation && (conversation.probe.ended || !error.proof))
      notApplicable('the server does not answer after the notification (robustness/stray-notifications)');
    throw error;
  });
}

async function isIgnored(ruleRun: ServerRuleRun, method: string, params: Record<string, unknown>): Promise<void> {
  const conversation = await ruleRun.shared();
  const act = () => conversation.notify(method, params);
  const frames = await framesAfter(conversation, act, `the notification \`${method}\``);
  const [answer] = anonymousAnswers(frames);
  if (answer) violation(`The notification \`${method}\` was answered.`, answer.frame);
}
