// One per-revision run: the observed process, the process shared by rules, and the processes of single rules.

import type { Revision } from '../../mcp/revisions.ts';
import type { Budget } from '../budget.ts';
import { inTime } from '../in-parallel.ts';
import { SharedProcess } from '../shared-process.ts';
import { StartupTime } from '../startup-time.ts';
import type { Target } from '../target.ts';
import { OutOfTime, Violation, violation } from '../verdict.ts';
import { type NamedCall, type PermittedCall, type PermittedCalls, permittedCalls } from './calls.ts';
import { Conversation, openingRequest } from './conversation.ts';
import { type Facts, readFacts } from './facts.ts';
import { Probe } from './probe.ts';

export interface RevisionRunOptions {
  readonly target: Target;
  /** Time limit of one answer. */
  readonly timeoutMs: number;
  readonly allowedCalls: readonly NamedCall[];
  readonly longCall: NamedCall | undefined;
  readonly signal: AbortSignal;
  readonly budget: Budget;
  readonly learnt: Learnt;
}

/** Facts about the server that all revisions share. */
export interface Learnt {
  /** Before 2026-07-28, after the first revision was opened: `ping`, or a method that is answered instead. */
  simplestMethod?: string;
  /** In the revision that was opened first. */
  startup?: StartupTime<Probe>;
}

export class RevisionRun {
  readonly revision: Revision;
  readonly options: RevisionRunOptions;
  /** Processes that got only valid messages, the same in each check (rules/observation.ts). Several if the first has ended. */
  readonly observed: Probe[] = [];
  readonly shared = new SharedProcess(
    () => this.#opened(),
    (probe) => this.drop(probe),
  );
  facts!: Facts;
  /** The permitted calls without the long one. Its tool may have another, short call. */
  calls: readonly PermittedCall[] = [];
  withoutArguments: PermittedCalls['withoutArguments'] = [];
  longCall: PermittedCall | undefined;
  /** Why the revision could not be opened. Absent if the server refused it. */
  problem: Violation | undefined;
  /** The server had not answered when the time for opening ended. */
  wasMute = false;
  /** Time from the start of the first process to its first answer. Other per-revision runs start at the same time. */
  startupMs = 0;
  readonly #probes = new Set<Probe>();
  #observed: Conversation | undefined;
  #isObserved = false;

  constructor(revision: Revision, options: RevisionRunOptions) {
    this.revision = revision;
    this.options = options;
  }

  /** Whether the server supports the revision. */
  get isOpen(): boolean {
    return this.facts !== undefined;
  }

  /** True if the server did not answer, not even to refuse the revision. */
  get isMute(): boolean {
    return this.problem !== undefined && this.observed[0]?.answersTo(1)[0] === undefined;
  }

  async open(): Promise<void> {
    const startMs = performance.now();
    const probe = await this.#startObserved();
    const limitMs = 6 * this.options.timeoutMs;
    try {
      await inTime(this.#openOn(probe, startMs), limitMs);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      const late = `The server did not open within ${limitMs / 1000} s: answers were missing.`;
      this.problem = error instanceof OutOfTime ? new Violation(late) : error;
      this.wasMute = this.isMute;
    }
  }

  async #openOn(probe: Probe, startMs: number): Promise<void> {
    this.#observed = await Conversation.open(probe, this.revision, this.options.learnt);
    this.startupMs = performance.now() - startMs;
    if (this.#observed?.era === 'legacy') this.options.learnt.simplestMethod = this.#observed.simplestMethod;
    if (!this.#observed) return;
    this.options.learnt.startup ??= this.#startup();
    const facts = await readFacts(this.#observed);
    await this.#findCalls(facts);
    this.facts = facts;
  }

  async #findCalls({ tools }: Facts): Promise<void> {
    const { allowedCalls, longCall } = this.options;
    const long = longCall ? tools.filter(({ name }) => name === longCall.name) : [];
    this.longCall = longCall && (await permittedCalls(long, [longCall])).calls[0];
    const { calls, withoutArguments } = await permittedCalls(tools, allowedCalls, this.longCall);
    this.calls = calls;
    this.withoutArguments = withoutArguments;
  }

  /** The observed conversation. Send only valid messages that do not depend on the selection of rules. */
  async observe(): Promise<Conversation> {
    if (this.#isObserved) throw new OutOfTime('the server could not be observed completely in time: raise --timeout');
    if (this.#observed?.probe.ended !== false) this.#observed = await this.#opened(() => this.#startObserved());
    return this.#observed;
  }

  /** Stops the observed processes. Output during the stop is evidence too. */
  async endObservation(): Promise<void> {
    this.#isObserved = true;
    await Promise.all(this.observed.map((probe) => probe.stop().then(() => probe.howItEnded())));
  }

  #startup(): StartupTime<Probe> {
    return new StartupTime({
      start: () => this.start(),
      ask: (probe) => {
        const id = probe.newId();
        probe.send(openingRequest(this.revision, id));
        return () => probe.answersTo(id)[0];
      },
      drop: (probe) => this.drop(probe),
    });
  }

  async start(stragglersMs?: number): Promise<Probe> {
    const { target, timeoutMs, signal, budget } = this.options;
    const patient = stragglersMs === undefined ? target : { ...target, stragglersMs };
    const probe = await Probe.start(patient, timeoutMs, budget, signal);
    probe.another = () => this.options.learnt.startup?.measure();
    this.#probes.add(probe);
    return probe;
  }

  /** Releases the output of a process that is no longer referenced. */
  drop(probe: Probe): void {
    this.#probes.delete(probe);
    probe.release();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#probes].map((probe) => probe.stop()));
  }

  async #startObserved(): Promise<Probe> {
    const probe = await this.start();
    this.observed.push(probe);
    return probe;
  }

  async #opened(start: () => Promise<Probe> = () => this.start()): Promise<Conversation> {
    const conversation = await Conversation.open(await start(), this.revision, this.options.learnt);
    return conversation ?? violation(`The server accepted ${this.revision} before, but not this time.`);
  }
}
