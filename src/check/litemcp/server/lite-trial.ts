// One run of one rule for LiteMCP servers: what it may use, and what it used.

import type { JsonObject } from '../../../base/json-object.ts';
import type { Entry } from '../../transcript.ts';
import { UsedProcesses } from '../../used-processes.ts';
import { notApplicable } from '../../verdict.ts';
import type { LiteLane } from './lite-lane.ts';
import type { LiteProbe } from './lite-probe.ts';
import type { PermittedCall } from './permitted-call.ts';

export class LiteTrial {
  /** `data` of the first `info`, of any shape. */
  readonly facts: JsonObject;
  /** All processes so far, for rules that read what other rules have seen. */
  readonly seen: readonly LiteProbe[];
  readonly #lane: LiteLane;
  readonly #used: UsedProcesses<LiteProbe>;

  constructor(lane: LiteLane) {
    this.#lane = lane;
    this.#used = new UsedProcesses(lane);
    this.facts = lane.tool!;
    this.seen = lane.probes;
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
    return this.#used.add(await this.#lane.shared());
  }

  /** A process of its own, to which nothing has been sent. `stragglersMs`: how long its tree may outlive it before it is stopped. */
  async start(stragglersMs?: number): Promise<LiteProbe> {
    return this.#used.add(await this.#lane.start(stragglersMs));
  }

  /** What went over the pipes in this trial. */
  evidence(): Entry[] {
    return this.#used.evidence();
  }

  /** Stops the processes that this trial started. */
  end(): Promise<void> {
    return this.#used.end();
  }
}
