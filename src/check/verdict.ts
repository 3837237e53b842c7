// Verdicts other than passed, as exceptions.

import type { Entry } from './transcript.ts';

/** The rule is violated. The message is a sentence about the observed behaviour. */
export class Violation extends Error {
  /** The frames that prove the violation. Default: the traffic of the rule run. */
  readonly proof: readonly Entry[] | undefined;
  /** Replaces the fix of the rule. */
  readonly fix: string | undefined;

  constructor(message: string, proof?: readonly Entry[], fix?: string) {
    super(message);
    this.proof = proof;
    this.fix = fix;
  }
}

/** The time limit ended the rule: neither a violation nor a pass. The message completes "not tested, because". */
export class OutOfTime extends Violation {}

/** The rule cannot be tested with this server or client. The message is the reason, as a clause. */
export class NotApplicable extends Error {}

export function violation(message: string, ...proof: readonly Entry[]): never {
  throw new Violation(message, proof.length > 0 ? proof : undefined);
}

export function outOfTime(reason: string): never {
  throw new OutOfTime(reason);
}

export function notApplicable(reason: string): never {
  throw new NotApplicable(reason);
}
