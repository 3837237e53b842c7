// One run of one rule in one revision: what it may use, and what it used.

import { type Era, eraOf, type Revision } from '../../mcp/revisions.ts';
import { RuleRun } from '../rule-run.ts';
import { notApplicable, violation } from '../verdict.ts';
import type { PermittedCall } from './calls.ts';
import { Conversation, type OpenOptions } from './conversation.ts';
import type { Facts } from './facts.ts';
import type { Lane } from './lane.ts';
import type { Probe } from './probe.ts';

export class Trial extends RuleRun<Probe> {
  readonly revision: Revision;
  readonly era: Era;
  readonly facts: Facts;
  /** One for each revision of the check, newest first, also for those that the server refused. */
  readonly lanes: readonly Lane[];
  readonly #lane: Lane;
  readonly #isObserver: boolean;

  constructor(lane: Lane, lanes: readonly Lane[], isObserver = false) {
    super(lane);
    this.#lane = lane;
    this.#isObserver = isObserver;
    this.lanes = lanes;
    this.revision = lane.revision;
    this.era = eraOf(lane.revision);
    this.facts = lane.facts;
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
    this.mustRun();
    const conversation = await this.#lane.shared.use(this);
    this.used(conversation.probe);
    return conversation;
  }

  /** A request that the server answers without effects, also before `notifications/initialized`. */
  get simplestMethod(): string {
    return this.#lane.options.learnt.simplestMethod ?? 'ping';
  }

  /** An open conversation with a process of its own. */
  async open(options?: OpenOptions, stragglersMs?: number): Promise<Conversation> {
    const probe = await this.start(stragglersMs);
    const conversation = await Conversation.open(probe, this.revision, { ...options, ...this.#lane.options.learnt });
    return conversation ?? violation(`This time the server did not accept ${this.revision}.`);
  }
}
