// Rules about members of results, and about requests that changed in 2026-07-28.

import { isObject, type JsonObject, metaOf } from '../../../../base/json-object.ts';
import { textOf } from '../../../../base/text-of.ts';
import { SERVER_INFO } from '../../../../mcp/meta.ts';
import { methodsOfMcp } from '../../../../mcp/methods.ts';
import { toolHeaders } from '../../../../mcp/tool-headers.ts';
import { mcp } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import { messagesOf } from '../../probe.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { type Exchange, exchangesOf, modern } from './exchanges.ts';
import { callEach, triedCalls } from './tried-calls.ts';

type Answered = Exchange & { result: JsonObject };

const coreTypes: readonly unknown[] = ['complete', 'input_required'];
const caching = mcp('server/utilities/caching#cacheable-results');

const MESSAGE = 'notifications/message';

const resultRules = serverRows({ ...modern, level: 'MUST', uses: 'seen' }, [
  {
    id: 'modern/result-type',
    title: 'give every result a type',
    says: 'Every result has `resultType`: "complete", "input_required", or a value of an extension that both sides have declared.',
    source: mcp('basic/index#resulttype'),
    fix: 'Add `resultType: "complete"` to every result of a request of 2026-07-28.',
    check: (ruleRun) => {
      const hasExtensions = isObject(ruleRun.facts.opening.capabilities) && ruleRun.facts.capabilities.extensions;
      for (const { method, result, frame } of resultsOf(ruleRun)) {
        const { resultType } = result;
        if (coreTypes.includes(resultType) || (hasExtensions && typeof resultType === 'string')) continue;
        violation(`\`resultType\` of a result of \`${method}\` is ${JSON.stringify(resultType) ?? 'absent'}.`, frame);
      }
    },
  },
  {
    id: 'modern/server-info',
    level: 'SHOULD',
    title: 'include its name and version in every result',
    says: 'Every result has the name and the version of the server in `_meta`, as `io.modelcontextprotocol/serverInfo`.',
    source: mcp('basic/index#meta'),
    fix: 'Add `_meta: { "io.modelcontextprotocol/serverInfo": { name, version } }` to every result.',
    check: (ruleRun) => {
      for (const { method, result, frame } of resultsOf(ruleRun)) {
        const info = metaOf(result)?.[SERVER_INFO];
        if (isObject(info) && typeof info.name === 'string' && typeof info.version === 'string') continue;
        violation(
          `A result of \`${method}\` does not name the server: its \`serverInfo\` is ${JSON.stringify(info) ?? 'absent'}.`,
          frame,
        );
      }
    },
  },
  {
    id: 'modern/ttl',
    title: 'state how long results may be cached',
    says: 'Complete results of `server/discover`, of the lists and of `resources/read` have `ttlMs`, a number of at least 0.',
    source: caching,
    fix: 'Add `ttlMs` to these results, 0 if they must not be cached.',
    check: (ruleRun) => {
      for (const { method, result, frame } of cacheableResultsOf(ruleRun)) {
        const { ttlMs } = result;
        if (typeof ttlMs === 'number' && ttlMs >= 0) continue;
        violation(
          `\`ttlMs\` of a result of \`${method}\` is ${JSON.stringify(ttlMs) ?? 'absent'}, not a number of at least 0.`,
          frame,
        );
      }
    },
  },
  {
    id: 'modern/cache-scope',
    title: 'state who may share cached results',
    says: 'Complete results of `server/discover`, of the lists and of `resources/read` have `cacheScope`: "public" or "private".',
    source: caching,
    fix: 'Add `cacheScope` to these results: "private", or "public" if they are the same for every user.',
    check: (ruleRun) => {
      for (const { method, result, frame } of cacheableResultsOf(ruleRun)) {
        if (result.cacheScope === 'public' || result.cacheScope === 'private') continue;
        const found = JSON.stringify(result.cacheScope) ?? 'absent';
        violation(`\`cacheScope\` of a result of \`${method}\` is ${found}, not "public" or "private".`, frame);
      }
    },
  },
  {
    id: 'modern/one-cache-scope',
    title: 'give all pages of a list the same cache scope',
    says: 'A server applies the same `cacheScope` to all pages of a list.',
    source: mcp('server/utilities/caching#interaction-with-pagination'),
    fix: 'Set `cacheScope` for each list, not for each page.',
    check: (ruleRun) => {
      const pages = cacheableResultsOf(ruleRun).filter(({ method }) => method.endsWith('/list'));
      const first = new Map<string, Answered>();
      for (const each of pages) {
        const { method, params, result, frame } = each;
        const before = first.get(method);
        if (params.cursor === undefined) first.set(method, each);
        else if (before && before.result.cacheScope !== result.cacheScope)
          violation(`Pages of \`${method}\` differ in \`cacheScope\`.`, before.frame, frame);
      }
      if (!pages.some(({ params }) => params.cursor !== undefined)) notApplicable('no list has more than one page');
    },
  },
  {
    id: 'modern/no-retired-error-codes',
    title: 'not use the error codes of earlier revisions',
    says: 'Servers of this revision do not send -32002 (resource not found; replaced by -32602) and -32042 (URL elicitation required; replaced by an `input_required` result).',
    source: mcp('basic/index#error-codes'),
    fix: 'Answer -32602 for a resource that does not exist, and `input_required` where the user has to visit a URL.',
    check: (ruleRun) => {
      for (const { method, error, frame } of exchangesOf(ruleRun)) {
        if (error?.code === -32002 || error?.code === -32042)
          violation(`\`${method}\` was answered with the retired code ${error.code}.`, frame);
      }
    },
  },
  {
    id: 'modern/reserved-error-codes',
    title: 'not use undefined codes of the range reserved for MCP',
    says: 'In the range -32020 to -32099, servers send only codes that the specification defines.',
    source: mcp('basic/index#error-codes'),
    fix: 'Choose your own codes outside of -32768 to -32000.',
    check: (ruleRun) => {
      for (const { method, error, frame } of exchangesOf(ruleRun)) {
        const code = error?.code;
        if (typeof code === 'number' && code <= -32023 && code >= -32099 && code !== -32042)
          violation(`\`${method}\` was answered with ${code}, which the specification does not define.`, frame);
      }
    },
  },
]);

const requestRules = serverRows({ ...modern, uses: 'shared' }, [
  {
    id: 'modern/removed-methods',
    level: 'ADVICE',
    title: 'answer methods of earlier revisions with -32601',
    says: '`ping`, `logging/setLevel`, `resources/subscribe` and `resources/unsubscribe` were removed. In this revision they get the error -32601, like every unknown method.',
    source: mcp('changelog#major-changes'),
    fix: 'Serve the removed methods only to clients that opened the connection with `initialize`.',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const uri = ruleRun.facts.resources[0]?.uri ?? 'check://a';
      const params = { uri, level: 'error' };
      const removed = [...methodsOfMcp].filter(([, { until, isNotification }]) => until && !isNotification);
      for (const [method, { isHandshake }] of removed) {
        if (isHandshake) continue; // `initialize` would open another connection
        const { error, frame } = await conversation.request(method, params);
        if (!error) violation(`\`${method}\` was answered with a result.`, frame);
        if (error.code !== METHOD_NOT_FOUND)
          violation(`\`${method}\` was answered with ${describeError(error)} instead of ${METHOD_NOT_FOUND}.`, frame);
      }
    },
  },
  {
    id: 'modern/logs-on-request',
    level: 'MUST',
    title: 'not send log messages that the request did not enable',
    says: 'A server does not send `notifications/message` for a request without `io.modelcontextprotocol/logLevel` in `_meta`.',
    source: mcp('server/utilities/logging#per-request-log-level'),
    fix: 'Send a log message only if the request that caused it has `io.modelcontextprotocol/logLevel`. Write other logs to stderr.',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const calls = await triedCalls(ruleRun);
      if (calls.length === 0) notApplicable('the check may not call any tool');
      const { frames } = conversation.probe;
      const from = frames.length;
      await callEach(calls, conversation);
      await conversation.barrier();
      const unasked = frames.slice(from).find((frame) => messagesOf(frame).some(({ method }) => method === MESSAGE));
      if (unasked) violation('The server sent a log message although no request had a log level.', unasked);
    },
  },
  {
    id: 'modern/order-of-tools',
    level: 'SHOULD',
    title: 'keep the order of tools',
    says: 'A server lists its tools in the same order each time, so that clients and models can cache them.',
    source: mcp('server/tools#capabilities'),
    fix: {
      any: 'Keep tools in a list or an ordered map, or sort them by name.',
      go: 'Sort the names: the order of a Go map is random.',
    },
    check: async (ruleRun) => {
      if (!ruleRun.facts.capabilities.tools) notApplicable('the server has no tools');
      const conversation = await ruleRun.shared();
      const listed = async () => toolsOf(await conversation.result('tools/list')).map(({ name }) => textOf(name));
      const [first, second] = [await listed(), await listed()];
      if (first.length < 2) notApplicable('the server has fewer than two tools on its first page');
      const isSameSet = [...first].sort().join() === [...second].sort().join();
      if (isSameSet && first.join() !== second.join())
        violation(`The tools were listed as ${first.join(', ')}, and then as ${second.join(', ')}.`);
    },
  },
  {
    id: 'modern/header-hints',
    level: 'MUST',
    title: 'use valid header hints in tools',
    says: '`x-mcp-header` in an input schema is the name of a header, is unique in the tool, and belongs to a string, integer or boolean that is reachable through `properties` only. Clients over HTTP leave out a tool that violates this.',
    source: mcp('server/tools#x-mcp-header'),
    fix: 'Correct or remove the `x-mcp-header` of the tool.',
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
  },
]);

export const modernResultRules = [...resultRules, ...requestRules];

function toolsOf(result: JsonObject | undefined): JsonObject[] {
  return Array.isArray(result?.tools) ? result.tools.filter(isObject) : [];
}

function resultsOf(ruleRun: ServerRuleRun): Answered[] {
  return exchangesOf(ruleRun).filter((each): each is Answered => each.result !== undefined);
}

function cacheableResultsOf(ruleRun: ServerRuleRun): Answered[] {
  return resultsOf(ruleRun).filter(
    ({ method, result }) => methodsOfMcp.get(method)?.isCacheable === true && result.resultType !== 'input_required',
  );
}
