// `checkLiteMcpServer`: runs the rules for servers of LiteMCP, and reports.

import { type Arrange, DEFAULT_TIMEOUT_MS, type Job, type RunOptions, runAll } from '../../jobs.ts';
import { judge, serverJudging } from '../../judge.ts';
import { type Target, targetOf } from '../../process-under-test.ts';
import { type CheckReport, countStatuses, introduction, type Outcome } from '../../report/report.ts';
import { type Selection, selectRules } from '../../select-rules.ts';
import type { NamedCall } from '../../server/calls.ts';
import { notApplicable, violation } from '../../verdict.ts';
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

export async function checkLiteMcpServer(options: CheckLiteMcpServerOptions, arrange?: Arrange): Promise<CheckReport> {
  const startMs = performance.now();
  const rules = selectRules(liteServerRules, options);
  const lane = laneOf(options);
  try {
    await lane.open();
    options.signal?.throwIfAborted();
    if (lane.tool && rules.some(({ uses }) => uses === 'seen')) await lane.observe();
    const outcomes = await (lane.tool
      ? runAll(
          rules.map((rule) => jobOf(rule, lane, options)),
          options,
          arrange,
        )
      : notOpened(rules, lane, options));
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

function laneOf(options: CheckLiteMcpServerOptions): LiteLane {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, allowCalls = [], signal = new AbortController().signal } = options;
  return new LiteLane({ target: targetOf(options), timeoutMs, allowedCalls: allowCalls, signal });
}

function jobOf(rule: LiteServerRule, lane: LiteLane, options: CheckLiteMcpServerOptions): Job {
  const begin = () => {
    const trial = new LiteTrial(lane);
    return {
      judging: serverJudging(options, lane, trial),
      check: () => rule.check(trial),
      leave: (isViolated: boolean) => trial.leave(isViolated),
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
): Promise<Outcome[]> {
  const violated = lane.answersAtEnd ? flushedAtOnce : opens;
  const why = lane.answersAtEnd
    ? 'The answer to "get" came only after the end of stdin.'
    : (lane.problem?.message ?? 'The server did not open.');
  const outcomes: Outcome[] = [];
  const all = new Set([violated, ...rules]);
  for (const rule of all) {
    const run = () => (rule === violated ? violation(why) : notApplicable(`the server does not open (${violated.id})`));
    const outcome = await judge(rule, serverJudging(options, lane), run);
    outcomes.push(outcome);
    options.onoutcome?.(outcome, outcomes.length, all.size);
  }
  return outcomes;
}
