// Requests that are new, changed or gone in 2026-07-28: removed methods, log messages by request, lists of tools.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { isLogLevel, LOG_LEVEL, reaches } from '../../../../mcp/meta.ts';
import { toolHeaders } from '../../../../mcp/tool-headers.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { type Conversation, describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import { messagesOf } from '../../probe.ts';
import type { Trial } from '../../trial.ts';
import { exchangesOf } from './exchanges.ts';
import { modernRule, page } from './modern-rule.ts';
import { callEach, triedCalls } from './tried-calls.ts';

const MESSAGE = 'notifications/message';
const logging = page('server/utilities/logging#per-request-log-level');

export const requestRules = [
  modernRule({
    id: 'modern/removed-methods',
    level: 'MUST',
    title: 'methods of earlier revisions are unknown',
    says: '`ping`, `logging/setLevel`, `resources/subscribe` and `resources/unsubscribe` were removed. A request of this revision for them gets the error -32601, as for every unknown method.',
    source: page('changelog#major-changes'),
    fix: { any: 'Serve the removed methods only to clients that opened the connection with `initialize`.' },
    uses: 'shared',
    check: async (trial) => {
      const conversation = await trial.shared();
      const uri = trial.facts.resources[0]?.uri ?? 'check://a';
      const removed = {
        ping: {},
        'logging/setLevel': { level: 'error' },
        'resources/subscribe': { uri },
        'resources/unsubscribe': { uri },
      };
      for (const [method, params] of Object.entries(removed)) {
        const { error, frame } = await conversation.request(method, params);
        if (!error) violation(`\`${method}\` was answered with a result.`, frame);
        if (error.code !== METHOD_NOT_FOUND)
          violation(`\`${method}\` was answered with ${describeError(error)} instead of ${METHOD_NOT_FOUND}.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/logs-on-request',
    level: 'MUST',
    title: 'log messages are sent only to requests that ask for them',
    says: 'A server sends no `notifications/message` for a request without `io.modelcontextprotocol/logLevel` in `_meta`.',
    source: logging,
    fix: {
      any: 'Send a log message only if the request that caused it has `io.modelcontextprotocol/logLevel`. Everything else belongs to stderr.',
    },
    uses: 'shared',
    check: async (trial) => {
      const conversation = await trial.shared();
      const [unasked] = await logsOf(trial, conversation);
      if (unasked) violation('A log message came although no request asked for any.');
    },
  }),
  modernRule({
    id: 'modern/log-level-of-the-request',
    level: 'MUST',
    title: 'log messages have the level that the request asks for, or above',
    says: 'For a request with `io.modelcontextprotocol/logLevel`, the server sends messages of this level and of those above it.',
    source: logging,
    fix: { any: 'Compare the level of each message with `io.modelcontextprotocol/logLevel` of its request.' },
    uses: 'shared',
    check: async (trial) => {
      const conversation = await trial.shared();
      const logs = await logsOf(trial, conversation, 'error');
      const below = logs.find((level) => isLogLevel(level) && !reaches(level, 'error'));
      if (below) violation(`A message of the level ${String(below)} came for a request that asks for "error".`);
      if (logs.length === 0) notApplicable('no call that may be made logs an error');
    },
  }),
  modernRule({
    id: 'modern/order-of-tools',
    level: 'SHOULD',
    title: 'tools keep their order',
    says: 'A server lists its tools in the same order each time, so that clients and models can cache them.',
    source: page('server/tools#capabilities'),
    fix: {
      any: 'Keep tools in a list or an ordered map, not in a set without an order.',
      go: 'Sort the names: the order of a Go map is random.',
    },
    uses: 'shared',
    check: async (trial) => {
      if (!trial.facts.capabilities.tools) notApplicable('the server has no tools');
      const conversation = await trial.shared();
      const [first, second] = [await namesOfTools(conversation), await namesOfTools(conversation)];
      if (first.length < 2) notApplicable('the server has less than two tools on its first page');
      const isSame = first.join() === second.join();
      if (!isSame && [...first].sort().join() === [...second].sort().join())
        violation(`The tools were listed as ${first.join(', ')} and then as ${second.join(', ')}.`);
    },
  }),
  modernRule({
    id: 'modern/header-hints',
    level: 'MUST',
    title: 'header hints of tools are valid',
    says: '`x-mcp-header` in an input schema is the name of a header, is unique in the tool, and stands at a string, integer or boolean that only `properties` lead to. Clients over HTTP leave out a tool that breaks this.',
    source: page('server/tools#x-mcp-header'),
    fix: { any: 'Correct or remove the `x-mcp-header` of the tool.' },
    uses: 'seen',
    check: (trial) => {
      const lists = exchangesOf(trial).filter(({ method }) => method === 'tools/list');
      let isHinted = false;
      for (const { result, frame } of lists) {
        for (const { name, inputSchema } of toolsOf(result)) {
          if (!isObject(inputSchema)) continue;
          const headers = toolHeaders(inputSchema);
          if (typeof headers === 'string') violation(`The tool \`${String(name)}\`: ${headers}.`, frame);
          isHinted ||= headers.length > 0;
        }
      }
      if (!isHinted) notApplicable('no tool has header hints');
    },
  }),
];

/** The levels of the messages that come while all calls are made, with or without the wish for them. */
async function logsOf(trial: Trial, conversation: Conversation, level?: string): Promise<unknown[]> {
  const calls = await triedCalls(trial, conversation);
  if (calls.length === 0) notApplicable('there is no call that may be made');
  const { probe } = conversation;
  const from = probe.frames.length;
  const _meta = level ? { [LOG_LEVEL]: level } : {};
  await callEach(calls, conversation, _meta);
  await conversation.barrier();
  return probe.frames
    .slice(from)
    .flatMap(messagesOf)
    .filter(({ method }) => method === MESSAGE)
    .map(({ params }) => (params as JsonObject | undefined)?.level);
}

async function namesOfTools(conversation: Conversation): Promise<string[]> {
  return toolsOf(await conversation.result('tools/list')).map(({ name }) => String(name));
}

function toolsOf(result: JsonObject | undefined): JsonObject[] {
  return Array.isArray(result?.tools) ? result.tools.filter(isObject) : [];
}
