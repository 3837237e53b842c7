// `checkLiteMcpServer`: runs the rules for servers of LiteMCP, and reports.

import { Budget } from '../../budget.ts';
import { DEFAULT_TIMEOUT_MS, deadlineOf, type Job, type RunOptions, runAll, type Seams } from '../../jobs.ts';
import { judge, serverJudging } from '../../judge.ts';
import { type CheckReport, countStatuses, introduction, type Outcome } from '../../report/report.ts';
import { type Selection, selectRules } from '../../select-rules.ts';
import type { NamedCall } from '../../server/calls.ts';
import { type Target, targetOf } from '../../target.ts';
import { notApplicable, Violation } from '../../verdict.ts';
import { LiteLane } from './lite-lane.ts';
import type { LiteServerRule } from './lite-server-rule.ts';
import { LiteTrial } from './lite-trial.ts';
import { liteServerRules } from './rules/index.ts';
import { opens } from './rules/messages/info.ts';
import { flushedAtOnce } from './rules/wire/what-is-written.ts';

export interface CheckLiteMcpServerOptions extends Target, Selection, RunOptions {
  /**
   * The tool, if it may be called. With arguments, by the names of the parameters, it is called with these only; otherwise with the examples
   * of its parameters, and with arguments that it should refuse.
   */
  allowCalls?: readonly NamedCall[];
  /** Evidence of all rules, not only of those that are violated. */
  allEvidence?: boolean;
}

export async function checkLiteMcpServer(
  options: CheckLiteMcpServerOptions,
  { arrange, budget = new Budget() }: Seams = {},
): Promise<CheckReport> {
  const startMs = performance.now();
  const rules = selectRules(liteServerRules, options);
  const deadline = deadlineOf(options);
  const lane = laneOf(options, budget);
  try {
    await lane.open();
    options.signal?.throwIfAborted();
    if (lane.tool && rules.some(({ uses }) => uses === 'seen')) await lane.observe();
    const outcomes = await (lane.tool
      ? runAll(
          rules.map((rule) => jobOf(rule, lane, options, budget)),
          options,
          deadline,
          arrange,
        )
      : notOpened(rules, lane, options, budget));
    const { commandLine, redact } = lane.observed[0]!.process;
    return {
      role: 'server',
      protocol: 'litemcp',
      command: commandLine,
      ...introduction({ name: lane.tool?.name }, redact),
      revisions: [],
      outcomes,
      counts: countStatuses(outcomes),
      durationMs: Math.round(performance.now() - startMs),
    };
  } finally {
    await lane.close();
  }
}

function laneOf(options: CheckLiteMcpServerOptions, budget: Budget): LiteLane {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, allowCalls = [], signal = new AbortController().signal } = options;
  return new LiteLane({ target: targetOf(options), timeoutMs, allowedCalls: allowCalls, signal, budget });
}

function jobOf(rule: LiteServerRule, lane: LiteLane, options: CheckLiteMcpServerOptions, budget: Budget): Job {
  const begin = () => {
    const trial = new LiteTrial(lane);
    return {
      judging: serverJudging(options, lane, budget, trial),
      check: async () => {
        await rule.check(trial);
        trial.mustBeWhole();
        if (rule.uses === 'seen') trial.mustBeWhole(trial.seen);
      },
      leave: (isViolated: boolean) => trial.leave(isViolated),
      lastOutputMs: () => trial.lastOutputMs,
      end: () => trial.end(),
    };
  };
  return { rule, uses: rule.uses, lane, begin };
}

/** One rule is violated, and no other can be tested. */
async function notOpened(
  rules: readonly LiteServerRule[],
  lane: LiteLane,
  options: CheckLiteMcpServerOptions,
  budget: Budget,
): Promise<Outcome[]> {
  const violated = lane.answersAtEnd ? flushedAtOnce : opens;
  const problem = lane.answersAtEnd
    ? new Violation('The answer to "get" came only after the end of stdin.')
    : (lane.problem ?? new Violation('The server did not open.'));
  const outcomes: Outcome[] = [];
  const all = new Set([violated, ...rules]);
  for (const rule of all) {
    const run = () => {
      if (rule === violated) throw problem;
      notApplicable(`the server does not open (${violated.id})`);
    };
    const outcome = await judge(rule, serverJudging(options, lane, budget), run);
    outcomes.push(outcome);
    options.onoutcome?.(outcome, outcomes.length, all.size);
  }
  return outcomes;
}
