// Runs rules on a program under test: several processes at a time, and the rules that share a process one after the other.

import { inParallel } from './in-parallel.ts';
import type { Outcome } from './report/report.ts';

/** One rule on one lane. */
export interface Job {
  /** `shared`: one after the other on its lane. `own`: beside other rules. `seen`: after all others. */
  readonly uses: 'shared' | 'own' | 'seen';
  readonly lane: object;
  readonly run: () => Promise<Outcome>;
}

export interface RunOptions {
  /** Processes that are busy at a time. Default: 4. */
  concurrency?: number;
  signal?: AbortSignal;
  /** After each rule. */
  onoutcome?: (outcome: Outcome, done: number, of: number) => void;
}

/** The outcomes in the order of the jobs. */
export async function runAll(jobs: readonly Job[], options: RunOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let done = 0;
  const run = async (job: Job) => {
    options.signal?.throwIfAborted();
    const outcome = await job.run();
    outcomes[jobs.indexOf(job)] = outcome;
    options.onoutcome?.(outcome, ++done, jobs.length);
  };
  const using = (uses: Job['uses']) => jobs.filter((job) => job.uses === uses);
  const shared = [...byLane(using('shared')).values()];
  const own = using('own').map((job) => [job]);
  await inParallel([...shared, ...own], concurrencyOf(options), async (chain) => {
    for (const job of chain) await run(job);
  });
  for (const job of using('seen')) await run(job);
  options.signal?.throwIfAborted(); // the last outcomes may be of processes that the signal has stopped
  return outcomes;
}

export function concurrencyOf({ concurrency = 4 }: RunOptions): number {
  return Math.max(1, concurrency);
}

function byLane(jobs: readonly Job[]): Map<object, Job[]> {
  const groups = new Map<object, Job[]>();
  for (const job of jobs) groups.set(job.lane, [...(groups.get(job.lane) ?? []), job]);
  return groups;
}
