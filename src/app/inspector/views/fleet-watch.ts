// Polls the status of the fleet that a host has joined while pages are open, less often if the answer takes long. Pages get it when
// it has changed.

import type { Clock, Timer } from '../../../base/clock.ts';
import type { FleetStatus } from '../../../host/fleet/fleet-status.ts';

const PAUSE_MS = 1_000;
/** The pause is at least this many times as long as the answer took: a fleet of a thousand nodes must not keep the host busy. */
const PAUSE_FACTOR = 20;

export class FleetWatch {
  readonly #ask: () => Promise<FleetStatus | undefined>;
  readonly #tell: (fleet: FleetStatus) => void;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #isWanted = false;
  #isAsking = false;
  #told = '';

  constructor(ask: () => Promise<FleetStatus | undefined>, tell: (fleet: FleetStatus) => void, clock: Clock) {
    this.#ask = ask;
    this.#tell = tell;
    this.#clock = clock;
  }

  /** A page was opened: it gets the status even if it is unchanged. */
  start(): void {
    this.#isWanted = true;
    this.#told = '';
    this.#timer?.cancel();
    if (!this.#isAsking) void this.#look();
  }

  stop(): void {
    this.#isWanted = false;
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    const startMs = this.#clock.nowMs();
    this.#isAsking = true;
    const fleet = await this.#ask().catch(() => undefined); // the host is closing, or has left the fleet
    this.#isAsking = false;
    if (!this.#isWanted) return;
    const text = JSON.stringify(fleet);
    if (fleet && text !== this.#told) this.#tell(fleet);
    this.#told = text;
    const tookMs = this.#clock.nowMs() - startMs;
    this.#timer = this.#clock.after(Math.max(PAUSE_MS, tookMs * PAUSE_FACTOR), () => void this.#look());
    this.#timer.keepAlive(false);
  }
}
