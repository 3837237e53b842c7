// One run of one rule for LiteMCP servers: what it may use, and what it used.

import type { JsonObject } from '../../../base/json-object.ts';
import type { Entry } from '../../transcript.ts';
import { UsedProcesses } from '../../used-processes.ts';
import { notApplicable, violation } from '../../verdict.ts';
import type { LiteLane } from './lite-lane.ts';
import type { LiteProbe } from './lite-probe.ts';
import type { PermittedCall } from './permitted-call.ts';

export class LiteTrial {
  /** `data` of the first `info`, of any shape. */
  readonly facts: JsonObject;
  /** The process that is observed, for rules that only read. */
  readonly seen: readonly LiteProbe[];
  readonly #lane: LiteLane;
  readonly #used: UsedProcesses<LiteProbe>;
  #isOver = false;
  #isKept = false;

  constructor(lane: LiteLane) {
    this.#lane = lane;
    this.#used = new UsedProcesses(lane.shared);
    this.facts = lane.tool!;
    this.seen = lane.observed;
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
    this.#mustRun();
    return this.#used.add((await this.#lane.shared.use(this)).probe);
  }

  /** A process of its own, to which nothing has been sent. `stragglersMs`: how long its tree may outlive it before it is stopped. */
  async start(stragglersMs?: number): Promise<LiteProbe> {
    this.#mustRun();
    return this.#used.add(await this.#lane.start(stragglersMs));
  }

  /** What went over the pipes in this trial. */
  evidence(): Entry[] {
    return this.#used.evidence() ?? this.seen.flatMap(({ transcript }) => transcript.entries);
  }

  /** False if the rule has to be tested again, because others had used the shared process before. */
  leave(isViolated: boolean): Promise<boolean> {
    return this.#lane.shared.leave(this, isViolated);
  }

  /** Others refer to what went over the pipes. */
  keep(): void {
    this.#isKept = true;
  }

  /** It is a violation if the check had to stop a process: the rule was not tested to its end. */
  mustBeWhole(processes: readonly LiteProbe[] = this.#used.all): void {
    for (const { stopped } of processes) if (stopped) violation(`The rule was not tested to its end: ${stopped}.`);
  }

  /** Stops the processes that this trial started. */
  async end(): Promise<void> {
    this.#isOver = true;
    const own = await this.#used.end();
    if (!this.#isKept) for (const probe of own) this.#lane.drop(probe);
  }

  /** A rule that took too long is still running when its trial has ended. */
  #mustRun(): void {
    if (this.#isOver) violation('The rule has ended.');
  }
}
