// One run of one rule in one revision: what it may use, and what it used.

import { type Era, eraOf, type Revision } from '../../mcp/revisions.ts';
import type { Entry } from '../transcript.ts';
import { UsedProcesses } from '../used-processes.ts';
import { notApplicable, violation } from '../verdict.ts';
import type { PermittedCall } from './calls.ts';
import { Conversation, type OpenOptions } from './conversation.ts';
import type { Facts } from './facts.ts';
import type { Lane } from './lane.ts';
import type { Probe } from './probe.ts';

export class Trial {
  readonly revision: Revision;
  readonly era: Era;
  readonly facts: Facts;
  /** The processes that are observed, for rules that only read. */
  readonly seen: readonly Probe[];
  /** One for each revision of the check, newest first, also for those that the server refused. */
  readonly lanes: readonly Lane[];
  readonly #lane: Lane;
  readonly #used: UsedProcesses<Probe>;
  readonly #isObserver: boolean;
  #isOver = false;
  #isKept = false;

  constructor(lane: Lane, lanes: readonly Lane[], isObserver = false) {
    this.#lane = lane;
    this.#used = new UsedProcesses(lane.shared);
    this.#isObserver = isObserver;
    this.lanes = lanes;
    this.revision = lane.revision;
    this.era = eraOf(lane.revision);
    this.facts = lane.facts;
    this.seen = lane.observed;
  }

  get timeoutMs(): number {
    return this.#lane.options.timeoutMs;
  }

  /** For something that must happen while a process may still be starting. */
  get startupTimeoutMs(): number {
    return this.timeoutMs + 3 * this.#lane.startupMs;
  }

  /** Calls that the check may make: tools that say they are read-only, and those that the user allows. */
  get calls(): readonly PermittedCall[] {
    return this.#lane.calls;
  }

  /** The call that the user named as one that takes long, or the reason why there is none. */
  longCall(): PermittedCall {
    return this.#lane.longCall ?? notApplicable('no call is known to take long: name one with --long-call');
  }

  /** Asks in the conversation that is observed: what it finds out is the same whichever rules run. */
  get observer(): Trial {
    return new Trial(this.#lane, this.lanes, true);
  }

  /** The open conversation that rules of this revision share. Leave it able to answer. */
  async shared(): Promise<Conversation> {
    if (this.#isObserver) return this.#lane.observe();
    this.#mustRun();
    const conversation = await this.#lane.shared.use(this);
    this.#used.add(conversation.probe);
    return conversation;
  }

  /** An open conversation with a process of its own. */
  async open(options?: OpenOptions): Promise<Conversation> {
    const probe = await this.start();
    const conversation = await Conversation.open(probe, this.revision, options);
    return conversation ?? violation(`This time the server did not accept ${this.revision}.`);
  }

  /** A process of its own, to which nothing has been sent. `stragglersMs`: how long its tree may outlive it before it is stopped. */
  async start(stragglersMs?: number): Promise<Probe> {
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
  mustBeWhole(processes: readonly Probe[] = this.#used.all): void {
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
