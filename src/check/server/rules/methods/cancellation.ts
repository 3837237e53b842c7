// Cancellation of requests that run, that are over, and that never were.

import type { Source } from '../../../rule.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import type { Conversation } from '../../conversation.ts';
import { isAnswer, messagesOf } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';

function page(anchor: string): Source {
  return {
    of: 'mcp',
    page: `basic/utilities/cancellation#${anchor}`,
    pages: { '2026-07-28': `basic/patterns/cancellation#${anchor}` },
  };
}

export const cancelledIsUnanswered: ServerRule = {
  id: 'methods/cancelled-requests-are-not-answered',
  level: 'SHOULD',
  title: 'not answer a cancelled request',
  says: 'A server that gets `notifications/cancelled` for a request stops it, frees its resources and sends no answer.',
  source: page('behavior-requirements'),
  fix: {
    python: 'Run tools as tasks, cancel the task of the request, and send nothing for it.',
    node: 'Abort the signal of the request, and drop its result.',
    any: 'Keep running requests by their id. Stop the one that is cancelled, and do not answer it.',
  },
  runs: 'each era',
  uses: 'own',
  check: async (ruleRun) => {
    const { conversation, id } = await cancelled(ruleRun);
    const { probe } = conversation;
    const ping = conversation.ask(conversation.simplestMethod);
    await probe.maybe(() => probe.answersTo(ping)[0]);
    if (probe.ended) notApplicable('the cancellation ended the server');
    // What still runs is answered before the server exits: its exit proves that nothing more comes.
    probe.endInput();
    await probe.exitStatus();
    const [answer] = probe.answersTo(id);
    if (answer) violation('The request was answered after it was cancelled.');
  },
};

export const cancellationKeepsTheServerAlive: ServerRule = {
  id: 'methods/cancellation-keeps-the-server-alive',
  level: 'MUST',
  title: 'survive a cancellation',
  says: 'A cancellation ends one request. Cancellations may come at any time, and both sides handle them gracefully.',
  source: page('timing-considerations'),
  fix: { any: 'Catch the error that a cancelled tool throws. It must not end the loop that reads requests.' },
  runs: 'each era',
  uses: 'own',
  check: async (ruleRun) => {
    const { conversation } = await cancelled(ruleRun);
    const { probe } = conversation;
    const id = conversation.ask(conversation.simplestMethod);
    // A call that cannot be cancelled may keep a server busy that does one thing after the other.
    await probe.maybe(() => probe.answersTo(id)[0]);
    if (probe.ended) violation('The cancellation ended the server.');
  },
};

export const lateCancellations: ServerRule = {
  id: 'methods/late-cancellations-are-ignored',
  level: 'SHOULD',
  title: 'ignore a cancellation of a finished or unknown request',
  says: 'Cancellations can come late. One for a request that is over, or that is not known, is ignored; like all notifications it gets no answer.',
  source: page('error-handling'),
  fix: { any: 'Look up the request of a cancellation, and do nothing if it does not run.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    const { probe } = conversation;
    await conversation.barrier();
    const { simplestMethod: method } = conversation;
    const finished = conversation.ask(method);
    await conversation.answer(finished, `\`${method}\``);
    const from = probe.frames.length;
    const cancelled: readonly unknown[] = [finished, 987_654_321, 'standpipe-no-such-request'];
    for (const requestId of cancelled) {
      conversation.notify('notifications/cancelled', { requestId, reason: 'It came too late' });
    }
    const id = conversation.ask(method);
    await conversation.answer(id, `\`${method}\` after the cancellation of finished and unknown requests`);
    const answersIt = (given: unknown) => given === undefined || given === null || cancelled.includes(given);
    const answer = probe.frames
      .slice(from)
      .find((frame) => messagesOf(frame).some((message) => isAnswer(message) && answersIt(message.id)));
    if (answer) violation('The server answered a cancellation.', answer);
  },
};

async function cancelled(ruleRun: ServerRuleRun): Promise<{ conversation: Conversation; id: number }> {
  const { name, arguments: given } = ruleRun.longCall();
  if (!ruleRun.facts.capabilities.tools) notApplicable('the server declares no tools');
  const conversation = await ruleRun.open();
  const id = conversation.ask('tools/call', { name, arguments: given });
  conversation.notify('notifications/cancelled', { requestId: id, reason: 'It takes too long' });
  return { conversation, id };
}
