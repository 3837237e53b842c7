// `checkLiteMcpServer`: runs the rules for LiteMCP servers and reports the outcomes.

import { Budget } from '../../budget.ts';
import { checkAlone } from '../../check-alone.ts';
import { closing, DEFAULT_TIMEOUT_MS, deadlineOf, type Job, type RunOptions, runAll, type Seams } from '../../jobs.ts';
import { judge, serverJudging } from '../../judge.ts';
import { type CheckReport, countStatuses, introduction, type Outcome } from '../../report/report.ts';
import { ruleOf } from '../../rule.ts';
import { type Selection, selectRules } from '../../select-rules.ts';
import { mustBeTools, type NamedCall } from '../../server/calls.ts';
import { type Target, targetOf } from '../../target.ts';
import { notApplicable, Violation } from '../../verdict.ts';
import { LiteRuleRun, type LiteServerRule } from './lite-rule-run.ts';
import { LiteServerRun } from './lite-server-run.ts';
import { liteServerRules } from './rules/index.ts';

export interface CheckLiteMcpServerOptions extends Target, Selection, RunOptions {
  /**
   * The tool, if the check may call it. With arguments by parameter name, the check uses only these; otherwise it uses the examples of the
   * parameters, and arguments that the tool should refuse.
   */
  allowCalls?: readonly NamedCall[];
  /** Includes the evidence of all rules, not only of those that are violated. */
  allEvidence?: boolean;
}

export async function checkLiteMcpServer(
  options: CheckLiteMcpServerOptions,
  { arrange, budget = new Budget() }: Seams = {},
): Promise<CheckReport> {
  const startMs = performance.now();
  const rules = selectRules(liteServerRules, options);
  const deadline = deadlineOf(options);
  const revisionRun = revisionRunOf(options, budget);
  return closing([revisionRun], options.signal, async () => {
    await revisionRun.open();
    options.signal?.throwIfAborted();
    mustBeTools(options.allowCalls ?? [], revisionRun.tool ? [revisionRun.tool] : []);
    if (revisionRun.tool && rules.some(({ uses }) => uses === 'seen')) await revisionRun.observe();
    const outcomes = await (revisionRun.tool
      ? runAll(
          rules.map((rule) => jobOf(rule, revisionRun, options, budget)),
          options,
          deadline,
          arrange,
        )
      : notOpened(rules, revisionRun, options, budget));
    const { commandLine, redact } = revisionRun.observed[0]!.process;
    return {
      role: 'server',
      protocol: 'litemcp',
      command: commandLine,
      ...introduction({ name: revisionRun.tool?.name }, redact),
      revisions: [],
      outcomes,
      counts: countStatuses(outcomes),
      durationMs: Math.round(performance.now() - startMs),
    };
  });
}

function revisionRunOf(options: CheckLiteMcpServerOptions, budget: Budget): LiteServerRun {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, allowCalls = [], signal = new AbortController().signal } = options;
  return new LiteServerRun({ target: targetOf(options), timeoutMs, allowedCalls: allowCalls, signal, budget });
}

function jobOf(
  rule: LiteServerRule,
  revisionRun: LiteServerRun,
  options: CheckLiteMcpServerOptions,
  budget: Budget,
): Job {
  const begin = (isAlone: boolean) => {
    const ruleRun = new LiteRuleRun(revisionRun, isAlone);
    const check = () => rule.check(ruleRun);
    return {
      judging: serverJudging(options, revisionRun, budget, ruleRun),
      check: async () => {
        await (isAlone ? checkAlone(rule, ruleRun, check, async () => false) : check());
        ruleRun.mustBeWhole();
        if (rule.uses === 'seen') ruleRun.mustBeWhole(ruleRun.seen);
      },
      leave: (isViolated: boolean) => ruleRun.leave(isViolated),
      lastingEnds: () => ruleRun.lastingEnds,
      rest: () => ruleRun.rest(),
      lastOutputMs: () => ruleRun.lastOutputMs,
      end: () => ruleRun.end(),
    };
  };
  return { rule, uses: rule.uses, revisionRun, begin };
}

/** The outcomes if the server does not open: one rule is violated, and the others cannot be tested. */
async function notOpened(
  rules: readonly LiteServerRule[],
  revisionRun: LiteServerRun,
  options: CheckLiteMcpServerOptions,
  budget: Budget,
): Promise<Outcome[]> {
  const violated = ruleOf(
    liteServerRules,
    revisionRun.answersAtEnd ? 'litemcp-wire/flushed-at-once' : 'litemcp-messages/get-is-answered',
  );
  const problem = revisionRun.answersAtEnd
    ? new Violation('The answer to "get" arrived only after the end of stdin.')
    : (revisionRun.problem ?? new Violation('The server did not open.'));
  const outcomes: Outcome[] = [];
  const all = new Set([violated, ...rules]);
  for (const rule of all) {
    const run = () => {
      if (rule === violated) throw problem;
      notApplicable(`the server does not open (${violated.id})`);
    };
    const outcome = await judge(rule, serverJudging(options, revisionRun, budget), run);
    outcomes.push(outcome);
    options.onoutcome?.(outcome, outcomes.length, all.size);
  }
  return outcomes;
}
