// Ends a start that cannot succeed: all requests were sent, the server prints nothing more, and its output rules out a
// valid answer.

import type { Clock, Timer } from '../../../base/clock.ts';
import { diagnose } from '../../../wire/diagnosis/diagnose.ts';
import type { Diagnosis } from '../../../wire/diagnosis/symptoms.ts';
import type { ClientChannel } from '../options.ts';

/** A server counts as quiet if it printed nothing between two checks. */
const LOOK_EVERY_MS = 1_000;

/** A comparable summary of the output so far; an empty string if there is none. */
export function outputOf(channel: ClientChannel): string | undefined {
  const symptoms = channel.symptoms?.();
  if (!symptoms) return undefined; // there is no process, or another program started it
  const { stdoutBytes, stderr } = symptoms;
  return stdoutBytes === 0 && stderr === '' ? '' : `${stdoutBytes} ${stderr}`;
}

/** The diagnosis, if the output of the process rules out a valid answer. */
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
  /** Resolves with the diagnosis. Never rejects, and stays pending while the start may succeed. */
  readonly hopeless: Promise<Diagnosis>;
  #timer: Timer | undefined;
  #resolve!: (found: Diagnosis) => void;
  /** The output at the last check; undefined until all requests were sent. */
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
