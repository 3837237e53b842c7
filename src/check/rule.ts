// A rule of the check: one sentence of a specification whose violation is visible from outside. Rules are data with one function: reports,
// documentation and tests read the same tables.

import { type Revision, revisionsOfMcp } from '../mcp/revisions.ts';
import type { Language } from '../wire/diagnosis/language.ts';

/**
 * MUST: a violation fails the check. SHOULD: it is a warning, unless the check is strict. ADVICE: no specification demands it; it is
 * reported and never fails the check.
 */
export type Level = 'MUST' | 'SHOULD' | 'ADVICE';

/** How often a rule runs: once per check, or once in each era or revision that the server supports and the rule applies to. */
export type Runs = 'once' | 'each era' | 'each revision';

/** The change that fixes a violation: in any language, and with the calls of certain languages. */
export type Fix = { readonly [language in Language]?: string } & { readonly any: string };

export interface RuleText {
  /** A stable id, `family/what-is-right`. It appears in reports, options and CI files. */
  readonly id: string;
  readonly level: Level;
  /** Levels in revisions whose specification uses another word. */
  readonly levels?: Partial<Readonly<Record<Revision, Level>>>;
  /** The requirement without "must" or "should": "not answer notifications". */
  readonly title: string;
  /** The sentence of the specification, in our words. */
  readonly says: string;
  readonly source: Source;
  readonly fix: Fix;
}

/** The address of the sentence (sources.ts). A page of an extension is a whole address. */
export type Source =
  | { readonly of: 'mcp'; readonly page: string; readonly pages?: Partial<Readonly<Record<Revision, string>>> }
  | { readonly of: 'json-rpc'; readonly anchor: string }
  | { readonly of: 'litemcp' }
  /**
   * Users expect it, but no specification requires it. The link leads to the heading of the rule in `docs/check.md`.
   */
  | { readonly of: 'standpipe' };

/**
 * A rule as it is written in the source. A `fix` that is a string applies to all languages. A rule without a `source`
 * is not in a specification.
 */
export type Written<R extends RuleText> = Omit<R, 'fix' | 'source'> & {
  readonly fix: Fix | string;
  readonly source?: Source;
};

export function complete<R extends RuleText>({ fix, source = { of: 'standpipe' }, ...rest }: Written<R>): R {
  return { ...rest, source, fix: typeof fix === 'string' ? { any: fix } : fix } as unknown as R;
}

/** Returns a function that completes rows with the members that they have in common. A row may replace them. */
export function rowsOf<R extends RuleText>() {
  return <C extends Partial<Written<R>>>(
    common: C,
    rows: readonly (Omit<Written<R>, keyof C> & Partial<Written<R>>)[],
  ): R[] => rows.map((row) => complete({ ...common, ...row } as unknown as Written<R>));
}

export function ruleOf<R extends RuleText>(rules: readonly R[], id: string): R {
  return rules.find((rule) => rule.id === id)!;
}

export function levelOf({ level, levels }: Pick<RuleText, 'level' | 'levels'>, revision?: Revision): Level {
  return (revision && levels?.[revision]) ?? level;
}

const verbs: Readonly<Record<Level, string>> = { MUST: 'must ', SHOULD: 'should ', ADVICE: '' };

/** The title as a requirement: "must not answer notifications". Advice is an imperative. */
export function titleOf(rule: Pick<RuleText, 'level' | 'levels' | 'title'>, revision?: Revision): string {
  const level = levelOf(rule, revision);
  return verbs[level] + (level === 'ADVICE' ? rule.title.replace(/^not /, 'do not ') : rule.title);
}

/** `levels` of a rule that has another level in all revisions before this one. */
export function before(revision: Revision, level: Level): NonNullable<RuleText['levels']> {
  return Object.fromEntries(revisionsOfMcp.filter((each) => each < revision).map((each) => [each, level]));
}

export function familyOf(id: string): string {
  return id.slice(0, id.indexOf('/'));
}

export function linkOf({ id, source }: RuleText, revision: Revision = revisionsOfMcp[0]!): string {
  switch (source.of) {
    case 'mcp': {
      const page = source.pages?.[revision] ?? source.page;
      return page.startsWith('https:') ? page : `https://modelcontextprotocol.io/specification/${revision}/${page}`;
    }
    case 'json-rpc':
      return `https://www.jsonrpc.org/specification#${source.anchor}`;
    case 'litemcp':
      return 'https://github.com/YELANDAOKONG/LiteMCP/tree/main/docs/protocols/main/versions/protocol-1-0-0';
    case 'standpipe':
      // The package contains this file. The heading of a rule is its id.
      return `docs/check.md#${id.replace('/', '')}`;
  }
}
