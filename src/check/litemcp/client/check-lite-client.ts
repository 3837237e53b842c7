// `checkLiteMcpClient`: runs a LiteMCP client under test in the scenarios of the rules, and reports the outcomes.

import { languageOf } from '../../../wire/diagnosis/language.ts';
import { Budget } from '../../budget.ts';
import { mustBeWhole } from '../../client/client-rule-run.ts';
import { type Deadline, inParallel } from '../../in-parallel.ts';
import { concurrencyOf, DEFAULT_TIMEOUT_MS, deadlineOf, type RunOptions, type Seams, tooLate } from '../../jobs.ts';
import { judge } from '../../judge.ts';
import { type CheckReport, countStatuses, type Outcome } from '../../report/report.ts';
import { type Selection, selectRules } from '../../select-rules.ts';
import { shownCommand, type Target, targetOf } from '../../target.ts';
import { notApplicable } from '../../verdict.ts';
import { askedIn, type LiteClientRule, LiteClientRuleRun } from './lite-client-rule.ts';
import { type LiteRun, type LiteScenario, runScenario } from './lite-scenario.ts';
import { liteClientRules } from './rules/index.ts';
import { opens } from './rules/opens.ts';
import { plain, scenarios } from './scenarios.ts';

/**
 * The client is started once for each scenario, as by `checkClient`. It is expected to ask for the tool, which is a calculator with the parameters
 * `a` and `b`, to call it with two numbers, to close and to exit with code 0.
 */
export interface CheckLiteMcpClientOptions extends Target, Selection, RunOptions {
  /** The longest time in which the client does nothing. Default: 10 s. */
  timeoutMs?: number;
  /** Evidence of all rules, not only of those that are violated. */
  allEvidence?: boolean;
}

export async function checkLiteMcpClient(
  options: CheckLiteMcpClientOptions,
  { budget = new Budget() }: Seams = {},
): Promise<CheckReport> {
  const startMs = performance.now();
  const deadline = deadlineOf(options);
  const rules = selectRules(liteClientRules, options);
  const runs = await runAll(rules, options, budget, deadline);
  const all = isOpen(runs[0]!) ? rules : [...new Set([opens, ...rules])];
  const outcomes: Outcome[] = [];
  for (const rule of all) {
    const outcome = await judgeRule(rule, runs, { ...options, budget, deadline });
    outcomes.push(outcome);
    options.onoutcome?.(outcome, outcomes.length, all.length);
  }
  return {
    role: 'client',
    protocol: 'litemcp',
    command: shownCommand(options),
    revisions: [],
    outcomes,
    counts: countStatuses(outcomes),
    durationMs: Math.round(performance.now() - startMs),
  };
}

/** The plain run comes first. A client that does not open in it, or sends too much, is not run again. */
async function runAll(
  rules: readonly LiteClientRule[],
  options: CheckLiteMcpClientOptions,
  budget: Budget,
  deadline: Deadline,
): Promise<LiteRun[]> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
  const common = { target: targetOf(options), timeoutMs, signal, budget, deadline };
  const run = (scenario: LiteScenario) => runScenario(scenario, common);
  const runs = [await run(plain)];
  if (!isOpen(runs[0]!)) return runs;
  const needed = new Set(rules.flatMap((rule) => rule.scenarios));
  const others = scenarios.filter((scenario) => scenario !== plain && needed.has(scenario));
  await inParallel(others, concurrencyOf(options), async (scenario) => {
    if (!deadline.isOver) runs.push(await run(scenario));
  });
  return runs;
}

async function judgeRule(
  rule: LiteClientRule,
  runs: readonly LiteRun[],
  options: CheckLiteMcpClientOptions & { budget: Budget; deadline: Deadline },
): Promise<Outcome> {
  const first = runs[0]!;
  const ruleRun = new LiteClientRuleRun(rule, runs, first);
  const judging = {
    budget: options.budget,
    language: languageOf([options.command, ...(options.args ?? [])].join(' ')),
    hide: (text: string) => first.clientRun.redact(text),
    evidence: () => ruleRun.evidence(),
    allEvidence: options.allEvidence ?? false,
  };
  const outcome = await judge(rule, judging, () => {
    if (rule !== opens && !isOpen(first))
      notApplicable(`the client ${first.clientRun.isFlooded ?? 'does not open'} (${opens.id})`);
    if (isOpen(first) && ruleRun.runs.length < rule.scenarios.length) tooLate(options.deadline.limitMs);
    mustBeWhole(ruleRun.runs);
    rule.check(ruleRun);
  });
  return { ...outcome, durationMs: Math.max(0, ...ruleRun.runs.map(({ durationMs }) => durationMs)) };
}

function isOpen(run: LiteRun): boolean {
  return askedIn(run).length > 0 && run.clientRun.isFlooded === undefined;
}
