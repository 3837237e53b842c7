// One process for several rules: what it does is observed once, and each rule judges another side of it.

import type { Facts } from './facts.ts';
import type { Trial } from './trial.ts';

/** Runs at most once for each revision. It must not depend on the process after it is done. */
export function perLane<T>(observe: (trial: Trial) => Promise<T>): (trial: Trial) => Promise<T> {
  const observed = new WeakMap<Facts, Promise<T>>();
  return (trial) => {
    const before = observed.get(trial.facts);
    if (before) return before;
    const now = observe(trial);
    observed.set(trial.facts, now);
    return now;
  };
}
