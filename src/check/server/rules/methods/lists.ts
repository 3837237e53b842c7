// Lists and their pages.

import { isObject, jsonKind } from '../../../../base/json-object.ts';
import { before } from '../../../rule.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import type { Facts } from '../../facts.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { INVALID_PARAMS, listIn, proofOf, refused } from './exchange.ts';
import { declaredLists, type ListWalk, surveyOf } from './survey.ts';

export const listsAreAnswered: ServerRule = {
  id: 'methods/lists-are-answered',
  level: 'MUST',
  title: 'answer the lists of its declared capabilities',
  says: 'A server that declares tools, resources or prompts answers the request for their list with an array. Since 2026-07-28 it does not answer with an error.',
  source: { of: 'mcp', page: 'server/tools#listing-tools', pages: { '2026-07-28': 'server/tools#capabilities' } },
  fix: { any: 'Answer the list of each declared capability with an array, or do not declare the capability.' },
  runs: 'each revision',
  uses: 'shared',
  check: async (ruleRun) => {
    for (const { method, member, pages } of await listsOf(ruleRun)) {
      for (const [at, page] of pages.entries()) {
        const { result, error, failure } = page;
        if (failure !== undefined) violation(failure, ...proofOf(page));
        if (error?.code === METHOD_NOT_FOUND && method === 'resources/templates/list') continue;
        if (error && (at > 0 || ruleRun.era === 'legacy')) continue; // cursorsAreAccepted, lifecycle/declared-capabilities-work
        if (error) violation(`\`${method}\` was answered with the error ${describeError(error)}.`, ...proofOf(page));
        if (!result || Array.isArray(result[member])) continue; // not a result of a list: the subject of other rules
        violation(`\`${member}\` in the result of \`${method}\` is ${jsonKind(result[member])}.`, ...proofOf(page));
      }
    }
  },
};

export const cursorsAreAccepted: ServerRule = {
  id: 'methods/cursors-are-accepted',
  level: 'MUST',
  levels: before('2026-07-28', 'SHOULD'),
  title: 'accept the cursors that it gives out',
  says: 'Cursors are stable: a request with the `nextCursor` of a page is answered with the next page. Since 2026-07-28 a list is not answered with an error.',
  source: {
    of: 'mcp',
    page: 'server/utilities/pagination#implementation-guidelines',
    pages: { '2026-07-28': 'server/tools#capabilities' },
  },
  fix: {
    any: 'Answer a `cursor` that you gave out as `nextCursor` with the next page. Leave out `nextCursor` on the last page, and if the list has only one.',
  },
  runs: 'each revision',
  uses: 'shared',
  check: async (ruleRun) => {
    const paged = (await listsOf(ruleRun)).filter(({ pages }) => pages.length > 1);
    if (paged.length === 0) notApplicable('each list has one page');
    for (const { method, pages } of paged) {
      const at = pages.findIndex((page, index) => index > 0 && page.error);
      if (at < 0) continue;
      const page = pages[at]!;
      violation(
        `The server refused the cursor ${JSON.stringify(page.params.cursor)}, which it gave out itself: \`${method}\` was answered with the error ${describeError(page.error!)}.`,
        ...proofOf(pages[at - 1]!),
        ...proofOf(page),
      );
    }
  },
};

export const listsEnd: ServerRule = {
  id: 'methods/lists-end',
  level: 'ADVICE',
  title: 'not repeat a cursor of a list',
  says: 'Cursors are stable: each stands for one position in the results. A cursor that comes a second time leads a client around in circles.',
  source: { of: 'mcp', page: 'server/utilities/pagination#implementation-guidelines' },
  fix: { any: 'Leave out `nextCursor` on the last page, and let each cursor stand for one position in the list.' },
  runs: 'each revision',
  uses: 'shared',
  check: async (ruleRun) => {
    for (const { method, pages, repeated } of await listsOf(ruleRun)) {
      if (repeated === undefined) continue;
      violation(`\`${method}\` gave the cursor ${JSON.stringify(repeated)} a second time.`, ...pages.flatMap(proofOf));
    }
  },
};

export const pagesDoNotOverlap: ServerRule = {
  id: 'methods/pages-do-not-overlap',
  level: 'ADVICE',
  title: 'put each entry on one page only',
  says: 'Cursors are stable: each marks a position in the results, and the page after it begins where the page before it ended.',
  source: { of: 'mcp', page: 'server/utilities/pagination#implementation-guidelines' },
  fix: { any: 'Begin a page with the first entry that the page before it did not have.' },
  runs: 'each revision',
  uses: 'shared',
  check: async (ruleRun) => {
    const paged = (await listsOf(ruleRun)).filter(({ pages }) => pages.length > 1);
    if (paged.length === 0) notApplicable('each list has one page');
    for (const { method, member, pages } of paged) {
      const earlier = new Set<string>();
      for (const page of pages) {
        const entries = listIn(page.result, member).map((entry) => JSON.stringify(entry));
        const again = entries.find((entry) => earlier.has(entry));
        if (again) violation(`\`${method}\` has an entry on two pages: ${again.slice(0, 200)}.`, ...proofOf(page));
        for (const entry of entries) earlier.add(entry);
      }
    }
  },
};

const firstWalk = {
  tools: 'tools',
  resources: 'resources',
  resourceTemplates: 'templates',
  prompts: 'prompts',
} as const satisfies Record<string, keyof Facts>;

export const listsKeepTheirOrder: ServerRule = {
  id: 'methods/lists-keep-their-order',
  level: 'ADVICE',
  title: 'keep the order of lists',
  says: 'Entries of a list that did not change come in the same order each time, so that clients can cache them and cursors stay valid.',
  source: { of: 'standpipe' },
  fix: { any: 'Sort the list, or keep it in a container with a fixed order.' },
  until: '2025-11-25',
  runs: 'each revision',
  uses: 'shared',
  check: async (ruleRun) => {
    for (const { method, member, key, pages } of await listsOf(ruleRun)) {
      const keysOf = (entries: readonly unknown[]) => [
        ...new Set(entries.filter(isObject).map((entry) => JSON.stringify(entry[key]))),
      ];
      const first = keysOf(ruleRun.facts[firstWalk[member as keyof typeof firstWalk]]);
      const second = keysOf(pages.flatMap(({ result }) => listIn(result, member)));
      const both = second.filter((each) => first.includes(each));
      const at = both.findIndex((each, index) => first.filter((other) => both.includes(other))[index] !== each);
      if (at < 0) continue;
      violation(
        `\`${method}\` was asked twice, and the second time ${both[at]} was elsewhere.`,
        ...pages.flatMap(proofOf),
      );
    }
  },
};

export const invalidCursors: ServerRule = {
  id: 'methods/invalid-cursors-are-refused',
  level: 'SHOULD',
  title: 'refuse an invalid cursor with -32602',
  says: 'A request for a list with a cursor that the server did not give out is refused with the code -32602.',
  source: { of: 'mcp', page: 'server/utilities/pagination#error-handling' },
  fix: { any: 'Refuse a cursor that you did not give out with the error -32602, also if all lists have one page.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const lists = declaredLists(ruleRun.facts).filter(({ method }) => method !== 'resources/templates/list');
    if (lists.length === 0) notApplicable('the server declares no lists');
    for (const { method } of lists) {
      const params = { cursor: 'standpipe: no such cursor' };
      await refused(ruleRun, `\`${method}\` with an invalid cursor`, { method, params, code: INVALID_PARAMS });
    }
  },
};

async function listsOf(ruleRun: ServerRuleRun): Promise<readonly ListWalk[]> {
  const { lists } = await surveyOf(ruleRun);
  return lists.length > 0 ? lists : notApplicable('the server declares no lists');
}
