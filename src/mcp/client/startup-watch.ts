// Ends a start that cannot succeed: once all questions are asked, the server is quiet, and its output proves that no valid
// answer will come. A server that is slow, or that prints among its messages, is waited for.

import type { Clock, Timer } from '../../base/clock.ts';
import { diagnose } from '../../diagnosis/diagnose.ts';
import type { Diagnosis } from '../../diagnosis/symptoms.ts';
import type { ClientChannel } from './options.ts';

/** A server counts as quiet when nothing came between two looks. */
const LOOK_EVERY_MS = 1_000;

/** What the process has printed so far, to be compared with what it had printed before. Empty for nothing. */
export function outputOf(channel: ClientChannel): string | undefined {
  const symptoms = channel.symptoms?.();
  if (!symptoms) return undefined; // no process, or one that somebody else started
  const { stdoutBytes, stderr } = symptoms;
  return stdoutBytes === 0 && stderr === '' ? '' : `${stdoutBytes} ${stderr}`;
}

/** What rules out a valid answer, if the output of the process does. */
export function finalDiagnosis(channel: ClientChannel): Diagnosis | undefined {
  const symptoms = channel.symptoms?.();
  const found = symptoms && diagnose(symptoms);
  return found?.isFinal ? found : undefined;
}

export interface StartupWatchOptions {
  channel: ClientChannel;
  clock: Clock;
  hasAskedAll: () => boolean;
}

export class StartupWatch {
  /** Resolves with what is wrong; never rejects, and stays open where nothing is. */
  readonly hopeless: Promise<Diagnosis>;
  #timer: Timer | undefined;
  #resolve!: (found: Diagnosis) => void;
  /** What had come at the last look; undefined before all questions were asked. */
  #before: string | undefined;
  readonly #options: StartupWatchOptions;

  constructor(options: StartupWatchOptions) {
    this.#options = options;
    this.hopeless = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (options.channel.symptoms) this.#wait();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #wait(): void {
    this.#timer = this.#options.clock.after(LOOK_EVERY_MS, () => this.#look());
  }

  #look(): void {
    const { channel, hasAskedAll } = this.#options;
    const now = hasAskedAll() ? outputOf(channel) : undefined;
    const isQuiet = now !== undefined && now === this.#before;
    this.#before = now;
    const found = isQuiet ? finalDiagnosis(channel) : undefined;
    if (found) this.#resolve(found);
    else this.#wait();
  }
}
