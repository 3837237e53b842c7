// Finds out which revisions a server supports. One revision of each era is tried first: a server that answers neither has no others, and
// costs one timeout. Waits end early if the output of the server proves that no answer can come.

import { systemClock, type Timer } from '../../base/clock.ts';
import { diagnose } from '../../diagnosis/diagnose.ts';
import { eraOf, erasOfMcp, NEWEST_LEGACY } from '../../mcp/revisions.ts';
import { inParallel } from '../in-parallel.ts';
import { initializeParams, ONE_MESSAGE_PER_READ } from './conversation.ts';
import { initializeOn, isAnswering } from './initialize.ts';
import type { Lane } from './lane.ts';
import { isEcho, symptomsOf } from './symptoms.ts';

export interface Lanes {
  /** Newest revision first. */
  open: Lane[];
  refused: Lane[];
}

export async function openLanes(all: readonly Lane[], concurrency: number): Promise<Lanes> {
  const first = erasOfMcp.flatMap((era) => all.find(({ revision }) => eraOf(revision) === era) ?? []);
  const watch = new OpeningWatch(first);
  try {
    await inParallel(first, first.length, (lane) => lane.open());
    if (watch.ignoresDiscover) for (const lane of first) if (lane.isMute) lane.problem = undefined;
    const isHopeless =
      first.every(({ isMute }) => isMute) || first.some(({ problem }) => problem?.message === ONE_MESSAGE_PER_READ);
    const others = isHopeless ? [] : all.filter((lane) => !first.includes(lane));
    await inParallel(others, concurrency, (lane) => lane.open());
  } catch (error) {
    await Promise.all(all.map((lane) => lane.close()));
    throw error;
  } finally {
    watch.stop();
  }
  return { open: all.filter(({ isOpen }) => isOpen), refused: all.filter(({ isOpen }) => !isOpen) };
}

const LOOK_EVERY_MS = 1_000;

class OpeningWatch {
  /** It is a legacy server, which need not answer what it does not know. */
  ignoresDiscover = false;
  readonly #lanes: readonly Lane[];
  readonly #before = new Map<Lane, string>();
  #hasAsked = false;
  #timer: Timer;

  constructor(lanes: readonly Lane[]) {
    this.#lanes = lanes;
    this.#timer = this.#wait();
  }

  stop(): void {
    this.#timer.cancel();
  }

  #wait(): Timer {
    return systemClock.after(LOOK_EVERY_MS, () => {
      for (const lane of this.#lanes) this.#look(lane);
      this.#timer = this.#wait();
    });
  }

  #look(lane: Lane): void {
    const [probe] = lane.observed;
    if (!probe || lane.isOpen || lane.problem || probe.answersTo(1)[0]) return;
    if (eraOf(lane.revision) === 'modern' && this.#lanes.some(({ isOpen }) => isOpen)) void this.#askLegacy(lane);
    if (isEcho(probe)) probe.giveUp('it came back');
    const symptoms = symptomsOf(probe);
    const output = `${symptoms.stdoutBytes} ${symptoms.stderr}`;
    const isQuiet = this.#before.get(lane) === output;
    this.#before.set(lane, output);
    const found = isQuiet ? diagnose(symptoms) : undefined;
    if (found?.isFinal) probe.giveUp('no answer can follow what it wrote');
  }

  /** If a later `initialize` is answered, `server/discover` was read and ignored. */
  async #askLegacy({ observed: [probe], options }: Lane): Promise<void> {
    if (this.#hasAsked || !probe) return;
    this.#hasAsked = true;
    const isLegacy = await initializeOn(probe, initializeParams(NEWEST_LEGACY)).then(
      () => isAnswering(probe, options.learnt.simplestMethod ?? 'ping'),
      () => false,
    );
    if (!isLegacy || probe.answersTo(1)[0]) return;
    this.ignoresDiscover = true;
    probe.giveUp('the server ignores it');
  }
}
