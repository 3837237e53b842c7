// One process for several rules: what it does is observed once, and each rule judges another side of it.

import type { Trial } from './trial.ts';

/** Runs at most once for each revision. It must not depend on the process after it is done. */
export function perLane<T, Of extends { readonly facts: object; keep(): void } = Trial>(
  observe: (trial: Of) => Promise<T>,
): (trial: Of) => Promise<T> {
  const observed = new WeakMap<object, Promise<T>>();
  return (trial) => {
    const before = observed.get(trial.facts);
    if (before) return before;
    trial.keep();
    const now = observe(trial);
    observed.set(trial.facts, now);
    return now;
  };
}
