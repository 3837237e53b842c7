// `checkClient`: runs a client under test in the scenarios of the rules, and reports the outcomes.

import { isObject } from '../../base/json-object.ts';
import { CLIENT_INFO, PROTOCOL_VERSION_KEY } from '../../mcp/meta.ts';
import { NEWEST_LEGACY, type Revision, revisionsOfMcp } from '../../mcp/revisions.ts';
import { languageOf } from '../../wire/diagnosis/language.ts';
import { Budget } from '../budget.ts';
import { type Deadline, inParallel } from '../in-parallel.ts';
import { DEFAULT_TIMEOUT_MS, deadlineOf, type Seams, tooLate } from '../jobs.ts';
import { judge } from '../judge.ts';
import { type CheckReport, countStatuses, introduction, type Outcome } from '../report/report.ts';
import { type Selection, selectRules } from '../select-rules.ts';
import { appliesTo } from '../server/server-rule.ts';
import { shownCommand, type Target, targetOf } from '../target.ts';
import { notApplicable } from '../verdict.ts';
import type { ClientRule } from './client-rule.ts';
import { ClientRuleRun, mustBeWhole } from './client-rule-run.ts';
import { clientRules } from './rules/index.ts';
import { opens } from './rules/opens.ts';
import { askedIn, hasOpened, type Run, runScenario, type Scenario } from './scenario.ts';
import { plain, scenarios } from './scenarios/index.ts';

/**
 * The client is started once for each scenario. In its arguments, `{server}` stands for the words of the command that starts our server, and
 * `{config}` for the path of an `mcp.json` with one server, `check`. The environment has both: STANDPIPE_CHECK_SERVER (a JSON array) and
 * STANDPIPE_CHECK_CONFIG; STANDPIPE_CHECK_SCENARIO is the name of the scenario. It is expected to connect, to list the tools, to call the tool
 * `echo` with a `text`, to close and to exit with code 0.
 */
export interface CheckClientOptions extends Target, Selection {
  /** The longest time in which the client does nothing. Default: 10 s. */
  timeoutMs?: number;
  /** Evidence of all rules, not only of those that are violated. */
  allEvidence?: boolean;
  /** Time limit of the whole check. Default: 30 times `timeoutMs`. Rules that are not reached are violated. */
  limitMs?: number;
  /** Processes of the client that run at a time. Default: 4. */
  concurrency?: number;
  signal?: AbortSignal;
  /** Called after each rule. */
  onoutcome?: (outcome: Outcome, done: number, of: number) => void;
}

export async function checkClient(
  options: CheckClientOptions,
  { budget = new Budget() }: Seams = {},
): Promise<CheckReport> {
  const startMs = performance.now();
  const deadline = deadlineOf(options);
  const rules = selectRules(clientRules, options);
  const runs = await runAll(rules, options, budget, deadline);
  const revisions = revisionsIn(runs);
  const outcomes: Outcome[] = [];
  for (const rule of isTestable(runs[0]!) ? rules : new Set([opens, ...rules])) {
    const outcome = await judgeRule(rule, runs, revisions, { ...options, budget, deadline });
    outcomes.push(outcome);
    options.onoutcome?.(outcome, outcomes.length, rules.length);
  }
  return {
    role: 'client',
    protocol: 'mcp',
    command: shownCommand(options),
    ...nameIn(runs),
    revisions,
    outcomes,
    counts: countStatuses(outcomes),
    durationMs: Math.round(performance.now() - startMs),
  };
}

/** The plain run comes first. A client that does not connect in it, or sends too much, is not run again. */
async function runAll(
  rules: readonly ClientRule[],
  options: CheckClientOptions,
  budget: Budget,
  deadline: Deadline,
): Promise<Run[]> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal, concurrency = 4 } = options;
  const common = { target: targetOf(options), timeoutMs, signal, budget, deadline };
  const run = (scenario: Scenario) => runScenario(scenario, common);
  const first = await run(plain);
  if (!isTestable(first)) return [first];
  const needed = new Set(rules.flatMap((rule) => rule.scenarios));
  const others = scenarios.filter((scenario) => scenario !== plain && needed.has(scenario));
  const runs = [first];
  await inParallel(others, Math.max(1, concurrency), async (scenario) => {
    if (!deadline.isOver) runs.push(await run(scenario));
  });
  return runs;
}

async function judgeRule(
  rule: ClientRule,
  runs: readonly Run[],
  revisions: readonly Revision[],
  options: CheckClientOptions & { budget: Budget; deadline: Deadline },
): Promise<Outcome> {
  const first = runs[0]!;
  const isConnected = isTestable(first);
  const ruleRun = new ClientRuleRun(rule, runs, first);
  // A client with an unknown revision is treated like one before 2026-07-28.
  const spoken = revisions.length > 0 ? revisions : [NEWEST_LEGACY];
  const revision = spoken.find((each) => appliesTo(rule, each));
  const judging = {
    ...(revision && { revision }),
    budget: options.budget,
    language: languageOf([options.command, ...(options.args ?? [])].join(' ')),
    hide: (text: string) => first.clientRun.redact(text),
    evidence: () => (isConnected ? ruleRun.evidence() : first.clientRun.transcript.entries),
    allEvidence: options.allEvidence ?? false,
  };
  const outcome = await judge(rule, judging, () => {
    if (rule !== opens && !isConnected)
      notApplicable(`the client ${first.clientRun.isFlooded ?? 'does not open'} (${opens.id})`);
    if (rule !== opens && !revision) notApplicable('the client speaks no revision that this rule applies to');
    if (ruleRun.runs.length < rule.scenarios.length) tooLate(options.deadline.limitMs);
    mustBeWhole(ruleRun.runs);
    rule.check(ruleRun);
  });
  return {
    ...outcome,
    durationMs: isConnected ? Math.max(0, ...ruleRun.runs.map((run) => run.durationMs)) : first.durationMs,
  };
}

function isTestable(plainRun: Run): boolean {
  return hasOpened(plainRun) && plainRun.clientRun.isFlooded === undefined;
}

/** The revisions that the client requested, newest first. */
function revisionsIn(runs: readonly Run[]): Revision[] {
  const asked = runs.flatMap((run) => askedIn(run));
  const versions = asked.map(({ method, params, era }) =>
    era === 'modern'
      ? metaOf(params)[PROTOCOL_VERSION_KEY]
      : method === 'initialize'
        ? params.protocolVersion
        : undefined,
  );
  return revisionsOfMcp.filter((revision) => versions.includes(revision));
}

function nameIn(runs: readonly Run[]): Pick<CheckReport, 'name' | 'version'> {
  for (const { params } of runs.flatMap((run) => askedIn(run))) {
    const info = params.clientInfo ?? metaOf(params)[CLIENT_INFO];
    if (isObject(info)) return introduction(info, runs[0]!.clientRun.redact);
  }
  return {};
}

function metaOf({ _meta }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isObject(_meta) ? _meta : {};
}
