// `checkServer`: finds the revisions that a server supports, runs the rules in each of them, and reports. Outcomes have the order of the table.

import { metaOf } from '../../base/json-object.ts';
import { SERVER_INFO } from '../../mcp/meta.ts';
import { type Revision, revisionsOfMcp } from '../../mcp/revisions.ts';
import { Budget } from '../budget.ts';
import { checkAlone, checkUnlessItEnds } from '../check-alone.ts';
import { inParallel } from '../in-parallel.ts';
import {
  closing,
  concurrencyOf,
  DEFAULT_TIMEOUT_MS,
  deadlineOf,
  type Job,
  type RunOptions,
  runAll,
  type Seams,
} from '../jobs.ts';
import { type Judging, judge, serverJudging } from '../judge.ts';
import { type CheckReport, countStatuses, introduction, type Outcome } from '../report/report.ts';
import { ruleOf } from '../rule.ts';
import { type Selection, selectRules } from '../select-rules.ts';
import { type Target, targetOf } from '../target.ts';
import { notApplicable, outOfTime, violation } from '../verdict.ts';
import { mustBeTools, type NamedCall } from './calls.ts';
import { DISCOVER_VERSIONS, explainSilence, wrongDiscovery } from './explain-silence.ts';
import { easeOlderRevisions } from './older-revisions.ts';
import { openRevisionRuns, type RevisionRuns } from './open-revision-runs.ts';
import { type Learnt, RevisionRun } from './revision-run.ts';
import { serverRules } from './rules/index.ts';
import { idleEnd } from './rules/lifecycle/opening.ts';
import { observe, readsObservation } from './rules/observation.ts';
import { importable } from './sdk/installed-version.ts';
import { recogniseSdk, type Sdk } from './sdk/recognise-sdk.ts';
import { attributeToSdk, mayBeOfSdk } from './sdk/sdk-findings.ts';
import { revisionsOf, type ServerRule } from './server-rule.ts';
import { ServerRuleRun } from './server-rule-run.ts';

export interface CheckServerOptions extends Target, Selection, RunOptions {
  /** The only revisions to check. If absent, failures in revisions other than the newest are warnings. */
  revisions?: readonly Revision[];
  /** Tools that may be called although they are not declared read-only. */
  allowCalls?: readonly NamedCall[];
  /** A call that takes at least 5 s and may be cancelled. */
  longCall?: NamedCall;
  /** Includes the evidence of all rules, not only of violated ones. */
  allEvidence?: boolean;
}

export async function checkServer(
  options: CheckServerOptions,
  { arrange, budget = new Budget() }: Seams = {},
): Promise<CheckReport> {
  const startMs = performance.now();
  const deadline = deadlineOf(options);
  const rules = selectRules(serverRules, options);
  const { revisions = revisionsOfMcp, timeoutMs = DEFAULT_TIMEOUT_MS, allowCalls = [], longCall } = options;
  const { signal = new AbortController().signal } = options;
  const learnt: Learnt = {};
  const all = revisions.map((each) => {
    const target = targetOf(options);
    return new RevisionRun(each, { target, timeoutMs, allowedCalls: allowCalls, longCall, signal, budget, learnt });
  });
  return closing(all, options.signal, async () => {
    const revisionRuns = await openRevisionRuns(all, concurrencyOf(options));
    options.signal?.throwIfAborted();
    const facts = revisionRuns.open.map((run) => run.facts);
    const tools = facts.flatMap((each) => each.tools);
    // A name can be on a page that the server did not answer, which the rules about lists report.
    if (facts.every(({ hasAllTools }) => hasAllTools))
      mustBeTools([...allowCalls, ...(longCall ? [longCall] : [])], tools);
    const supported = revisionRuns.open.map(({ revision }) => revision);
    await inParallel(revisionRunsToObserve(rules, revisionRuns), concurrencyOf(options), async (revisionRun) => {
      await observe(
        new ServerRuleRun(revisionRun, [...revisionRuns.open, ...revisionRuns.refused], { isObserver: true }),
        deadline.within(12 * timeoutMs),
      );
      await revisionRun.endObservation();
    });
    options.signal?.throwIfAborted();
    const [first] = revisionRuns.open;
    const { outcomes, sdk } = first
      ? await weighed(
          await runAll(jobsOf(rules, revisionRuns, options, budget), options, deadline, arrange),
          revisionRuns.open,
          options,
        )
      : { outcomes: await nothingOpened(rules, revisionRuns.refused, options, budget) };
    const info = first && nameOf(first);
    return {
      role: 'server',
      protocol: 'mcp',
      command: [...revisionRuns.open, ...revisionRuns.refused][0]?.observed[0]?.process.commandLine ?? options.command,
      ...info,
      revisions: supported,
      ...(sdk && { sdk }),
      outcomes,
      counts: countStatuses(outcomes),
      durationMs: Math.round(performance.now() - startMs),
    };
  });
}

/** The per-revision runs that a selected rule observes. */
function revisionRunsToObserve(rules: readonly ServerRule[], { open }: RevisionRuns): RevisionRun[] {
  const supported = open.map(({ revision }) => revision);
  const reading = rules.filter(readsObservation);
  return open.filter(({ revision }) => reading.some((rule) => revisionsOf(rule, supported).includes(revision)));
}

/** A violated MUST is a warning if only older revisions violate it, or if the SDK causes it, unless the revision was requested. */
async function weighed(
  all: readonly Outcome[],
  open: readonly RevisionRun[],
  { revisions = [], ...target }: CheckServerOptions,
): Promise<{ outcomes: readonly Outcome[]; sdk?: Sdk | undefined }> {
  const supported = open.map(({ revision }) => revision);
  const outcomes = easeOlderRevisions(all, supported, revisions);
  const sdk = mayBeOfSdk(outcomes) ? await recogniseSdk(open[0]!, target) : undefined;
  return sdk
    ? { outcomes: attributeToSdk(outcomes, sdk, revisions, (name) => importable(target, name)), sdk }
    : { outcomes };
}

/** The jobs in the order of the table. */
function jobsOf(
  rules: readonly ServerRule[],
  { open, refused }: RevisionRuns,
  options: CheckServerOptions,
  budget: Budget,
): Job[] {
  const supported = open.map(({ revision }) => revision);
  return rules.flatMap((rule): Job[] => {
    const fitting = open.filter(({ revision }) => revisionsOf(rule, supported).includes(revision));
    if (fitting.length === 0) {
      const wrong = rule.id === DISCOVER_VERSIONS ? wrongOpenings(refused, options, budget) : [];
      return wrong.length > 0 ? wrong : [otherRevisions(rule, open[0]!, options, budget)];
    }
    return fitting.map((revisionRun) => {
      const begin = (isAlone: boolean) => {
        const ruleRun = new ServerRuleRun(revisionRun, [...open, ...refused], { isAlone });
        const endsAnyway = async () => (await idleEnd(ruleRun.observer)) !== undefined;
        const check = async () => {
          try {
            await checkUnlessItEnds(rule, ruleRun, () => rule.check(ruleRun), endsAnyway);
          } finally {
            if (rule.uses === 'own') await ruleRun.endedLater(); // must precede the stop of the processes of the rule
          }
        };
        return {
          judging: judging(revisionRun, options, budget, ruleRun),
          check: async () => {
            const { simplestMethod } = ruleRun;
            await (isAlone ? checkAlone(rule, ruleRun, check, endsAnyway, simplestMethod) : check());
            ruleRun.mustBeWhole();
            if (readsObservation(rule)) ruleRun.mustBeWhole(ruleRun.seen);
          },
          leave: (isViolated: boolean) => ruleRun.leave(isViolated),
          lastingEnds: () => ruleRun.lastingEnds,
          rest: () => ruleRun.rest(),
          lastOutputMs: () => ruleRun.lastOutputMs,
          end: () => ruleRun.end(),
        };
      };
      return { rule, uses: rule.uses, revisionRun, begin };
    });
  });
}

/** A server of earlier revisions may also answer `server/discover`, with a result that clients cannot use. */
function wrongOpenings(refused: readonly RevisionRun[], options: CheckServerOptions, budget: Budget): Job[] {
  return refused.flatMap((revisionRun): Job[] => {
    const reason = wrongDiscovery(revisionRun);
    if (reason === undefined) return [];
    const check = () => violation(reason, revisionRun.observed[0]!.answersTo(1)[0]!);
    return [
      {
        rule: ruleOf(serverRules, DISCOVER_VERSIONS),
        uses: 'seen',
        revisionRun,
        begin: () => ({ judging: judging(revisionRun, options, budget), check }),
      },
    ];
  });
}

function otherRevisions(rule: ServerRule, revisionRun: RevisionRun, options: CheckServerOptions, budget: Budget): Job {
  const from = rule.since ? ` from ${rule.since}` : '';
  const to = rule.until ? ` to ${rule.until}` : '';
  const check = () => notApplicable(`the rule applies to revisions${from}${to}, and none of them is checked`);
  return {
    rule,
    uses: 'seen',
    revisionRun,
    begin: () => ({ judging: serverJudging(options, revisionRun, budget), check }),
  };
}

function judging(
  revisionRun: RevisionRun,
  options: CheckServerOptions,
  budget: Budget,
  ruleRun?: ServerRuleRun,
): Judging {
  return { revision: revisionRun.revision, ...serverJudging(options, revisionRun, budget, ruleRun) };
}

/** The outcomes if the server does not open: one rule is violated, and the others cannot be tested. */
async function nothingOpened(
  rules: readonly ServerRule[],
  refused: readonly RevisionRun[],
  options: CheckServerOptions,
  budget: Budget,
): Promise<Outcome[]> {
  const {
    revisionRun,
    reason,
    isSlow,
    fix,
    proof = [],
    rule: violated = ruleOf(serverRules, 'lifecycle/opens'),
  } = await explainSilence(refused);
  const outcomes: Outcome[] = [];
  for (const rule of new Set([violated, ...rules])) {
    const run = () => {
      if (rule !== violated) notApplicable(`the server does not open${isSlow ? ' in time' : ''} (${violated.id})`);
      return isSlow ? outOfTime(reason) : violation(reason, ...proof);
    };
    const fixed = rule === violated && fix !== undefined ? { ...rule, fix: { any: fix } } : rule;
    outcomes.push(await judge(fixed, judging(revisionRun, options, budget), run));
  }
  return outcomes;
}

function nameOf({ facts, observed }: RevisionRun): Pick<CheckReport, 'name' | 'version'> {
  return introduction(facts.opening.serverInfo ?? metaOf(facts.opening)?.[SERVER_INFO], (text) =>
    observed[0]!.process.redact(text),
  );
}
