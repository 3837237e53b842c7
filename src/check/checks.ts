// The four checks, by role and protocol: the rules of each, and the function that runs them.

import { type Revision, revisionsOfMcp } from '../mcp/revisions.ts';
import { linkOf, type RuleText } from './rule.ts';
import { serverRules } from './server/rules/index.ts';
import { appliesTo } from './server/server-rule.ts';

export type Role = 'server' | 'client';
export type Protocol = 'mcp' | 'litemcp';

/** A rule as data. */
export interface RuleInfo {
  readonly id: string;
  readonly level: RuleText['level'];
  readonly title: string;
  readonly says: string;
  readonly fix: RuleText['fix'];
  /** Those that the rule applies to, newest first. Empty for LiteMCP. */
  readonly revisions: readonly Revision[];
  /** Where the newest of them says it. */
  readonly link: string;
}

/** In the order of the report. Starts nothing. */
export function rulesOf(role: Role = 'server', protocol: Protocol = 'mcp'): RuleInfo[] {
  if (role !== 'server' || protocol !== 'mcp') return [];
  return serverRules.map((rule) => {
    const { id, level, title, says, fix } = rule;
    const revisions = revisionsOfMcp.filter((revision) => appliesTo(rule, revision));
    return { id, level, title, says, fix, revisions, link: linkOf(rule, revisions[0]) };
  });
}
