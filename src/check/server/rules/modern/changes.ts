// Notifications of changes, read from all that was written: which subscription they belong to, and whether it asked for them.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { textOf } from '../../../../base/text-of.ts';
import { SUBSCRIPTION_ID } from '../../../../mcp/meta.ts';
import { methodsOfMcp } from '../../../../mcp/methods.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import type { Frame } from '../../probe.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { messagesThrough, metaOf } from './exchanges.ts';
import { ACKNOWLEDGED, LISTEN } from './listening.ts';
import { modernRule, page } from './modern-rule.ts';

const UPDATED = 'notifications/resources/updated';

/** A notification of a change or an acknowledgement, and the request of its subscription. */
interface Change {
  method: string;
  params: JsonObject;
  frame: Frame;
  id: unknown;
  filter: JsonObject | undefined;
  isFirst: boolean;
}

function changesOf(ruleRun: ServerRuleRun): Change[] {
  return ruleRun.seen.flatMap((probe) => {
    const filters = new Map<unknown, JsonObject>();
    const begun = new Set<unknown>();
    const changes: Change[] = [];
    for (const each of messagesThrough(probe)) {
      if ('sent' in each) {
        const { id, method, params } = each.sent;
        if (method === LISTEN && isObject(params))
          filters.set(id, isObject(params.notifications) ? params.notifications : {});
        continue;
      }
      const { method, params } = each.received;
      if (typeof method !== 'string' || (!methodsOfMcp.get(method)?.filter && method !== ACKNOWLEDGED)) continue;
      const id = metaOf(each.received)[SUBSCRIPTION_ID];
      const filter = filters.get(id);
      changes.push({
        method,
        params: isObject(params) ? params : {},
        frame: each.frame,
        id,
        filter,
        isFirst: !begun.has(id),
      });
      begun.add(id);
    }
    return changes;
  });
}

export const changeRules = [
  modernRule({
    id: 'modern/asked-for-changes-only',
    level: 'MUST',
    title: 'send only changes that were asked for',
    says: 'A subscription brings only the kinds of notifications, and only the resources, that its filter names.',
    source: page('basic/patterns/subscriptions#opening-a-stream'),
    fix: { any: 'Keep the filter of each subscription, and send a notification only to those that ask for it.' },
    uses: 'seen',
    check: (ruleRun) => {
      const changes = changesOf(ruleRun).filter(({ filter }) => filter);
      if (changes.length === 0) notApplicable('there was no subscription');
      for (const { method, params, filter = {}, frame, id } of changes) {
        if (method === ACKNOWLEDGED) continue;
        const wanted = filter[methodsOfMcp.get(method)!.filter!];
        const isWanted = method === UPDATED ? covers(wanted, params.uri) : wanted === true;
        if (!isWanted) violation(`\`${method}\` was sent to subscription ${id}, which did not ask for it.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/changes-name-their-subscription',
    level: 'MUST',
    title: 'name the subscription in notifications of changes',
    says: 'Every notification of a change, and the acknowledgement, carries the id of the request that listens in `_meta`, as `io.modelcontextprotocol/subscriptionId`. None is sent without a subscription.',
    source: { of: 'mcp', page: 'basic/index#meta' },
    fix: {
      any: 'Send changes only to requests of `subscriptions/listen` that are open, with the id as it came (1 is not "1").',
    },
    uses: 'seen',
    check: (ruleRun) => {
      const changes = changesOf(ruleRun);
      if (changes.length === 0) notApplicable('there was no notification of a change');
      const wrong = changes.find(({ filter }) => !filter);
      if (wrong)
        violation(
          `\`${wrong.method}\` names the subscription ${JSON.stringify(wrong.id)}, which does not exist.`,
          wrong.frame,
        );
    },
  }),
  modernRule({
    id: 'modern/acknowledged-first',
    level: 'MUST',
    title: 'send the acknowledgement first',
    says: 'The acknowledgement is the first message of a subscription.',
    source: page('basic/patterns/subscriptions#acknowledgment'),
    fix: { any: 'Send the acknowledgement before the subscription is entered among those that get changes.' },
    uses: 'seen',
    check: (ruleRun) => {
      const changes = changesOf(ruleRun).filter(({ filter }) => filter);
      if (changes.length === 0) notApplicable('there was no subscription');
      for (const { method, isFirst, frame, id } of changes) {
        if (isFirst && method !== ACKNOWLEDGED)
          violation(`\`${method}\` came before subscription ${id} was acknowledged.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/no-requests-to-the-client',
    level: 'MUST',
    title: 'not send requests',
    says: 'A server writes answers and notifications, and no requests: it asks its client with `input_required` results.',
    source: page('basic/transports/stdio#receiving-messages'),
    fix: {
      any: 'Replace `elicitation/create`, `sampling/createMessage`, `roots/list` and `ping` to the client by `input_required` results.',
    },
    uses: 'seen',
    check: (ruleRun) => {
      for (const { method, id, frame } of receivedOf(ruleRun)) {
        if (method !== undefined && id !== undefined)
          violation(`The server sent the request \`${textOf(method)}\`.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/no-cancellation-by-the-server',
    level: 'MUST',
    title: 'not cancel anything but subscriptions',
    says: 'A server sends `notifications/cancelled` only for a request of `subscriptions/listen` that it ends.',
    source: page('basic/patterns/cancellation#behavior-requirements'),
    fix: { any: 'Answer a request that fails with an error. Do not confirm a cancellation.' },
    uses: 'seen',
    check: (ruleRun) => {
      for (const probe of ruleRun.seen) {
        const listening = new Set<unknown>();
        for (const each of messagesThrough(probe)) {
          if ('sent' in each) {
            if (each.sent.method === LISTEN) listening.add(each.sent.id);
            continue;
          }
          const { method, params } = each.received;
          if (method !== 'notifications/cancelled' || (isObject(params) && listening.has(params.requestId))) continue;
          violation('The server sent `notifications/cancelled` for a request that is no subscription.', each.frame);
        }
      }
    },
  }),
];

function receivedOf(ruleRun: ServerRuleRun): (JsonObject & { frame: Frame })[] {
  return ruleRun.seen.flatMap((probe) =>
    messagesThrough(probe).flatMap((each) => ('received' in each ? [{ ...each.received, frame: each.frame }] : [])),
  );
}

/** A subscription may be to a collection: a URI below it counts. */
function covers(uris: unknown, uri: unknown): boolean {
  return (
    Array.isArray(uris) &&
    uris.some((each) => typeof uri === 'string' && typeof each === 'string' && uri.startsWith(each))
  );
}
