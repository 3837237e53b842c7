// Subscriptions to resources, before 2026-07-28.

import { isObject } from '../../../../base/json-object.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import type { Frame } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { exchange, notificationsIn, proofOf } from './exchange.ts';
import { callOnce, surveyOf } from './survey.ts';

const MOST_SUBSCRIPTIONS = 12;
const UPDATED = 'notifications/resources/updated';

export const subscriptionsAreAnswered: ServerRule = {
  id: 'methods/subscriptions-are-answered',
  level: 'ADVICE',
  title: 'accept subscriptions to resources',
  says: 'A server that declares `resources.subscribe` accepts subscriptions to its resources, and takes them back.',
  source: { of: 'mcp', page: 'server/resources#subscriptions' },
  fix: {
    any: 'Answer `resources/subscribe` and `resources/unsubscribe` with an empty result, or do not declare `subscribe`.',
  },
  until: '2025-11-25',
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const [uri] = subscribable(ruleRun);
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      const made = await exchange(ruleRun, method, { uri });
      if (made.failure) violation(made.failure, ...proofOf(made));
      if (!made.error || made.error.code === METHOD_NOT_FOUND) continue;
      violation(`\`${method}\` was answered with the error ${describeError(made.error)}.`, ...proofOf(made));
    }
  },
};

export const updatesAreForSubscribers: ServerRule = {
  id: 'methods/updates-are-for-subscribers',
  level: 'ADVICE',
  title: 'send updates only for subscribed resources',
  says: 'A client gets updates of the resources that it subscribed to, until it unsubscribes.',
  source: { of: 'mcp', page: 'server/resources#subscriptions' },
  fix: { any: 'Keep the URIs of the subscriptions, and send an update only for those.' },
  until: '2025-11-25',
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const { calls } = await surveyOf(ruleRun);
    const uris = subscribable(ruleRun);
    refuseUpdates(
      ruleRun.seen.flatMap(({ frames }) => frames),
      'without a subscription',
    );
    const changing = calls.filter(({ call }) => {
      const { annotations } = call.tool;
      return !(isObject(annotations) && annotations.readOnlyHint === true);
    });
    for (const uri of uris) await exchange(ruleRun, 'resources/subscribe', { uri });
    let updating: (typeof changing)[number] | undefined;
    for (const made of changing) {
      const { window } = await callOnce(ruleRun, made.call);
      if (notificationsIn(window, UPDATED).length > 0) updating ??= made;
    }
    for (const uri of uris) await exchange(ruleRun, 'resources/unsubscribe', { uri });
    if (!updating) notApplicable('no call that may be made updates a resource');
    refuseUpdates((await callOnce(ruleRun, updating.call)).window, 'after all resources were unsubscribed from');
  },
};

function refuseUpdates(frames: readonly Frame[], when: string): void {
  const [update] = notificationsIn(frames, UPDATED);
  if (update) violation(`The server sent an update of ${JSON.stringify(update.params.uri)} ${when}.`, update.frame);
}

function subscribable({ facts }: ServerRuleRun): string[] {
  if (facts.capabilities.resources?.subscribe !== true) notApplicable('the server declares no subscriptions');
  const uris = facts.resources.map(({ uri }) => uri).filter((uri): uri is string => typeof uri === 'string');
  return uris.length > 0 ? uris.slice(0, MOST_SUBSCRIPTIONS) : notApplicable('the server has no resources');
}
