// The checks by role and protocol: their rules, and the function that runs them.

import { type Revision, revisionsOfMcp } from '../mcp/revisions.ts';
import { checkClient } from './client/check-client.ts';
import { clientRules } from './client/rules/index.ts';
import { checkLiteMcpClient } from './litemcp/client/check-lite-client.ts';
import { liteClientRules } from './litemcp/client/rules.ts';
import { checkLiteMcpServer } from './litemcp/server/check-lite-server.ts';
import { liteServerRules } from './litemcp/server/rules/index.ts';
import type { CheckReport } from './report/report.ts';
import { levelOf, linkOf, type RuleText, titleOf } from './rule.ts';
import { type CheckServerOptions, checkServer } from './server/check-server.ts';
import { serverRules } from './server/rules/index.ts';

export type Role = 'server' | 'client';
export type Protocol = 'mcp' | 'litemcp';

/** The members that the rules of all roles and protocols share. */
interface AnyRule extends RuleText {
  readonly since?: Revision;
  readonly until?: Revision;
}

export interface Check {
  readonly rules: readonly AnyRule[];
  readonly run: (options: CheckServerOptions) => Promise<CheckReport>;
  /** The options that only some checks have. */
  readonly has: readonly ('revisions' | 'allowCalls' | 'longCall')[];
}

export const checks: Readonly<Record<Role, Readonly<Record<Protocol, Check>>>> = {
  server: {
    mcp: { rules: serverRules, run: checkServer, has: ['revisions', 'allowCalls', 'longCall'] },
    litemcp: { rules: liteServerRules, run: checkLiteMcpServer, has: ['allowCalls'] },
  },
  client: {
    mcp: { rules: clientRules, run: checkClient, has: [] },
    litemcp: { rules: liteClientRules, run: checkLiteMcpClient, has: [] },
  },
};

/** A rule as data. */
export interface RuleInfo extends Omit<RuleText, 'source'> {
  /** The revisions that the rule applies to, newest first. Empty for LiteMCP, which has one version. */
  readonly revisions: readonly Revision[];
  /** The source in the newest of these revisions. */
  readonly link: string;
}

/** The rules in the order of the report. Does not start a process. */
export function rulesOf(role: Role = 'server', protocol: Protocol = 'mcp'): RuleInfo[] {
  return checks[role][protocol].rules.map((rule) => {
    const { id, says, fix, levels, since = '', until = '9999' } = rule;
    const revisions = protocol === 'mcp' ? revisionsOfMcp.filter((each) => each >= since && each <= until) : [];
    const [newest] = revisions;
    const [level, title] = [levelOf(rule, newest), titleOf(rule, newest)];
    return { id, level, ...(levels && { levels }), title, says, fix, revisions, link: linkOf(rule, newest) };
  });
}
