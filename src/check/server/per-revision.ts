// One process for several rules: what it does is observed once, and each rule judges another side of it.

import type { ServerRuleRun } from './server-rule-run.ts';

/** Runs at most once for each revision. It must not depend on the process after it is done. */
export function perRevision<T, Of extends { readonly facts: object; keep(): void } = ServerRuleRun>(
  observe: (ruleRun: Of) => Promise<T>,
): (ruleRun: Of) => Promise<T> {
  const observed = new WeakMap<object, Promise<T>>();
  return (ruleRun) => {
    const before = observed.get(ruleRun.facts);
    if (before) return before;
    ruleRun.keep();
    const now = observe(ruleRun);
    observed.set(ruleRun.facts, now);
    return now;
  };
}
