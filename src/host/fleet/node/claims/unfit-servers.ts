// Servers that this node tried to run and could not.

import type { Clock } from '../../../../base/clock.ts';

/** After this time a server is tried again, because the config of the node may have changed. */
const UNFIT_MS = 30_000;

export class UnfitServers {
  readonly #clock: Clock;
  /** By slot key: the revision of the record, why it cannot run here, and until when it is not tried again. */
  readonly #unfit = new Map<string, { config: number; reason: string; untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(key: string, config: number, reason: string): void {
    this.#unfit.set(key, { config, reason, untilMs: this.#clock.nowMs() + UNFIT_MS });
  }

  delete(key: string): void {
    this.#unfit.delete(key);
  }

  reason(key: string, config: number): string | undefined {
    const unfit = this.#unfit.get(key);
    return unfit?.config === config && this.#clock.nowMs() < unfit.untilMs ? unfit.reason : undefined;
  }
}
