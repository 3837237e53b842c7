// Rules about lists, their pages and the capabilities that declare them.

import { isObject, type JsonObject, jsonKind } from '../../../../base/json-object.ts';
import { methodsOfMcp } from '../../../../mcp/methods.ts';
import { before } from '../../../rule.ts';
import { mcp } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import type { Facts } from '../../facts.ts';
import { messagesOf } from '../../probe.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { exchange, INVALID_PARAMS, listIn, proofOf, refused } from './exchange.ts';
import { declaredLists, type ListWalk, surveyOf } from './survey.ts';

const guidelines = mcp('server/utilities/pagination#implementation-guidelines');

const firstWalk = {
  tools: 'tools',
  resources: 'resources',
  resourceTemplates: 'templates',
  prompts: 'prompts',
} as const satisfies Record<string, keyof Facts>;

export const listRules = serverRows({ level: 'ADVICE', runs: 'each revision', uses: 'shared' }, [
  {
    id: 'methods/capabilities-are-declared',
    level: 'MUST',
    title: 'declare the tools, resources and prompts that it has',
    says: 'A server that supports tools, resources or prompts declares the capability. Clients do not request undeclared lists.',
    source: mcp('server/tools#capabilities'),
    fix: 'Declare the capability in the answer to `initialize` or `server/discover`.',
    check: async (ruleRun) => {
      const { capabilities } = ruleRun.facts;
      const undeclared = (['tools', 'resources', 'prompts'] as const).filter((each) => !capabilities[each]);
      for (const member of undeclared) {
        const made = await exchange(ruleRun, `${member}/list`, {});
        if (listIn(made.result, member).length === 0) continue;
        violation(`The server has ${member} and does not declare the capability.`, ...proofOf(made));
      }
    },
  },
  {
    id: 'methods/lists-are-answered',
    level: 'MUST',
    title: 'answer the lists of its declared capabilities',
    says: 'A server that declares tools, resources or prompts answers the request for their list with an array. Since 2026-07-28 it does not answer with an error.',
    source: mcp('server/tools#listing-tools', { '2026-07-28': 'server/tools#capabilities' }),
    fix: 'Answer the list of each declared capability with an array, or do not declare the capability.',
    check: async (ruleRun) => {
      for (const { method, member, pages } of await listsOf(ruleRun)) {
        for (const [at, page] of pages.entries()) {
          const { result, error, failure } = page;
          if (failure !== undefined) violation(failure, ...proofOf(page));
          if (error?.code === METHOD_NOT_FOUND && method === 'resources/templates/list') continue;
          // methods/cursors-are-accepted or lifecycle/declared-capabilities-work reports this error.
          if (error && (at > 0 || ruleRun.era === 'legacy')) continue;
          if (error) violation(`\`${method}\` was answered with the error ${describeError(error)}.`, ...proofOf(page));
          if (!result || Array.isArray(result[member])) continue; // other rules report a result that is not a list
          violation(
            `\`${member}\` in the result of \`${method}\` is ${jsonKind(result[member])}, not an array.`,
            ...proofOf(page),
          );
        }
      }
    },
  },
  {
    id: 'methods/cursors-are-accepted',
    level: 'MUST',
    levels: before('2026-07-28', 'SHOULD'),
    title: 'accept the cursors that it returned',
    says: 'Cursors are stable: a request with the `nextCursor` of a page is answered with the next page. Since 2026-07-28 a list is not answered with an error.',
    source: mcp('server/utilities/pagination#implementation-guidelines', { '2026-07-28': 'server/tools#capabilities' }),
    fix: 'Answer a `cursor` that you returned as `nextCursor` with the next page. Leave out `nextCursor` on the last or only page.',
    check: async (ruleRun) => {
      for (const { method, pages } of await pagedLists(ruleRun)) {
        const at = pages.findIndex((page, index) => index > 0 && page.error);
        if (at < 0) continue;
        const page = pages[at]!;
        violation(
          `The server refused the cursor ${JSON.stringify(page.params.cursor)}, which it had returned itself: \`${method}\` was answered with the error ${describeError(page.error!)}.`,
          ...proofOf(pages[at - 1]!),
          ...proofOf(page),
        );
      }
    },
  },
  {
    id: 'methods/lists-end',
    title: 'not repeat a cursor of a list',
    says: 'Cursors are stable: each marks one position in the results. With a repeated cursor, a client reads the same pages without end.',
    source: guidelines,
    fix: 'Leave out `nextCursor` on the last page, and use a different cursor for each position in the list.',
    check: async (ruleRun) => {
      for (const { method, pages, repeated } of await listsOf(ruleRun)) {
        if (repeated === undefined) continue;
        violation(
          `\`${method}\` returned the cursor ${JSON.stringify(repeated)} a second time.`,
          ...pages.flatMap(proofOf),
        );
      }
    },
  },
  {
    id: 'methods/pages-do-not-overlap',
    title: 'put each entry on one page only',
    says: 'Cursors are stable: each marks a position in the results, and a page begins where the previous page ended.',
    source: guidelines,
    fix: 'Begin a page with the first entry that is not on the previous page.',
    check: async (ruleRun) => {
      for (const { method, member, pages } of await pagedLists(ruleRun)) {
        const earlier = new Set<string>();
        for (const page of pages) {
          const entries = listIn(page.result, member).map((entry) => JSON.stringify(entry));
          const again = entries.find((entry) => earlier.has(entry));
          if (again) violation(`\`${method}\` has an entry on two pages: ${again.slice(0, 200)}.`, ...proofOf(page));
          for (const entry of entries) earlier.add(entry);
        }
      }
    },
  },
  {
    id: 'methods/lists-keep-their-order',
    title: 'keep the order of lists',
    says: 'The entries of an unchanged list have the same order each time, so that clients can cache them and cursors stay valid.',
    fix: 'Sort the list, or keep it in a container with a fixed order.',
    until: '2025-11-25',
    check: async (ruleRun) => {
      for (const { method, member, key, pages } of await listsOf(ruleRun)) {
        const keysOf = (entries: readonly unknown[]) => [
          ...new Set(entries.filter(isObject).map((entry) => JSON.stringify(entry[key]))),
        ];
        const first = keysOf(ruleRun.facts[firstWalk[member as keyof typeof firstWalk]]);
        const second = keysOf(pages.flatMap(({ result }) => listIn(result, member)));
        const moved = movedEntry(first, second);
        if (moved === undefined) continue;
        violation(
          `\`${method}\` was requested twice, and ${moved} had another position the second time.`,
          ...pages.flatMap(proofOf),
        );
      }
    },
  },
  {
    id: 'methods/invalid-cursors-are-refused',
    endIsReportedBy: 'methods/wrong-requests-are-answered',
    level: 'SHOULD',
    title: 'refuse an invalid cursor with -32602',
    says: 'A request for a list with a cursor that the server did not return is refused with the code -32602.',
    source: mcp('server/utilities/pagination#error-handling'),
    fix: 'Refuse a cursor that you did not return with the error -32602, even if all lists have one page.',
    runs: 'each era',
    check: async (ruleRun) => {
      const lists = declaredLists(ruleRun.facts).filter(({ method }) => method !== 'resources/templates/list');
      if (lists.length === 0) notApplicable('the server does not declare a list');
      for (const { method } of lists) {
        const params = { cursor: 'standpipe: no such cursor' };
        await refused(ruleRun, `\`${method}\` with an invalid cursor`, { method, params, code: INVALID_PARAMS });
      }
    },
  },
  {
    id: 'methods/list-changes-are-declared',
    level: 'SHOULD',
    title: 'declare the list changes that it sends',
    says: 'A server that sends `list_changed` declares `listChanged: true` in the capability of the list.',
    source: mcp('basic/lifecycle#operation'),
    fix: 'Declare `"listChanged": true`, or do not send the notification.',
    until: '2025-11-25',
    uses: 'seen',
    check: ({ seen, facts }) => {
      let any = false;
      for (const frame of seen.flatMap(({ frames }) => frames)) {
        for (const { method } of messagesOf(frame)) {
          const { capability: member, filter } = methodsOfMcp.get(method as string) ?? {};
          if (!member || !filter?.endsWith('ListChanged')) continue;
          any = true;
          const capability = (facts.capabilities as JsonObject)[member];
          if (isObject(capability) && capability.listChanged === true) continue;
          violation(`The server sent \`${method}\` and does not declare \`${member}.listChanged\`.`, frame);
        }
      }
      if (!any) notApplicable('the server did not report a change of a list');
    },
  },
]);

/** The first entry of `second` whose position among the entries of both lists has changed. Linear: a list may have thousands of entries. */
export function movedEntry(first: readonly string[], second: readonly string[]): string | undefined {
  const inBoth = (entries: readonly string[], others: readonly string[]) => {
    const known = new Set(others);
    return entries.filter((entry) => known.has(entry));
  };
  const before = inBoth(first, second);
  return inBoth(second, first).find((entry, at) => before[at] !== entry);
}

async function listsOf(ruleRun: ServerRuleRun): Promise<readonly ListWalk[]> {
  const { lists } = await surveyOf(ruleRun);
  return lists.length > 0 ? lists : notApplicable('the server does not declare a list');
}

async function pagedLists(ruleRun: ServerRuleRun): Promise<readonly ListWalk[]> {
  const paged = (await listsOf(ruleRun)).filter(({ pages }) => pages.length > 1);
  return paged.length > 0 ? paged : notApplicable('each list has one page');
}
