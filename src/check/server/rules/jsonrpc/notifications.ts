// Notifications are never answered, not even with an error.

import { notApplicable, Violation, violation } from '../../../verdict.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { anonymousAnswers, framesAfter } from './frames-after.ts';
import { messages } from './source.ts';

const common = {
  level: 'MUST',
  source: messages('notifications'),
  runs: 'each era',
  uses: 'shared',
} as const;

export const notificationsUnanswered: ServerRule = {
  ...common,
  id: 'jsonrpc/notifications-are-not-answered',
  title: 'not answer notifications',
  says: 'The receiver of a notification sends no response.',
  fix: { any: 'Test whether a message has an id before it is answered. Without one, write nothing.' },
  check: (ruleRun) => isUnanswered(ruleRun, 'notifications/cancelled', { requestId: 'standpipe-unknown' }),
};

export const wrongNotificationsUnanswered: ServerRule = {
  ...common,
  id: 'jsonrpc/wrong-notifications-are-not-answered',
  title: 'not answer a notification with wrong params',
  says: 'No error is sent for a notification whose params do not fit, as its sender cannot relate it to anything.',
  fix: { any: 'Log to stderr what is wrong with a notification; send no error.' },
  check: (ruleRun) => isUnanswered(ruleRun, 'notifications/cancelled', { requestId: { wrong: true }, reason: 7 }),
};

export const unknownNotifications: ServerRule = {
  ...common,
  id: 'jsonrpc/unknown-notifications-are-ignored',
  title: 'not answer unknown notifications',
  says: 'A notification of an unknown method gets no response, and the server continues.',
  fix: { any: 'Ignore notifications of unknown methods. -32601 is only for requests.' },
  check: (ruleRun) => isIgnored(ruleRun, 'notifications/standpipe/unknown', { any: 'thing' }),
};

/** A server that does not go on has not answered. */
async function isUnanswered(ruleRun: ServerRuleRun, method: string, params: Record<string, unknown>): Promise<void> {
  const conversation = await ruleRun.shared();
  await isIgnored(ruleRun, method, params).catch((error: unknown) => {
    if (error instanceof Violation && (conversation.probe.ended || !error.proof))
      notApplicable('the server does not go on after it (robustness/stray-notifications)');
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
