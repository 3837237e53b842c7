// Rules about subscriptions and their notifications of changes.

import { isObject, type JsonObject, metaOf } from '../../../../base/json-object.ts';
import { textOf } from '../../../../base/text-of.ts';
import { SUBSCRIPTION_ID } from '../../../../mcp/meta.ts';
import { methodsOfMcp } from '../../../../mcp/methods.ts';
import { mcp } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, readAnswer } from '../../conversation.ts';
import type { Frame } from '../../probe.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { INVALID_PARAMS } from '../methods/exchange.ts';
import { messageMeta, messagesThrough, modern } from './exchanges.ts';
import {
  ACKNOWLEDGED,
  filterOf,
  fullFilter,
  LISTEN,
  listen,
  makeChanges,
  mustListen,
  notificationsFor,
  stopListening,
} from './listening.ts';

const acknowledgment = mcp('basic/patterns/subscriptions#acknowledgment');
const kinds = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;

const UPDATED = 'notifications/resources/updated';

const subscriptionRules = serverRows({ ...modern, uses: 'shared' }, [
  {
    id: 'modern/listen-is-acknowledged',
    level: 'MUST',
    title: 'acknowledge `subscriptions/listen`',
    says: 'A server that declares changes answers `subscriptions/listen` with `notifications/subscriptions/acknowledged`, even if the filter is empty. The acknowledgement has an object `notifications`.',
    source: acknowledgment,
    fix: 'Send `notifications/subscriptions/acknowledged` with the id of the request in `_meta` as `io.modelcontextprotocol/subscriptionId`. Answer the request only when the subscription ends.',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const all = await mustListen(ruleRun, conversation, fullFilter(ruleRun));
      const nothing = await mustListen(ruleRun, conversation, {});
      await stopListening(conversation, all.id, nothing.id);
    },
  },
  {
    id: 'modern/acknowledged-filter',
    level: 'ADVICE',
    title: 'acknowledge only requested changes',
    says: 'The acknowledgement has `notifications`: the part of the filter that the server honours, and nothing else.',
    source: acknowledgment,
    fix: 'Copy the supported members of `notifications` from the request, and no others.',
    check: async (ruleRun) => {
      const filter = {
        toolsListChanged: true,
        resourceSubscriptions: [textOf(ruleRun.facts.resources[0]?.uri ?? 'check://a')],
      };
      const { notifications, frame } = await agreed(ruleRun, { ...filter, promptsListChanged: false });
      const { toolsListChanged, resourceSubscriptions = [], ...others } = notifications;
      const other = Object.keys(others).find(
        (name) => others[name] && !(Array.isArray(others[name]) && others[name].length === 0),
      );
      if (other) violation(`\`${other}\` was acknowledged but not requested.`, frame);
      if (toolsListChanged !== undefined && typeof toolsListChanged !== 'boolean')
        violation(`\`toolsListChanged\` is ${JSON.stringify(toolsListChanged)}, not a boolean.`, frame);
      if (
        !Array.isArray(resourceSubscriptions) ||
        resourceSubscriptions.some((uri) => !filter.resourceSubscriptions.includes(uri as string))
      )
        violation(
          `\`resourceSubscriptions\` is ${JSON.stringify(resourceSubscriptions)}, not a part of the request.`,
          frame,
        );
    },
  },
  {
    id: 'modern/unsupported-changes',
    level: 'ADVICE',
    title: 'leave unsupported kinds out of the acknowledgement',
    says: 'The acknowledgement omits kinds of notifications that the server does not support.',
    source: acknowledgment,
    fix: 'Do not return the filter unchanged. Leave out kinds that are unknown or belong to an undeclared capability.',
    check: async (ruleRun) => {
      const { notifications, frame } = await agreed(ruleRun, { ...fullFilter(ruleRun), standpipeCheckChanged: true });
      const { capabilities } = ruleRun.facts;
      const unsupported = kinds.filter((kind) => !capabilities[capabilityOf(kind)]);
      for (const kind of ['standpipeCheckChanged', ...unsupported]) {
        if (notifications[kind]) violation(`\`${kind}\` was acknowledged, but the server does not support it.`, frame);
      }
    },
  },
  {
    id: 'modern/declared-changes-are-honoured',
    level: 'SHOULD',
    title: 'send the changes that its capabilities declare',
    says: 'A server that declares `listChanged` or `subscribe` sends these notifications to clients that listen for them.',
    source: mcp('server/tools#list-changed-notification'),
    fix: 'Acknowledge each kind of change that the capabilities declare, or do not declare it.',
    check: async (ruleRun) => {
      const filter = fullFilter(ruleRun);
      const { notifications: honoured, frame } = await agreed(ruleRun, filter);
      const capabilities = ruleRun.facts.capabilities as Record<string, JsonObject | undefined>;
      for (const kind of kinds) {
        const capability = capabilityOf(kind);
        if (capabilities[capability]?.listChanged === true && honoured[kind] !== true)
          violation(`The server declares \`${capability}.listChanged\` and does not honour \`${kind}\`.`, frame);
      }
      const uris = honoured.resourceSubscriptions;
      const wanted =
        (filter.resourceSubscriptions as string[]).length > 0 && capabilities.resources?.subscribe === true;
      if (wanted && !(Array.isArray(uris) && uris.length > 0))
        violation('The server declares `resources.subscribe` and honours no subscription of its resources.', frame);
    },
  },
  {
    id: 'modern/listen-without-a-filter',
    level: 'ADVICE',
    title: 'refuse `subscriptions/listen` without a filter',
    says: 'The request requires `notifications`, an object. Without it the parameters are invalid: -32602.',
    source: mcp('schema#subscriptionslistenrequest'),
    fix: 'Validate `notifications` of `subscriptions/listen`, and refuse the request with -32602.',
    check: async (ruleRun) => {
      await agreed(ruleRun, fullFilter(ruleRun)); // modern/listen-is-acknowledged reports a server that does not support subscriptions
      const conversation = await ruleRun.shared();
      for (const params of [{}, { notifications: 'all' }]) {
        const id = conversation.ask(LISTEN, params);
        const { probe } = conversation;
        const shown = JSON.stringify(params);
        await probe.until(
          () => probe.answersTo(id)[0] ?? notificationsFor(probe, id)[0],
          `There was no answer to \`${LISTEN}\` with ${shown}`,
        );
        const [frame] = probe.answersTo(id);
        if (!frame) {
          await stopListening(conversation, id);
          violation(`\`${LISTEN}\` with ${shown} was acknowledged.`);
        }
        const { error } = readAnswer(frame, id);
        if (error?.code !== INVALID_PARAMS)
          violation(
            `\`${LISTEN}\` with ${shown} was answered with ${error ? describeError(error) : 'a result'} instead of ${INVALID_PARAMS}.`,
            frame,
          );
      }
    },
  },
  {
    id: 'modern/cancelled-subscription-is-silent',
    level: 'MUST',
    title: 'not send messages for a cancelled subscription',
    says: 'A client ends a subscription with `notifications/cancelled`. After that, the server sends neither notifications nor an answer for it.',
    source: mcp('basic/transports/stdio#cancellation'),
    fix: 'Remove the subscription when `notifications/cancelled` names its request, and do not answer the request.',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const { probe } = conversation;
      const { id } = await listen(ruleRun, conversation, fullFilter(ruleRun));
      await stopListening(conversation, id);
      await conversation.barrier();
      const before = notificationsFor(probe, id).length;
      await makeChanges(ruleRun, conversation);
      const after = notificationsFor(probe, id)[before];
      if (after) violation('The server sent a notification for a cancelled subscription.', after.frame);
      const [answer] = probe.answersTo(id);
      if (answer) violation(`\`${LISTEN}\` was answered after it was cancelled.`, answer);
    },
  },
  {
    id: 'modern/ended-subscription',
    level: 'MUST',
    title: 'name the subscription in the answer that ends it',
    says: 'If the server ends a subscription, for example when it stops, the result of `subscriptions/listen` has the id of the subscription in `_meta`.',
    source: mcp('basic/patterns/subscriptions#graceful-closure'),
    fix: 'Add `io.modelcontextprotocol/subscriptionId`, the id of the request, to `_meta` of the result.',
    uses: 'own',
    check: async (ruleRun) => {
      const conversation = await ruleRun.open();
      const { id } = await listen(ruleRun, conversation, fullFilter(ruleRun));
      conversation.probe.endInput();
      await conversation.probe.maybe(() => conversation.probe.answersTo(id)[0]);
      const [frame] = conversation.probe.answersTo(id);
      if (!frame) return; // this is allowed: whether the answer is written depends on how fast the server exits
      const { result } = readAnswer(frame, id);
      const named = metaOf(result)?.[SUBSCRIPTION_ID];
      if (result && named !== id)
        violation(
          `The result that ends subscription ${id} names ${JSON.stringify(named) ?? 'no subscription'}.`,
          frame,
        );
    },
  },
]);

const changeRules = serverRows({ ...modern, level: 'MUST', uses: 'seen' }, [
  {
    id: 'modern/asked-for-changes-only',
    title: 'send only changes that the subscription requests',
    says: 'A subscription delivers only the kinds of notifications and the resources that its filter names.',
    source: mcp('basic/patterns/subscriptions#opening-a-stream'),
    fix: 'Store the filter of each subscription, and send a notification only to subscriptions that request it.',
    check: (ruleRun) => {
      const changes = changesOf(ruleRun).filter(({ filter }) => filter);
      if (changes.length === 0) notApplicable('the server did not acknowledge a subscription');
      for (const { method, params, filter = {}, frame, id } of changes) {
        if (method === ACKNOWLEDGED) continue;
        const wanted = filter[methodsOfMcp.get(method)!.filter!];
        const isWanted = method === UPDATED ? covers(wanted, params.uri) : wanted === true;
        if (!isWanted) violation(`\`${method}\` was sent to subscription ${id}, which did not request it.`, frame);
      }
    },
  },
  {
    id: 'modern/changes-name-their-subscription',
    title: 'name the subscription in notifications of changes',
    says: 'Every notification of a change, and the acknowledgement, has the id of the listening request in `_meta`, as `io.modelcontextprotocol/subscriptionId`. Without a subscription, none is sent.',
    source: mcp('basic/index#meta'),
    fix: 'Send changes only to pending `subscriptions/listen` requests, with the id unchanged (1 is not "1").',
    check: (ruleRun) => {
      const changes = changesOf(ruleRun);
      if (changes.length === 0) notApplicable('the server did not send a notification of a change');
      const wrong = changes.find(({ filter }) => !filter);
      if (!wrong) return;
      const { id, frame, isText } = wrong;
      if (id === undefined) violation(`\`${wrong.method}\` does not name its subscription.`, frame);
      const why = isText ? `a string: the id of the request is the number ${id}` : 'which does not exist';
      violation(`\`${wrong.method}\` names the subscription ${JSON.stringify(id)}, ${why}.`, frame);
    },
  },
  {
    id: 'modern/acknowledged-first',
    title: 'send the acknowledgement before changes',
    says: 'The acknowledgement is the first message of a subscription.',
    source: mcp('basic/patterns/subscriptions#acknowledgment'),
    fix: 'Send the acknowledgement before you register the subscription for changes.',
    check: (ruleRun) => {
      const changes = changesOf(ruleRun).filter(({ filter }) => filter);
      if (changes.length === 0) notApplicable('the server did not acknowledge a subscription');
      for (const { method, isFirst, frame, id } of changes) {
        if (isFirst && method !== ACKNOWLEDGED)
          violation(`\`${method}\` was sent before subscription ${id} was acknowledged.`, frame);
      }
    },
  },
  {
    id: 'modern/no-requests-to-the-client',
    title: 'not send requests to the client',
    says: 'A server sends answers and notifications, but no requests: it asks its client with `input_required` results.',
    source: mcp('basic/transports/stdio#receiving-messages'),
    fix: 'Replace `elicitation/create`, `sampling/createMessage`, `roots/list` and `ping` to the client by `input_required` results.',
    check: (ruleRun) => {
      for (const { method, id, frame } of receivedOf(ruleRun)) {
        if (method !== undefined && id !== undefined)
          violation(`The server sent the request \`${textOf(method)}\`.`, frame);
      }
    },
  },
  {
    id: 'modern/no-cancellation-by-the-server',
    title: 'cancel only subscriptions',
    says: 'A server sends `notifications/cancelled` only for a `subscriptions/listen` request that it ends.',
    source: mcp('basic/patterns/cancellation#behavior-requirements'),
    fix: 'Answer a failed request with an error. Do not confirm a cancellation.',
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
          violation('The server sent `notifications/cancelled` for a request that is not a subscription.', each.frame);
        }
      }
    },
  },
]);

export const changeSubscriptionRules = [...subscriptionRules, ...changeRules];

function receivedOf(ruleRun: ServerRuleRun): (JsonObject & { frame: Frame })[] {
  return ruleRun.seen.flatMap((probe) =>
    messagesThrough(probe).flatMap((each) => ('received' in each ? [{ ...each.received, frame: each.frame }] : [])),
  );
}

/** A subscription to a collection covers the URIs below it. */
function covers(uris: unknown, uri: unknown): boolean {
  return (
    Array.isArray(uris) &&
    uris.some((each) => typeof uri === 'string' && typeof each === 'string' && uri.startsWith(each))
  );
}

function capabilityOf(kind: (typeof kinds)[number]): 'tools' | 'prompts' | 'resources' {
  return kind.slice(0, -'ListChanged'.length) as 'tools' | 'prompts' | 'resources';
}

/** The filter that the server acknowledges. */
async function agreed(ruleRun: ServerRuleRun, filter: JsonObject) {
  const conversation = await ruleRun.shared();
  const { id, acknowledgement } = await listen(ruleRun, conversation, filter);
  await stopListening(conversation, id);
  return { notifications: filterOf(acknowledgement) as JsonObject, frame: acknowledgement.frame };
}

/** A notification of a change or an acknowledgement, and the request of its subscription. */
interface Change {
  method: string;
  params: JsonObject;
  frame: Frame;
  id: unknown;
  filter: JsonObject | undefined;
  isFirst: boolean;
  /** The id is that of a subscription, as a string instead of a number. */
  isText: boolean;
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
      const id = messageMeta(each.received)[SUBSCRIPTION_ID];
      const filter = filters.get(id);
      changes.push({
        method,
        params: isObject(params) ? params : {},
        frame: each.frame,
        id,
        filter,
        isFirst: !begun.has(id),
        isText: typeof id === 'string' && filters.has(Number(id)),
      });
      begun.add(id);
    }
    return changes;
  });
}
