// What else changed in 2026-07-28: removed methods, log messages by request, header hints of tools.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { textOf } from '../../../../base/text-of.ts';
import { methodsOfMcp } from '../../../../mcp/methods.ts';
import { toolHeaders } from '../../../../mcp/tool-headers.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import { messagesOf } from '../../probe.ts';
import { exchangesOf } from './exchanges.ts';
import { modernRule, page } from './modern-rule.ts';
import { callEach, triedCalls } from './tried-calls.ts';

const MESSAGE = 'notifications/message';

export const requestRules = [
  modernRule({
    id: 'modern/removed-methods',
    level: 'ADVICE',
    title: 'answer methods of earlier revisions with -32601',
    says: '`ping`, `logging/setLevel`, `resources/subscribe` and `resources/unsubscribe` were removed. A request of this revision for them gets the error -32601, as for every unknown method.',
    source: page('changelog#major-changes'),
    fix: { any: 'Serve the removed methods only to clients that opened the connection with `initialize`.' },
    uses: 'shared',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const uri = ruleRun.facts.resources[0]?.uri ?? 'check://a';
      const params = { uri, level: 'error' };
      const removed = [...methodsOfMcp].filter(([, { until, isNotification }]) => until && !isNotification);
      for (const [method, { isHandshake }] of removed) {
        if (isHandshake) continue; // it opens another connection
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
    title: 'not send log messages that no request asked for',
    says: 'A server sends no `notifications/message` for a request without `io.modelcontextprotocol/logLevel` in `_meta`.',
    source: page('server/utilities/logging#per-request-log-level'),
    fix: {
      any: 'Send a log message only if the request that caused it has `io.modelcontextprotocol/logLevel`. Everything else belongs to stderr.',
    },
    uses: 'shared',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const calls = await triedCalls(ruleRun);
      if (calls.length === 0) notApplicable('there is no call that may be made');
      const { frames } = conversation.probe;
      const from = frames.length;
      await callEach(calls, conversation);
      await conversation.barrier();
      const unasked = frames.slice(from).find((frame) => messagesOf(frame).some(({ method }) => method === MESSAGE));
      if (unasked) violation('A log message came although no request asked for any.', unasked);
    },
  }),
  modernRule({
    id: 'modern/order-of-tools',
    level: 'SHOULD',
    title: 'keep the order of tools',
    says: 'A server lists its tools in the same order each time, so that clients and models can cache them.',
    source: page('server/tools#capabilities'),
    fix: {
      any: 'Keep tools in a list or an ordered map, or sort them by name.',
      go: 'Sort the names: the order of a Go map is random.',
    },
    uses: 'shared',
    check: async (ruleRun) => {
      if (!ruleRun.facts.capabilities.tools) notApplicable('the server has no tools');
      const conversation = await ruleRun.shared();
      const listed = async () => toolsOf(await conversation.result('tools/list')).map(({ name }) => textOf(name));
      const [first, second] = [await listed(), await listed()];
      if (first.length < 2) notApplicable('the server has fewer than two tools on its first page');
      const isSameSet = [...first].sort().join() === [...second].sort().join();
      if (isSameSet && first.join() !== second.join())
        violation(`The tools were listed as ${first.join(', ')} and then as ${second.join(', ')}.`);
    },
  }),
  modernRule({
    id: 'modern/header-hints',
    level: 'MUST',
    title: 'use valid header hints in tools',
    says: '`x-mcp-header` in an input schema is the name of a header, is unique in the tool, and stands at a string, integer or boolean that only `properties` lead to. Clients over HTTP leave out a tool that breaks this.',
    source: page('server/tools#x-mcp-header'),
    fix: { any: 'Correct or remove the `x-mcp-header` of the tool.' },
    uses: 'seen',
    check: (ruleRun) => {
      const lists = exchangesOf(ruleRun).filter(({ method }) => method === 'tools/list');
      let isHinted = false;
      for (const { result, frame } of lists) {
        for (const { name, inputSchema } of toolsOf(result)) {
          if (!isObject(inputSchema)) continue;
          const headers = toolHeaders(inputSchema);
          if (typeof headers === 'string') violation(`The tool \`${textOf(name)}\`: ${headers}.`, frame);
          isHinted ||= headers.length > 0;
        }
      }
      if (!isHinted) notApplicable('no tool has header hints');
    },
  }),
];

function toolsOf(result: JsonObject | undefined): JsonObject[] {
  return Array.isArray(result?.tools) ? result.tools.filter(isObject) : [];
}
