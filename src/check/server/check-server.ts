// `checkServer`: finds out which revisions a server supports, runs the rules in each of them, and reports. Deterministic: the order of the
// outcomes is that of the table, whatever finishes first.

import { isObject } from '../../base/json-object.ts';
import { SERVER_INFO } from '../../mcp/meta.ts';
import { type Revision, revisionsOfMcp } from '../../mcp/revisions.ts';
import { Budget } from '../budget.ts';
import { inParallel } from '../in-parallel.ts';
import {
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
import { type Selection, selectRules } from '../select-rules.ts';
import { type Target, targetOf } from '../target.ts';
import { notApplicable, violation } from '../verdict.ts';
import type { NamedCall } from './calls.ts';
import { explainSilence, wrongDiscovery } from './explain-silence.ts';
import { easeOlderRevisions } from './older-revisions.ts';
import { openRevisionRuns, type RevisionRuns } from './open-revision-runs.ts';
import { RevisionRun } from './revision-run.ts';
import { serverRules } from './rules/index.ts';
import { opens } from './rules/lifecycle/opens.ts';
import { discoverVersions } from './rules/modern/versions.ts';
import { observe, readsObservation } from './rules/observation.ts';
import { importable } from './sdk/installed-version.ts';
import { recogniseSdk, type Sdk } from './sdk/recognise-sdk.ts';
import { attributeToSdk, mayBeOfSdk } from './sdk/sdk-findings.ts';
import { revisionsOf, type ServerRule } from './server-rule.ts';
import { ServerRuleRun } from './server-rule-run.ts';

export interface CheckServerOptions extends Target, Selection, RunOptions {
  /** Only these revisions, of those that the server supports. Failures in older ones than the newest are warnings if this is absent. */
  revisions?: readonly Revision[];
  /** Tools that may be called although they do not say that they are read-only. */
  allowCalls?: readonly NamedCall[];
  /** A call that takes seconds and may be cancelled. */
  longCall?: NamedCall;
  /** Evidence of all rules, not only of those that are violated. */
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
  const learnt = {};
  const revisionRuns = await openRevisionRuns(
    revisions.map((each) => {
      const target = targetOf(options);
      return new RevisionRun(each, { target, timeoutMs, allowedCalls: allowCalls, longCall, signal, budget, learnt });
    }),
    concurrencyOf(options),
  );
  try {
    options.signal?.throwIfAborted();
    const supported = revisionRuns.open.map(({ revision }) => revision);
    await inParallel(revisionRunsToObserve(rules, revisionRuns), concurrencyOf(options), async (revisionRun) => {
      await observe(
        new ServerRuleRun(revisionRun, [...revisionRuns.open, ...revisionRuns.refused], true),
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
  } finally {
    await Promise.all([...revisionRuns.open, ...revisionRuns.refused].map((revisionRun) => revisionRun.close()));
  }
}

/** Those of rules that read what was observed. */
function revisionRunsToObserve(rules: readonly ServerRule[], { open }: RevisionRuns): RevisionRun[] {
  const supported = open.map(({ revision }) => revision);
  const reading = rules.filter(readsObservation);
  return open.filter(({ revision }) => reading.some((rule) => revisionsOf(rule, supported).includes(revision)));
}

/** A violated MUST is a warning if only older revisions violate it, or if the SDK causes it, unless the revision was asked for. */
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

/** In the order of the table. */
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
      const wrong = rule === discoverVersions ? wrongOpenings(refused, options, budget) : [];
      return wrong.length > 0 ? wrong : [otherRevisions(rule, open[0]!, options, budget)];
    }
    return fitting.map((revisionRun) => {
      const begin = () => {
        const ruleRun = new ServerRuleRun(revisionRun, [...open, ...refused]);
        return {
          judging: judging(revisionRun, options, budget, ruleRun),
          check: async () => {
            await rule.check(ruleRun);
            ruleRun.mustBeWhole();
            if (readsObservation(rule)) ruleRun.mustBeWhole(ruleRun.seen);
          },
          leave: (isViolated: boolean) => ruleRun.leave(isViolated),
          lastOutputMs: () => ruleRun.lastOutputMs,
          end: () => ruleRun.end(),
        };
      };
      return { rule, uses: rule.uses, revisionRun, begin };
    });
  });
}

/** A server that earlier revisions open may answer `server/discover` in a way that no client can use. */
function wrongOpenings(refused: readonly RevisionRun[], options: CheckServerOptions, budget: Budget): Job[] {
  return refused.flatMap((revisionRun): Job[] => {
    const reason = wrongDiscovery(revisionRun);
    if (reason === undefined) return [];
    const check = () => violation(reason, revisionRun.observed[0]!.answersTo(1)[0]!);
    return [
      {
        rule: discoverVersions,
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
  const check = () => notApplicable(`the rule is for revisions${from}${to}, and none of them is checked here`);
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

/** One rule is violated, which says why, and no other can be tested. */
async function nothingOpened(
  rules: readonly ServerRule[],
  refused: readonly RevisionRun[],
  options: CheckServerOptions,
  budget: Budget,
): Promise<Outcome[]> {
  const { revisionRun, reason, fix, proof = [], rule: violated = opens } = await explainSilence(refused);
  const outcomes: Outcome[] = [];
  for (const rule of new Set([violated, ...rules])) {
    const run = () =>
      rule === violated ? violation(reason, ...proof) : notApplicable(`the server does not open (${violated.id})`);
    const fixed = rule === violated && fix !== undefined ? { ...rule, fix: { any: fix } } : rule;
    outcomes.push(await judge(fixed, judging(revisionRun, options, budget), run));
  }
  return outcomes;
}

function nameOf({ facts, observed }: RevisionRun): Pick<CheckReport, 'name' | 'version'> {
  const meta = isObject(facts.opening._meta) ? facts.opening._meta : {};
  return introduction(facts.opening.serverInfo ?? meta[SERVER_INFO], (text) => observed[0]!.process.redact(text));
}
