// `checkLiteMcpClient`: the check of a LiteMCP client.

import { type CheckClientOptions, judgeClient } from '../../client/judge-client.ts';
import type { Seams } from '../../jobs.ts';
import type { CheckReport } from '../../report/report.ts';
import { askedIn, LiteClientRuleRun } from './lite-client-rule.ts';
import { type LiteRun, runScenario } from './played-lite.ts';
import { liteClientRules } from './rules.ts';
import { plain, scenarios } from './scenarios.ts';

export type CheckLiteMcpClientOptions = CheckClientOptions;

/**
 * The client is started once for each scenario, as by `checkClient`. It is expected to request the tool, which is a calculator with the
 * parameters `a` and `b`, to call it with two numbers, to close and to exit with code 0.
 */
export function checkLiteMcpClient(options: CheckLiteMcpClientOptions, { budget }: Seams = {}): Promise<CheckReport> {
  const check = {
    protocol: 'litemcp',
    rules: liteClientRules,
    opens: 'litemcp-client/opens',
    scenarios,
    plain,
    run: runScenario,
    hasOpened: (run: LiteRun) => askedIn(run).length > 0,
    begin: (rule: (typeof liteClientRules)[number], runs: readonly LiteRun[], first: LiteRun) => {
      const ruleRun = new LiteClientRuleRun(rule, runs, first);
      return { runs: ruleRun.runs, evidence: () => ruleRun.evidence(), check: () => rule.check(ruleRun) };
    },
  } as const;
  return judgeClient(check, options, budget);
}
