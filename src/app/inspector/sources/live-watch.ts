// Finds taps and hosts that start. Reads the file names in the folder, and connects only when they have changed.

import { readdir } from 'node:fs/promises';
import { type Clock, systemClock, type Timer } from '../../../base/clock.ts';
import type { LiveDescriptor } from '../../../observe/live/descriptor.ts';
import { findLive } from '../../../observe/live/find-live.ts';
import { runtimeFolder } from '../../../observe/live/runtime-folder.ts';

const LOOK_MS = 1_000;

export class LiveWatch {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #known = new Set<string>();
  #names = '';
  #timer: Timer | undefined;
  #stopped = false;

  constructor(folder: string = runtimeFolder(), clock: Clock = systemClock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** Resolves when all running taps and hosts were found. `found` is called once for each. */
  async start(found: (descriptor: LiveDescriptor) => Promise<void>): Promise<void> {
    await this.#look(found);
    if (this.#stopped) return;
    this.#timer = this.#clock.after(LOOK_MS, () => void this.start(found));
    this.#timer.keepAlive(false);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #look(found: (descriptor: LiveDescriptor) => Promise<void>): Promise<void> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => name.endsWith('.json')).join('\n'); // no folder yet
    if (names === this.#names) return;
    this.#names = names;
    for (const descriptor of await findLive(this.#folder)) {
      if (this.#known.has(descriptor.socket) || this.#stopped) continue;
      this.#known.add(descriptor.socket);
      await found(descriptor);
    }
  }
}
