// One run of one rule for LiteMCP servers: what it may use, and what it used.

import type { JsonObject } from '../../../base/json-object.ts';
import { RuleRun } from '../../rule-run.ts';
import { notApplicable } from '../../verdict.ts';
import type { LiteLane } from './lite-lane.ts';
import type { LiteProbe } from './lite-probe.ts';
import type { PermittedCall } from './permitted-call.ts';

export class LiteTrial extends RuleRun<LiteProbe> {
  /** `data` of the first `info`, of any shape. */
  readonly facts: JsonObject;
  readonly #lane: LiteLane;

  constructor(lane: LiteLane) {
    super(lane);
    this.#lane = lane;
    this.facts = lane.tool!;
  }

  get timeoutMs(): number {
    return this.#lane.options.timeoutMs;
  }

  /** The call that the check may make, or the reason why there is none. */
  call(): PermittedCall {
    const { name } = this.facts;
    return (
      this.#lane.call ?? notApplicable(`the tool may have effects: name it with --allow-calls ${JSON.stringify(name)}`)
    );
  }

  /** The same, if other arguments may be tried too. */
  freeCall(): PermittedCall {
    const call = this.call();
    if (call.areGiven) notApplicable('the allowed call has arguments, and no others are tried');
    return call;
  }

  /** The process that rules share. Leave it able to answer. */
  async shared(): Promise<LiteProbe> {
    this.mustRun();
    return this.used((await this.#lane.shared.use(this)).probe);
  }
}
