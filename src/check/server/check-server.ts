// `checkServer`: finds out which revisions a server supports, runs the rules in each of them, and reports. Deterministic: the order of the
// outcomes is that of the table, whatever finishes first.

import { isObject } from '../../base/json-object.ts';
import { languageOf } from '../../diagnosis/language.ts';
import { SERVER_INFO } from '../../mcp/meta.ts';
import { type Revision, revisionsOfMcp } from '../../mcp/revisions.ts';
import { inParallel, inTime } from '../in-parallel.ts';
import { type Judging, judge } from '../judge.ts';
import type { Target } from '../process-under-test.ts';
import { type CheckReport, countStatuses, type Outcome } from '../report/report.ts';
import { type Selection, selectRules } from '../select-rules.ts';
import { notApplicable, violation } from '../verdict.ts';
import type { NamedCall } from './calls.ts';
import { Lane } from './lane.ts';
import { serverRules } from './rules/index.ts';
import { opens } from './rules/lifecycle/opens.ts';
import { revisionsOf, type ServerRule } from './server-rule.ts';
import { Trial } from './trial.ts';

export interface CheckServerOptions extends Target, Selection {
  /** Only these revisions, of those that the server supports. */
  revisions?: readonly Revision[];
  /** For one answer. Default: 10 s. */
  timeoutMs?: number;
  /** Tools that may be called although they do not say that they are read-only. */
  allowCalls?: readonly NamedCall[];
  /** A call that takes seconds and may be cancelled. */
  longCall?: NamedCall;
  /** Evidence of all rules, not only of those that are violated. */
  allEvidence?: boolean;
  /** Processes of the server that are busy at a time. Default: 4. */
  concurrency?: number;
  signal?: AbortSignal;
  /** After each rule. */
  onoutcome?: (outcome: Outcome, done: number, of: number) => void;
}

const DEFAULT_TIMEOUT_MS = 10_000;

interface Job {
  rule: ServerRule;
  lane: Lane;
}

export async function checkServer(options: CheckServerOptions): Promise<CheckReport> {
  const startMs = performance.now();
  const rules = selectRules(serverRules, options);
  const lanes = await openLanes(options);
  try {
    options.signal?.throwIfAborted();
    const supported = lanes.open.map(({ revision }) => revision);
    const outcomes = await (supported.length === 0
      ? nothingOpened(rules, lanes.refused, options)
      : runAll(jobsOf(rules, lanes.open), options));
    const [first] = lanes.open;
    const info = first && nameOf(first);
    return {
      role: 'server',
      protocol: 'mcp',
      command: [...lanes.open, ...lanes.refused][0]?.probes[0]?.process.commandLine ?? options.command,
      ...info,
      revisions: supported,
      outcomes,
      counts: countStatuses(outcomes),
      durationMs: Math.round(performance.now() - startMs),
    };
  } finally {
    await Promise.all([...lanes.open, ...lanes.refused].map((lane) => lane.close()));
  }
}

interface Lanes {
  /** Newest revision first. */
  open: Lane[];
  refused: Lane[];
}

async function openLanes(options: CheckServerOptions): Promise<Lanes> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, allowCalls = [], longCall, signal = new AbortController().signal } = options;
  const { command, args, env, secrets, cwd } = options;
  const target = {
    command,
    ...(args && { args }),
    ...(env && { env }),
    ...(secrets && { secrets }),
    ...(cwd && { cwd }),
  };
  const all = (options.revisions ?? revisionsOfMcp).map(
    (revision) => new Lane(revision, { target, timeoutMs, allowedCalls: allowCalls, longCall, signal }),
  );
  try {
    await inParallel(all, concurrencyOf(options), (lane) => lane.open());
  } catch (error) {
    await Promise.all(all.map((lane) => lane.close()));
    throw error;
  }
  return { open: all.filter(({ isOpen }) => isOpen), refused: all.filter(({ isOpen }) => !isOpen) };
}

/** In the order of the table. */
function jobsOf(rules: readonly ServerRule[], lanes: readonly Lane[]): Job[] {
  const supported = lanes.map(({ revision }) => revision);
  return rules.flatMap((rule) =>
    revisionsOf(rule, supported).map((revision) => ({ rule, lane: lanes.find((lane) => lane.revision === revision)! })),
  );
}

async function runAll(jobs: readonly Job[], options: CheckServerOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let done = 0;
  const run = async (job: Job) => {
    options.signal?.throwIfAborted();
    const outcome = await runJob(job, options);
    outcomes[jobs.indexOf(job)] = outcome;
    options.onoutcome?.(outcome, ++done, jobs.length);
  };
  const using = (uses: ServerRule['uses']) => jobs.filter(({ rule }) => rule.uses === uses);
  const shared = [...groupByLane(using('shared')).values()];
  const own = using('own').map((job) => [job]);
  await inParallel([...shared, ...own], concurrencyOf(options), async (chain) => {
    for (const job of chain) await run(job);
  });
  for (const job of using('seen')) await run(job);
  return outcomes;
}

function groupByLane(jobs: readonly Job[]): Map<Lane, Job[]> {
  const groups = new Map<Lane, Job[]>();
  for (const job of jobs) groups.set(job.lane, [...(groups.get(job.lane) ?? []), job]);
  return groups;
}

async function runJob({ rule, lane }: Job, options: CheckServerOptions): Promise<Outcome> {
  const trial = new Trial(lane);
  try {
    const outcome = await judge(rule, judging(lane, options, trial), () => inTime(rule.check(trial)));
    // A late answer, or a server that hangs, must not meet the next rule.
    if (rule.uses === 'shared' && (outcome.status === 'failed' || outcome.status === 'warning')) await lane.renew();
    return outcome;
  } finally {
    await trial.end();
  }
}

function judging(lane: Lane, options: CheckServerOptions, trial?: Trial): Judging {
  const server = lane.probes[0]?.process;
  return {
    revision: lane.revision,
    language: languageOf([options.command, ...(options.args ?? [])].join(' ')),
    hide: (text) => server?.redact(text) ?? text,
    evidence: () => trial?.evidence() ?? lane.probes.flatMap(({ transcript }) => transcript.entries),
    allEvidence: options.allEvidence ?? false,
  };
}

/** The rule that the server opens is violated, and no other can be tested. */
async function nothingOpened(
  rules: readonly ServerRule[],
  refused: readonly Lane[],
  options: CheckServerOptions,
): Promise<Outcome[]> {
  const newest = refused[0]!;
  const why = newest.problem?.message ?? 'The server accepted no revision of MCP.';
  const outcomes: Outcome[] = [];
  for (const rule of new Set([opens, ...rules])) {
    const run = () => (rule === opens ? violation(why) : notApplicable('the server does not open (lifecycle/opens)'));
    outcomes.push(await judge(rule, judging(newest, options), run));
  }
  return outcomes;
}

function nameOf({ facts }: Lane): { name?: string; version?: string } {
  const meta = isObject(facts.opening._meta) ? facts.opening._meta : {};
  const info = facts.opening.serverInfo ?? meta[SERVER_INFO];
  if (!isObject(info)) return {};
  const { name, version } = info;
  return { ...(typeof name === 'string' && { name }), ...(typeof version === 'string' && { version }) };
}

function concurrencyOf({ concurrency = 4 }: CheckServerOptions): number {
  return Math.max(1, concurrency);
}
