// Runs rules on a program under test: processes in parallel, and rules that share a process sequentially. Each rule and the whole check have a
// time limit; rules that were not reached are reported.

import type { Budget } from './budget.ts';
import { Deadline, inParallel, inTime } from './in-parallel.ts';
import { type Judging, judge } from './judge.ts';
import type { ProcessEnd } from './process-under-test.ts';
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
  /** `isAlone`: in processes that no other rule uses. */
  readonly begin: (isAlone: boolean) => Attempt;
}

export interface Attempt {
  readonly judging: Judging;
  readonly check: () => Promise<void> | void;
  /** Called before the next rule uses the shared process. False if an earlier rule may have caused the violation. */
  readonly leave?: (isViolated: boolean) => Promise<boolean>;
  /** The ends of the processes that must outlive the rule. */
  readonly lastingEnds?: () => readonly ProcessEnd[];
  /** After the last rule of the shared process: waits until rules can no longer have ended it. */
  readonly rest?: () => Promise<void>;
  /** Time of the last output of its processes, by `performance.now()`. */
  readonly lastOutputMs?: () => number;
  readonly end?: () => Promise<void>;
}

export interface RunOptions {
  /** Time limit of one answer. Default: 10 s. */
  timeoutMs?: number;
  /** Time limit of the whole check. Default: 30 times `timeoutMs`. Rules after it are not tested. */
  limitMs?: number;
  /** Limit of processes busy at the same time. Default: 4. */
  concurrency?: number;
  signal?: AbortSignal;
  /** Called after each rule. */
  onoutcome?: (outcome: Outcome, done: number, of: number) => void;
}

/** Time limit of one answer. */
export const DEFAULT_TIMEOUT_MS = 10_000;

/** The order in which rules start. Verdicts do not depend on it. */
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
  const outcomes = new Map<Job, Outcome>();
  const tried: (Tried & { job: Job })[] = [];
  const resting: Promise<void>[] = [];
  const run = async (job: Job, isAlone = false) => {
    signal?.throwIfAborted();
    if (deadline.isOver) {
      report(job, await notReached(job, deadline.limitMs));
      return;
    }
    const made = await runJob(job, timeoutMs, deadline, isAlone);
    tried.push({ ...made, job });
    if (isAlone || !hasEnded(made)) report(job, made.outcome);
    return made.rest;
  };
  const report = (job: Job, outcome: Outcome) => {
    outcomes.set(job, outcome);
    onoutcome?.(outcome, outcomes.size, jobs.length);
  };
  const using = (uses: Job['uses']) => arrange(jobs.filter((job) => job.uses === uses));
  const shared = [...byRevisionRun(using('shared')).values()];
  const own = using('own').map((job) => [job]);
  await inParallel(arrange([...shared, ...own]), concurrencyOf(options), async (chain) => {
    let rest: Tried['rest'];
    for (const job of chain) rest = await run(job);
    if (rest) resting.push(rest());
  });
  await Promise.all(resting);
  const suspects = tried.filter((made) => mayHaveEnded(made) || !outcomes.has(made.job)).map(({ job }) => job);
  await inParallel(arrange(suspects), concurrencyOf(options), (job) => run(job, true));
  for (const job of using('seen')) await run(job);
  signal?.throwIfAborted(); // the signal may have stopped processes that the last outcomes depend on
  return jobs.map((job) => outcomes.get(job)!);
}

/** One test of a rule. */
interface Tried extends Pick<Attempt, 'rest'> {
  readonly outcome: Outcome;
  /** False if an earlier rule that used the process may have caused the violation. */
  readonly isCertain: boolean;
  readonly doneMs: number;
  readonly lastingEnds: readonly ProcessEnd[];
}

function hasEnded({ lastingEnds }: Tried): boolean {
  return lastingEnds.some(({ byItselfMs }) => byItselfMs !== undefined);
}

/** Rules that used a process in the last `laterMs` before it ended by itself. Each of them is then tested alone. */
function mayHaveEnded({ lastingEnds, doneMs }: Tried): boolean {
  return lastingEnds.some(({ byItselfMs = Number.POSITIVE_INFINITY, laterMs }) => byItselfMs - doneMs < laterMs);
}

/** A violation in a process that other rules had used is tested again in a new process, whose verdict counts. */
async function runJob(job: Job, timeoutMs: number, deadline: Deadline, isAlone: boolean): Promise<Tried> {
  const first = await tryJob(job, timeoutMs, deadline, isAlone);
  return first.isCertain || hasEnded(first) ? first : tryJob(job, timeoutMs, deadline, isAlone);
}

/** A rule may exceed its limit as long as its processes write output within `timeoutMs`. */
async function tryJob({ rule, begin }: Job, timeoutMs: number, deadline: Deadline, isAlone: boolean): Promise<Tried> {
  const attempt = begin(isAlone);
  const { judging, check, leave, end, rest, lastOutputMs = () => Number.NEGATIVE_INFINITY } = attempt;
  const moreMs = () => (performance.now() - lastOutputMs() < timeoutMs ? deadline.within(timeoutMs) : 0);
  try {
    const outcome = await judge(rule, judging, async () => {
      await inTime(check(), deadline.within(6 * timeoutMs), moreMs).catch((error: unknown) => {
        if (error instanceof OutOfTime && deadline.isOver) tooLate(deadline.limitMs);
        throw error;
      });
    });
    const doneMs = performance.now();
    const isBad = isViolated(outcome) || outcome.untested === true;
    const isCertain = (await leave?.(isBad)) ?? true;
    return { outcome, isCertain, doneMs, lastingEnds: attempt.lastingEnds?.() ?? [], ...(rest && { rest }) };
  } finally {
    await end?.();
  }
}

export function tooLate(limitMs: number): never {
  const what = `the check took longer than ${limitMs / 1000} s`;
  throw new OutOfTime(`${what}: raise --timeout (the limit is 30 times its value), or test fewer rules with --only`);
}

function notReached({ rule, begin }: Job, limitMs: number): Promise<Outcome> {
  return judge(rule, { ...begin(false).judging, evidence: () => [] }, () => tooLate(limitMs));
}

/** Runs `work`, and closes the runs after it or when the signal aborts: one listener for all of their processes. */
export async function closing<T>(
  runs: readonly { close(): Promise<void> }[],
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const close = () => Promise.all(runs.map((run) => run.close()));
  signal?.addEventListener('abort', close, { once: true });
  try {
    return await work();
  } finally {
    signal?.removeEventListener('abort', close);
    await close();
  }
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
