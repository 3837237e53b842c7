// Runs rules on a program under test: several processes at a time, and the rules that share a process one after the other. Bounded: each rule
// and the whole check have a limit of time, and a rule that was not reached is reported, not left out.

import type { Budget } from './budget.ts';
import { Deadline, inParallel, inTime } from './in-parallel.ts';
import { type Judging, judge } from './judge.ts';
import type { Outcome } from './report/report.ts';
import { isViolated } from './report/rule-results.ts';
import type { RuleText } from './rule.ts';
import { OutOfTime } from './verdict.ts';

/** One rule in one per-revision run. */
export interface Job {
  readonly rule: RuleText;
  /** `shared`: sequential within its per-revision run. `own`: parallel to other rules. `seen`: after all others. */
  readonly uses: 'shared' | 'own' | 'seen';
  readonly revisionRun: object;
  /** Called again if the rule is tested again. */
  readonly begin: () => Attempt;
}

export interface Attempt {
  readonly judging: Judging;
  readonly check: () => Promise<void> | void;
  /** Called before the next rule gets the shared process. False if an earlier rule may have caused the violation. */
  readonly leave?: (isViolated: boolean) => Promise<boolean>;
  /** When the processes of the rule wrote last, by `performance.now()`. */
  readonly lastOutputMs?: () => number;
  /** Ends what the rule started. */
  readonly end?: () => Promise<void>;
}

export interface RunOptions {
  /** Time limit of one answer. Default: 10 s. */
  timeoutMs?: number;
  /** Time limit of the whole check. Default: 30 times `timeoutMs`. Rules that are not reached are not tested. */
  limitMs?: number;
  /** Limit of processes busy at the same time. Default: 4. */
  concurrency?: number;
  signal?: AbortSignal;
  /** Called after each rule. */
  onoutcome?: (outcome: Outcome, done: number, of: number) => void;
}

/** Time limit of one answer. */
export const DEFAULT_TIMEOUT_MS = 10_000;

/** The order in which rules are started. The verdicts do not depend on it. */
export type Arrange = <T>(items: readonly T[]) => readonly T[];

/** Replaceable parts for tests. */
export interface Seams {
  arrange?: Arrange;
  budget?: Budget;
}

/** The outcomes in the order of the jobs. */
export async function runAll(
  jobs: readonly Job[],
  options: RunOptions,
  deadline: Deadline,
  arrange: Arrange = (items) => items,
): Promise<Outcome[]> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal, onoutcome } = options;
  const outcomes: Outcome[] = [];
  let done = 0;
  const run = async (job: Job) => {
    signal?.throwIfAborted();
    const outcome = await (deadline.isOver ? notReached(job, deadline.limitMs) : runJob(job, timeoutMs, deadline));
    outcomes[jobs.indexOf(job)] = outcome;
    onoutcome?.(outcome, ++done, jobs.length);
  };
  const using = (uses: Job['uses']) => arrange(jobs.filter((job) => job.uses === uses));
  const shared = [...byRevisionRun(using('shared')).values()];
  const own = using('own').map((job) => [job]);
  await inParallel(arrange([...shared, ...own]), concurrencyOf(options), async (chain) => {
    for (const job of chain) await run(job);
  });
  for (const job of using('seen')) await run(job);
  signal?.throwIfAborted(); // the signal may have stopped processes of the last outcomes
  return outcomes;
}

/** A violation after other rules in the same process is tested again in a new one, whose verdict counts. */
async function runJob(job: Job, timeoutMs: number, deadline: Deadline): Promise<Outcome> {
  const first = await tryJob(job, timeoutMs, deadline);
  return first.isCertain ? first.outcome : (await tryJob(job, timeoutMs, deadline)).outcome;
}

/** A rule goes on for as long as its processes write something within `timeoutMs`. */
async function tryJob(
  { rule, begin }: Job,
  timeoutMs: number,
  deadline: Deadline,
): Promise<{ outcome: Outcome; isCertain: boolean }> {
  const { judging, check, leave, end, lastOutputMs = () => Number.NEGATIVE_INFINITY } = begin();
  const moreMs = () => (performance.now() - lastOutputMs() < timeoutMs ? deadline.within(timeoutMs) : 0);
  try {
    const outcome = await judge(rule, judging, async () => {
      await inTime(check(), deadline.within(6 * timeoutMs), moreMs).catch((error: unknown) => {
        if (error instanceof OutOfTime && deadline.isOver) tooLate(deadline.limitMs);
        throw error;
      });
    });
    const isBad = isViolated(outcome) || outcome.untested === true;
    return { outcome, isCertain: (await leave?.(isBad)) ?? true };
  } finally {
    await end?.();
  }
}

export function tooLate(limitMs: number): never {
  const what = `the check took longer than ${limitMs / 1000} s`;
  throw new OutOfTime(`${what}: raise --timeout, of which this is 30 times, or test a part of the rules with --only`);
}

function notReached({ rule, begin }: Job, limitMs: number): Promise<Outcome> {
  return judge(rule, { ...begin().judging, evidence: () => [] }, () => tooLate(limitMs));
}

export function deadlineOf({ timeoutMs = DEFAULT_TIMEOUT_MS, limitMs = 30 * timeoutMs }: RunOptions): Deadline {
  return new Deadline(limitMs);
}

export function concurrencyOf({ concurrency = 4 }: RunOptions): number {
  return Math.max(1, concurrency);
}

function byRevisionRun(jobs: readonly Job[]): Map<Job['revisionRun'], Job[]> {
  const groups = new Map<Job['revisionRun'], Job[]>();
  for (const job of jobs) groups.set(job.revisionRun, [...(groups.get(job.revisionRun) ?? []), job]);
  return groups;
}
