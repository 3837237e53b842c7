// One run of one rule in one revision: what it may use, and what it used.

import { type Era, eraOf, type Revision } from '../../mcp/revisions.ts';
import { RuleRun } from '../rule-run.ts';
import { notApplicable, violation } from '../verdict.ts';
import type { PermittedCall } from './calls.ts';
import { Conversation, type OpenOptions } from './conversation.ts';
import type { Facts } from './facts.ts';
import type { Probe } from './probe.ts';
import type { RevisionRun } from './revision-run.ts';

export class ServerRuleRun extends RuleRun<Probe> {
  readonly revision: Revision;
  readonly era: Era;
  readonly facts: Facts;
  /** One for each revision of the check, newest first, also for those that the server refused. */
  readonly revisionRuns: readonly RevisionRun[];
  readonly #revisionRun: RevisionRun;
  readonly #isObserver: boolean;

  constructor(revisionRun: RevisionRun, revisionRuns: readonly RevisionRun[], isObserver = false) {
    super(revisionRun);
    this.#revisionRun = revisionRun;
    this.#isObserver = isObserver;
    this.revisionRuns = revisionRuns;
    this.revision = revisionRun.revision;
    this.era = eraOf(revisionRun.revision);
    this.facts = revisionRun.facts;
  }

  get timeoutMs(): number {
    return this.#revisionRun.options.timeoutMs;
  }

  /** For something that must happen while a process may still be starting. */
  get startupTimeoutMs(): number {
    return this.timeoutMs + 3 * this.#revisionRun.startupMs;
  }

  /** Calls that the check may make: tools that say they are read-only, and those that the user allows. */
  get calls(): readonly PermittedCall[] {
    return this.#revisionRun.calls;
  }

  /** The call that the user named as one that takes long, or the reason why there is none. */
  longCall(): PermittedCall {
    return this.#revisionRun.longCall ?? notApplicable('no call is known to take long: name one with --long-call');
  }

  /** Asks in the conversation that is observed: what it finds out is the same whichever rules run. */
  get observer(): ServerRuleRun {
    return new ServerRuleRun(this.#revisionRun, this.revisionRuns, true);
  }

  /** The open conversation that rules of this revision share. Leave it able to answer. */
  async shared(): Promise<Conversation> {
    if (this.#isObserver) return this.#revisionRun.observe();
    this.mustRun();
    const conversation = await this.#revisionRun.shared.use(this);
    this.used(conversation.probe);
    return conversation;
  }

  /** A request that the server answers without effects, also before `notifications/initialized`. */
  get simplestMethod(): string {
    return this.#revisionRun.options.learnt.simplestMethod ?? 'ping';
  }

  /** An open conversation with a process of its own. */
  async open(options?: OpenOptions, stragglersMs?: number): Promise<Conversation> {
    const probe = await this.start(stragglersMs);
    const conversation = await Conversation.open(probe, this.revision, {
      ...options,
      ...this.#revisionRun.options.learnt,
    });
    return conversation ?? violation(`This time the server did not accept ${this.revision}.`);
  }
}
