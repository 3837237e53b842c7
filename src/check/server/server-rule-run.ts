// One run of one rule in one revision: the processes and calls that it may use.

import type { JsonObject } from '../../base/json-object.ts';
import { type Era, eraOf, type Revision } from '../../mcp/revisions.ts';
import { RuleRun } from '../rule-run.ts';
import { notApplicable, violation } from '../verdict.ts';
import { type PermittedCall, permittedCalls } from './calls.ts';
import { Conversation, type OpenOptions } from './conversation.ts';
import type { Facts } from './facts.ts';
import type { Probe } from './probe.ts';
import type { RevisionRun } from './revision-run.ts';

export class ServerRuleRun extends RuleRun<Probe> {
  readonly revision: Revision;
  readonly era: Era;
  readonly facts: Facts;
  /** Runs of all revisions, newest first, including refused ones. */
  readonly revisionRuns: readonly RevisionRun[];
  readonly #revisionRun: RevisionRun;
  /** The rule runs again, in processes that no other rule uses. */
  readonly isAlone: boolean;
  readonly #isObserver: boolean;
  /** The conversation of a rule that runs alone, in place of the shared one. */
  #own: Conversation | undefined;

  constructor(
    revisionRun: RevisionRun,
    revisionRuns: readonly RevisionRun[],
    { isObserver = false, isAlone = false }: { isObserver?: boolean; isAlone?: boolean } = {},
  ) {
    super(revisionRun);
    this.#revisionRun = revisionRun;
    this.#isObserver = isObserver;
    this.isAlone = isAlone;
    this.revisionRuns = revisionRuns;
    this.revision = revisionRun.revision;
    this.era = eraOf(revisionRun.revision);
    this.facts = revisionRun.facts;
  }

  get timeoutMs(): number {
    return this.#revisionRun.options.timeoutMs;
  }

  /** Timeout for an event that may happen during the start of a process. */
  get startupTimeoutMs(): number {
    return this.timeoutMs + 3 * this.#revisionRun.startupMs;
  }

  /** Permitted calls: tools that are declared read-only, and those that the user allows. */
  get calls(): readonly PermittedCall[] {
    return this.#revisionRun.calls;
  }

  /** Permitted calls of tools that a client with other capabilities got. */
  async callsOf(tools: readonly JsonObject[]): Promise<readonly PermittedCall[]> {
    const { allowedCalls } = this.#revisionRun.options;
    return (await permittedCalls(tools, allowedCalls, this.knownLongCall)).calls;
  }

  /** Tools that the check may call, without arguments that their schemas accept. */
  get withoutArguments(): readonly JsonObject[] {
    return this.#revisionRun.withoutArguments;
  }

  get knownLongCall(): PermittedCall | undefined {
    return this.#revisionRun.longCall;
  }

  /** The call that the user named as long. Not applicable if there is none. */
  longCall(): PermittedCall {
    return this.knownLongCall ?? notApplicable('no long call is known: name one with --long-call');
  }

  /** Uses the observed conversation, so that its results do not depend on the selected rules. */
  get observer(): ServerRuleRun {
    return new ServerRuleRun(this.#revisionRun, this.revisionRuns, { isObserver: true });
  }

  /** The open conversation that rules of this revision share. It must be able to answer afterwards. */
  async shared(): Promise<Conversation> {
    if (this.#isObserver) return this.#revisionRun.observe();
    this.mustRun();
    const conversation = this.isAlone ? await this.#ownConversation() : await this.#revisionRun.shared.use(this);
    this.lasting(conversation.probe);
    return conversation;
  }

  async #ownConversation(): Promise<Conversation> {
    if (this.#own?.probe.ended !== false) this.#own = await this.open();
    return this.#own;
  }

  /** An open conversation with a process of its own that the messages of the rule must not end. */
  async openLasting(): Promise<Conversation> {
    const conversation = await this.open();
    this.lasting(conversation.probe);
    return conversation;
  }

  /** A method without effects that the server answers, even before `notifications/initialized`. */
  get simplestMethod(): string {
    return this.#revisionRun.options.learnt.simplestMethod ?? 'ping';
  }

  /** An open conversation with a new process. */
  async open(options?: OpenOptions, stragglersMs?: number): Promise<Conversation> {
    return this.openOn(await this.start(stragglersMs), options);
  }

  async openOn(probe: Probe, options?: OpenOptions): Promise<Conversation> {
    const conversation = await Conversation.open(probe, this.revision, {
      ...options,
      ...this.#revisionRun.options.learnt,
    });
    return conversation ?? violation(`The server accepted ${this.revision} before, but not this time.`);
  }
}
