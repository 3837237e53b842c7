// Finds the revisions that a server supports. One revision of each era is tried first: a server that answers neither supports none, and costs
// one timeout. Waits end early if the output of the server proves that an answer cannot follow.

import { systemClock, type Timer } from '../../base/clock.ts';
import { eraOf, erasOfMcp, NEWEST_LEGACY } from '../../mcp/revisions.ts';
import { diagnose } from '../../wire/diagnosis/diagnose.ts';
import { inParallel } from '../in-parallel.ts';
import { initializeParams, ONE_MESSAGE_PER_READ } from './conversation.ts';
import { initializeOn, isAnswering } from './initialize.ts';
import type { RevisionRun } from './revision-run.ts';
import { isEcho, symptomsOf } from './symptoms.ts';

export interface RevisionRuns {
  /** Runs of the supported revisions, newest first. */
  open: RevisionRun[];
  refused: RevisionRun[];
}

export async function openRevisionRuns(all: readonly RevisionRun[], concurrency: number): Promise<RevisionRuns> {
  const first = erasOfMcp.flatMap((era) => all.find(({ revision }) => eraOf(revision) === era) ?? []);
  const watch = new OpeningWatch(first);
  try {
    await inParallel(first, first.length, (revisionRun) => revisionRun.open());
    if (watch.ignoresDiscover) for (const revisionRun of first) if (revisionRun.isMute) revisionRun.problem = undefined;
    const isHopeless =
      first.every(({ isMute }) => isMute) || first.some(({ problem }) => problem?.message === ONE_MESSAGE_PER_READ);
    const others = isHopeless ? [] : all.filter((revisionRun) => !first.includes(revisionRun));
    await inParallel(others, concurrency, (revisionRun) => revisionRun.open());
  } finally {
    watch.stop();
  }
  return { open: all.filter(({ isOpen }) => isOpen), refused: all.filter(({ isOpen }) => !isOpen) };
}

const LOOK_EVERY_MS = 1_000;

class OpeningWatch {
  /** The server is a legacy server that ignores unknown methods. */
  ignoresDiscover = false;
  readonly #revisionRuns: readonly RevisionRun[];
  readonly #before = new Map<RevisionRun, string>();
  #hasAsked = false;
  #timer: Timer;

  constructor(revisionRuns: readonly RevisionRun[]) {
    this.#revisionRuns = revisionRuns;
    this.#timer = this.#wait();
  }

  stop(): void {
    this.#timer.cancel();
  }

  #wait(): Timer {
    return systemClock.after(LOOK_EVERY_MS, () => {
      for (const revisionRun of this.#revisionRuns) this.#look(revisionRun);
      this.#timer = this.#wait();
    });
  }

  #look(revisionRun: RevisionRun): void {
    const [probe] = revisionRun.observed;
    if (!probe || revisionRun.isOpen || revisionRun.problem || probe.answersTo(1)[0]) return;
    if (eraOf(revisionRun.revision) === 'modern' && this.#revisionRuns.some(({ isOpen }) => isOpen))
      void this.#askLegacy(revisionRun);
    if (isEcho(probe)) probe.giveUp('the command echoed the request');
    const symptoms = symptomsOf(probe);
    const output = `${symptoms.stdoutBytes} ${symptoms.stderr}`;
    const isQuiet = this.#before.get(revisionRun) === output;
    this.#before.set(revisionRun, output);
    const found = isQuiet ? diagnose(symptoms) : undefined;
    if (found?.isFinal) probe.giveUp('after its output, an answer cannot follow');
  }

  /** An answer to a later `initialize` proves that `server/discover` was read and ignored. */
  async #askLegacy({ observed: [probe], options }: RevisionRun): Promise<void> {
    if (this.#hasAsked || !probe) return;
    this.#hasAsked = true;
    const isLegacy = await initializeOn(probe, initializeParams(NEWEST_LEGACY)).then(
      () => isAnswering(probe, options.learnt.simplestMethod ?? 'ping'),
      () => false,
    );
    if (!isLegacy || probe.answersTo(1)[0]) return;
    this.ignoresDiscover = true;
    probe.giveUp('the server ignores the request');
  }
}
