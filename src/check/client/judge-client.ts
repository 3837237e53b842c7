// Runs a client under test in the scenarios of the selected rules and judges the rules, in any protocol.

import type { Revision } from '../../mcp/revisions.ts';
import { languageOf } from '../../wire/diagnosis/language.ts';
import { Budget } from '../budget.ts';
import { inParallel } from '../in-parallel.ts';
import { concurrencyOf, DEFAULT_TIMEOUT_MS, deadlineOf, type RunOptions as JobOptions, tooLate } from '../jobs.ts';
import { judge } from '../judge.ts';
import { type CheckReport, countStatuses, type Outcome } from '../report/report.ts';
import { type RuleText, ruleOf } from '../rule.ts';
import { type Selection, selectRules } from '../select-rules.ts';
import { shownCommand, type Target, targetOf } from '../target.ts';
import type { Entry } from '../transcript.ts';
import { notApplicable } from '../verdict.ts';
import { mustBeWhole } from './client-rule-run.ts';
import type { AnyScenario, RunOptions, ScenarioRun } from './scenario.ts';

export interface CheckClientOptions extends Target, Selection, JobOptions {
  /** The longest time without activity of the client. Default: 10 s. */
  timeoutMs?: number;
  /** Includes the evidence of all rules, not only of violated ones. */
  allEvidence?: boolean;
}

interface AnyClientRule<S> extends RuleText {
  readonly scenarios: readonly S[];
}

/** The parts of a client check that depend on the protocol. */
interface ClientCheck<S extends AnyScenario, R extends AnyClientRule<S>, Run extends ScenarioRun<S, unknown>> {
  readonly protocol: 'mcp' | 'litemcp';
  readonly rules: readonly R[];
  /** The id of the rule that all others depend on. */
  readonly opens: string;
  /** All scenarios, the longest first. */
  readonly scenarios: readonly S[];
  readonly plain: S;
  readonly run: (scenario: S, options: RunOptions) => Promise<Run>;
  readonly hasOpened: (plainRun: Run) => boolean;
  /** Reads the runs of the rule. */
  readonly begin: (
    rule: R,
    runs: readonly Run[],
    plain: Run,
  ) => { runs: readonly Run[]; evidence(): Entry[]; check(): void };
  readonly about?: (runs: readonly Run[]) => Pick<CheckReport, 'name' | 'version' | 'revisions'>;
  /** The revision in which the rule is judged. Undefined if the rule does not apply to the revisions of the client. */
  readonly revisionOf?: (rule: R, revisions: readonly Revision[]) => Revision | undefined;
}

export async function judgeClient<
  S extends AnyScenario,
  R extends AnyClientRule<S>,
  Run extends ScenarioRun<S, unknown>,
>(check: ClientCheck<S, R, Run>, options: CheckClientOptions, budget = new Budget()): Promise<CheckReport> {
  const { protocol, about, revisionOf } = check;
  const startMs = performance.now();
  const deadline = deadlineOf(options);
  const selected = selectRules(check.rules, options);
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
  const runs = await runAll(check, selected, options, {
    target: targetOf(options),
    timeoutMs,
    signal,
    budget,
    deadline,
  });
  const first = runs[0]!;
  const isOpen = isTestable(check, first);
  const opens = ruleOf(check.rules, check.opens);
  const { revisions, ...name } = about?.(runs) ?? { revisions: [] };
  const outcomes: Outcome[] = [];
  const rules = isOpen ? selected : [...new Set([opens, ...selected])];
  for (const rule of rules) {
    const ruleRun = check.begin(rule, runs, first);
    const revision = revisionOf?.(rule, revisions);
    const judging = {
      ...(revision && { revision }),
      budget,
      language: languageOf([options.command, ...(options.args ?? [])].join(' ')),
      hide: (text: string) => first.clientRun.redact(text),
      evidence: () => (isOpen ? ruleRun.evidence() : first.clientRun.transcript.entries),
      allEvidence: options.allEvidence ?? false,
    };
    const outcome = await judge(rule, judging, () => {
      if (rule !== opens && !isOpen)
        notApplicable(`the client ${first.clientRun.isFlooded ?? 'does not open'} (${opens.id})`);
      if (rule !== opens && revisionOf && !revision)
        notApplicable('the client does not support a revision that this rule applies to');
      if (ruleRun.runs.length < rule.scenarios.length) tooLate(deadline.limitMs);
      mustBeWhole(ruleRun.runs);
      ruleRun.check();
    });
    const durationMs = isOpen ? Math.max(0, ...ruleRun.runs.map((run) => run.durationMs)) : first.durationMs;
    outcomes.push({ ...outcome, durationMs });
    options.onoutcome?.(outcomes.at(-1)!, outcomes.length, rules.length);
  }
  return {
    role: 'client',
    protocol,
    command: shownCommand(options),
    ...name,
    revisions,
    outcomes,
    counts: countStatuses(outcomes),
    durationMs: Math.round(performance.now() - startMs),
  };
}

/** The plain run comes first. A client that does not open the connection in it, or sends too much, is not run again. */
async function runAll<S extends AnyScenario, R extends AnyClientRule<S>, Run extends ScenarioRun<S, unknown>>(
  check: ClientCheck<S, R, Run>,
  rules: readonly R[],
  options: CheckClientOptions,
  common: RunOptions,
): Promise<Run[]> {
  const runs = [await check.run(check.plain, common)];
  if (!isTestable(check, runs[0]!)) return runs;
  const needed = new Set(rules.flatMap(({ scenarios }) => scenarios));
  const others = check.scenarios.filter((scenario) => scenario !== check.plain && needed.has(scenario));
  await inParallel(others, concurrencyOf(options), async (scenario) => {
    if (!common.deadline.isOver) runs.push(await check.run(scenario, common));
  });
  return runs;
}

function isTestable<Run extends ScenarioRun<AnyScenario, unknown>>(
  { hasOpened }: { hasOpened: (plainRun: Run) => boolean },
  plainRun: Run,
): boolean {
  return hasOpened(plainRun) && plainRun.clientRun.isFlooded === undefined;
}
