// What every result has, read from all that was answered.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { SERVER_INFO } from '../../../../mcp/meta.ts';
import { methodsOfMcp } from '../../../../mcp/methods.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { type Exchange, exchangesOf } from './exchanges.ts';
import { modernRule, page } from './modern-rule.ts';

type Answered = Exchange & { result: JsonObject };

const coreTypes: readonly unknown[] = ['complete', 'input_required'];
const caching = page('server/utilities/caching#cacheable-results');

function resultsOf(ruleRun: ServerRuleRun): Answered[] {
  return exchangesOf(ruleRun).filter((each): each is Answered => each.result !== undefined);
}

function cacheableResultsOf(ruleRun: ServerRuleRun): Answered[] {
  return resultsOf(ruleRun).filter(
    ({ method, result }) => methodsOfMcp.get(method)?.isCacheable === true && result.resultType !== 'input_required',
  );
}

export const resultRules = [
  modernRule({
    id: 'modern/result-type',
    level: 'MUST',
    title: 'give every result a type',
    says: 'Every result has `resultType`: "complete", "input_required", or a value of an extension that both ends have declared.',
    source: page('basic/index#resulttype'),
    fix: { any: 'Add `resultType: "complete"` to every result of a request of 2026-07-28.' },
    uses: 'seen',
    check: (ruleRun) => {
      const hasExtensions = isObject(ruleRun.facts.opening.capabilities) && ruleRun.facts.capabilities.extensions;
      for (const { method, result, frame } of resultsOf(ruleRun)) {
        const { resultType } = result;
        if (coreTypes.includes(resultType) || (hasExtensions && typeof resultType === 'string')) continue;
        violation(`\`resultType\` of a result of \`${method}\` is ${JSON.stringify(resultType)}.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/server-info',
    level: 'SHOULD',
    title: 'name itself in every result',
    says: 'Every result carries the name and the version of the server in `_meta`, as `io.modelcontextprotocol/serverInfo`.',
    source: page('basic/index#meta'),
    fix: { any: 'Add `_meta: { "io.modelcontextprotocol/serverInfo": { name, version } }` to every result.' },
    uses: 'seen',
    check: (ruleRun) => {
      for (const { method, result, frame } of resultsOf(ruleRun)) {
        const info = isObject(result._meta) ? result._meta[SERVER_INFO] : undefined;
        if (isObject(info) && typeof info.name === 'string' && typeof info.version === 'string') continue;
        violation(`A result of \`${method}\` does not name the server: it has ${JSON.stringify(info)}.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/ttl',
    level: 'MUST',
    title: 'say how long results may be cached',
    says: 'Complete results of `server/discover`, of the lists and of `resources/read` have `ttlMs`, a number of at least 0.',
    source: caching,
    fix: { any: 'Add `ttlMs` to these results, 0 if they must not be cached.' },
    uses: 'seen',
    check: (ruleRun) => {
      for (const { method, result, frame } of cacheableResultsOf(ruleRun)) {
        const { ttlMs } = result;
        if (typeof ttlMs === 'number' && ttlMs >= 0) continue;
        violation(`\`ttlMs\` of a result of \`${method}\` is ${JSON.stringify(ttlMs)}.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/cache-scope',
    level: 'MUST',
    title: 'say for whom results may be cached',
    says: 'Complete results of `server/discover`, of the lists and of `resources/read` have `cacheScope`: "public" or "private".',
    source: caching,
    fix: { any: 'Add `cacheScope` to these results: "private", or "public" if they are the same for every user.' },
    uses: 'seen',
    check: (ruleRun) => {
      for (const { method, result, frame } of cacheableResultsOf(ruleRun)) {
        if (result.cacheScope === 'public' || result.cacheScope === 'private') continue;
        violation(`\`cacheScope\` of a result of \`${method}\` is ${JSON.stringify(result.cacheScope)}.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/one-cache-scope',
    level: 'MUST',
    title: 'give all pages of a list the same cache scope',
    says: 'A server applies the same `cacheScope` to all pages of a list.',
    source: page('server/utilities/caching#interaction-with-pagination'),
    fix: { any: 'Decide on `cacheScope` for each list, not for each page.' },
    uses: 'seen',
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
  }),
  modernRule({
    id: 'modern/no-retired-error-codes',
    level: 'MUST',
    title: 'not use the error codes of earlier revisions',
    says: 'Servers of this revision do not send -32002 (resource not found before: now -32602) and -32042 (URL elicitation required before: now an `input_required` result).',
    source: page('basic/index#error-codes'),
    fix: {
      any: 'Answer -32602 for a resource that does not exist, and `input_required` where the user has to visit a URL.',
    },
    uses: 'seen',
    check: (ruleRun) => {
      for (const { method, error, frame } of exchangesOf(ruleRun)) {
        if (error?.code === -32002 || error?.code === -32042)
          violation(`\`${method}\` was answered with the retired code ${error.code}.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/reserved-error-codes',
    level: 'MUST',
    title: 'not use undefined codes that are reserved for MCP',
    says: 'Of the codes -32020 to -32099, servers send only those that the specification defines.',
    source: page('basic/index#error-codes'),
    fix: { any: 'Choose codes of your own outside of -32768 to -32000.' },
    uses: 'seen',
    check: (ruleRun) => {
      for (const { method, error, frame } of exchangesOf(ruleRun)) {
        const code = error?.code;
        if (typeof code === 'number' && code <= -32023 && code >= -32099 && code !== -32042)
          violation(`\`${method}\` was answered with ${code}, which the specification does not define.`, frame);
      }
    },
  }),
];
