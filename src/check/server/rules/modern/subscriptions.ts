// How a client listens for changes, and how it stops.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { textOf } from '../../../../base/text-of.ts';
import { SUBSCRIPTION_ID } from '../../../../mcp/meta.ts';
import { violation } from '../../../verdict.ts';
import { describeError, readAnswer } from '../../conversation.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import {
  filterOf,
  fullFilter,
  LISTEN,
  listen,
  makeChanges,
  mustListen,
  notificationsFor,
  stopListening,
} from './listening.ts';
import { INVALID_PARAMS, modernRule, page } from './modern-rule.ts';

const acknowledgment = page('basic/patterns/subscriptions#acknowledgment');
const kinds = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;

function capabilityOf(kind: (typeof kinds)[number]): 'tools' | 'prompts' | 'resources' {
  return kind.slice(0, -'ListChanged'.length) as 'tools' | 'prompts' | 'resources';
}

/** What the server agreed to send. */
async function agreed(ruleRun: ServerRuleRun, filter: JsonObject) {
  const conversation = await ruleRun.shared();
  const { id, acknowledgement } = await listen(ruleRun, conversation, filter);
  await stopListening(conversation, id);
  return { notifications: filterOf(acknowledgement) as JsonObject, frame: acknowledgement.frame };
}

export const subscriptionRules = [
  modernRule({
    id: 'modern/listen-is-acknowledged',
    level: 'MUST',
    title: 'acknowledge `subscriptions/listen`',
    says: 'A server that declares changes answers `subscriptions/listen` with `notifications/subscriptions/acknowledged`, also if the filter is empty. The acknowledgement has an object `notifications`.',
    source: acknowledgment,
    fix: {
      any: 'Send `notifications/subscriptions/acknowledged` with the id of the request in `_meta` as `io.modelcontextprotocol/subscriptionId`. Answer the request only when the subscription ends.',
    },
    uses: 'shared',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const all = await mustListen(ruleRun, conversation, fullFilter(ruleRun));
      const nothing = await mustListen(ruleRun, conversation, {});
      await stopListening(conversation, all.id, nothing.id);
    },
  }),
  modernRule({
    id: 'modern/acknowledged-filter',
    level: 'ADVICE',
    title: 'acknowledge only what was asked for',
    says: 'The acknowledgement has `notifications`: the part of the filter that the server honours. It has nothing that was not asked for.',
    source: acknowledgment,
    fix: { any: 'Copy those members of `notifications` from the request that the server supports, and no others.' },
    uses: 'shared',
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
      if (other) violation(`\`${other}\` was acknowledged and not asked for.`, frame);
      if (toolsListChanged !== undefined && typeof toolsListChanged !== 'boolean')
        violation(`\`toolsListChanged\` is ${JSON.stringify(toolsListChanged)}: not a boolean.`, frame);
      if (
        !Array.isArray(resourceSubscriptions) ||
        resourceSubscriptions.some((uri) => !filter.resourceSubscriptions.includes(uri as string))
      )
        violation(`\`resourceSubscriptions\` is ${JSON.stringify(resourceSubscriptions)}.`, frame);
    },
  }),
  modernRule({
    id: 'modern/unsupported-changes',
    level: 'ADVICE',
    title: 'leave unsupported kinds out of the acknowledgement',
    says: 'Kinds of notifications that the server does not support are omitted from the acknowledgement.',
    source: acknowledgment,
    fix: {
      any: 'Do not send the filter back as it came. Leave out kinds that are unknown or belong to no capability.',
    },
    uses: 'shared',
    check: async (ruleRun) => {
      const { notifications, frame } = await agreed(ruleRun, { ...fullFilter(ruleRun), standpipeCheckChanged: true });
      const { capabilities } = ruleRun.facts;
      const unsupported = kinds.filter((kind) => !capabilities[capabilityOf(kind)]);
      for (const kind of ['standpipeCheckChanged', ...unsupported]) {
        if (notifications[kind]) violation(`\`${kind}\` was acknowledged, and the server does not have it.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/declared-changes-are-honoured',
    level: 'SHOULD',
    title: 'send the changes that its capabilities promise',
    says: 'A server that declares `listChanged` or `subscribe` sends these notifications to clients that listen for them.',
    source: page('server/tools#list-changed-notification'),
    fix: { any: 'Acknowledge each kind of change that the capabilities declare, or do not declare it.' },
    uses: 'shared',
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
  }),
  modernRule({
    id: 'modern/listen-without-a-filter',
    level: 'ADVICE',
    title: 'refuse `subscriptions/listen` without a filter',
    says: 'The request requires `notifications`, an object. Without it its parameters are invalid: -32602.',
    source: page('schema#subscriptionslistenrequest'),
    fix: { any: 'Validate `notifications` of `subscriptions/listen`, and refuse the request with -32602.' },
    uses: 'shared',
    check: async (ruleRun) => {
      await agreed(ruleRun, fullFilter(ruleRun)); // a server that cannot listen is reported once
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
  }),
  modernRule({
    id: 'modern/cancelled-subscription-is-silent',
    level: 'MUST',
    title: 'not send anything for a cancelled subscription',
    says: 'A client ends a subscription with `notifications/cancelled`. The server sends nothing more for it, no notification and no answer.',
    source: page('basic/transports/stdio#cancellation'),
    fix: {
      any: 'Remove the subscription when `notifications/cancelled` names its request, and do not answer the request.',
    },
    uses: 'shared',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const { probe } = conversation;
      const { id } = await listen(ruleRun, conversation, fullFilter(ruleRun));
      await stopListening(conversation, id);
      await conversation.barrier();
      const before = notificationsFor(probe, id).length;
      await makeChanges(ruleRun, conversation);
      const after = notificationsFor(probe, id)[before];
      if (after) violation('A notification came for a subscription that was cancelled.', after.frame);
      const [answer] = probe.answersTo(id);
      if (answer) violation(`\`${LISTEN}\` was answered after it was cancelled.`, answer);
    },
  }),
  modernRule({
    id: 'modern/ended-subscription',
    level: 'MUST',
    title: 'name the subscription in the answer that ends it',
    says: 'If the server ends a subscription, such as when it stops, the result of `subscriptions/listen` carries the id of the subscription in `_meta`.',
    source: page('basic/patterns/subscriptions#graceful-closure'),
    fix: { any: 'Add `io.modelcontextprotocol/subscriptionId`, the id of the request, to `_meta` of the result.' },
    uses: 'own',
    check: async (ruleRun) => {
      const conversation = await ruleRun.open();
      const { id } = await listen(ruleRun, conversation, fullFilter(ruleRun));
      conversation.probe.endInput();
      await conversation.probe.maybe(() => conversation.probe.answersTo(id)[0]);
      const [frame] = conversation.probe.answersTo(id);
      if (!frame) return; // allowed, and a matter of how fast it ends
      const { result } = readAnswer(frame, id);
      const named = isObject(result?._meta) ? result._meta[SUBSCRIPTION_ID] : undefined;
      if (result && named !== id)
        violation(`The result that ends subscription ${id} names ${JSON.stringify(named)}.`, frame);
    },
  }),
];
