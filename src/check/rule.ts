// A rule of the check: one sentence of a specification that can be seen from outside. Rules are data with one function, so that the
// report, the documentation and the tests read the same table.

import { type Revision, revisionsOfMcp } from '../mcp/revisions.ts';
import type { Language } from '../wire/diagnosis/language.ts';

/**
 * MUST: a violation fails the check. SHOULD: it is a warning, unless the check is strict. ADVICE: no specification demands it; it is
 * reported and never fails the check.
 */
export type Level = 'MUST' | 'SHOULD' | 'ADVICE';

/** How often a rule runs: once in all, or in each revision that the server supports and the rule applies to. */
export type Runs = 'once' | 'each era' | 'each revision';

/** What to change, in general and for languages that have a call for it. */
export type Fix = { readonly [language in Language]?: string } & { readonly any: string };

export interface RuleText {
  /** Stable, `family/what-is-right`. It appears in reports, options and CI files. */
  readonly id: string;
  readonly level: Level;
  /** In earlier revisions whose specification uses another word. */
  readonly levels?: Partial<Readonly<Record<Revision, Level>>>;
  /** What the server or client must or should do, without this verb: "not answer notifications". */
  readonly title: string;
  /** The sentence of the specification, in our words. */
  readonly says: string;
  readonly source: Source;
  readonly fix: Fix;
}

/** Where the sentence stands. MCP: a page below the revision, such as `basic/lifecycle#initialization`; another one in some revisions. */
export type Source =
  | { readonly of: 'mcp'; readonly page: string; readonly pages?: Partial<Readonly<Record<Revision, string>>> }
  | { readonly of: 'json-rpc'; readonly anchor: string }
  | { readonly of: 'litemcp' }
  /** No specification has it; users expect it. The link leads to its heading in `docs/check.md`. */
  | { readonly of: 'standpipe' };

export function levelOf({ level, levels }: Pick<RuleText, 'level' | 'levels'>, revision?: Revision): Level {
  return (revision && levels?.[revision]) ?? level;
}

const verbs: Readonly<Record<Level, string>> = { MUST: 'must ', SHOULD: 'should ', ADVICE: '' };

/** The title as a requirement: "must not answer notifications". Advice is an imperative. */
export function titleOf(rule: Pick<RuleText, 'level' | 'levels' | 'title'>, revision?: Revision): string {
  const level = levelOf(rule, revision);
  return verbs[level] + (level === 'ADVICE' ? rule.title.replace(/^not /, 'do not ') : rule.title);
}

/** `levels` of a rule whose sentence is in this revision and later ones. */
export function before(revision: Revision, level: Level): NonNullable<RuleText['levels']> {
  return Object.fromEntries(revisionsOfMcp.filter((each) => each < revision).map((each) => [each, level]));
}

export function familyOf(id: string): string {
  return id.slice(0, id.indexOf('/'));
}

export function linkOf({ id, source }: RuleText, revision: Revision = revisionsOfMcp[0]!): string {
  switch (source.of) {
    case 'mcp':
      return `https://modelcontextprotocol.io/specification/${revision}/${source.pages?.[revision] ?? source.page}`;
    case 'json-rpc':
      return `https://www.jsonrpc.org/specification#${source.anchor}`;
    case 'litemcp':
      return 'https://github.com/YELANDAOKONG/LiteMCP/tree/main/docs/protocols/main/versions/protocol-1-0-0';
    case 'standpipe':
      // A file of the package. The heading of a rule is its id.
      return `docs/check.md#${id.replace('/', '')}`;
  }
}
