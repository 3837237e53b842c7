// All that is done with the server in one revision: the processes that were started for it, and the open conversation that rules share.

import type { Revision } from '../../mcp/revisions.ts';
import type { Target } from '../process-under-test.ts';
import { Violation, violation } from '../verdict.ts';
import { type NamedCall, type PermittedCall, permittedCalls } from './calls.ts';
import { Conversation } from './conversation.ts';
import { type Facts, readFacts } from './facts.ts';
import { Probe } from './probe.ts';

export interface LaneOptions {
  readonly target: Target;
  /** For one answer. */
  readonly timeoutMs: number;
  readonly allowedCalls: readonly NamedCall[];
  readonly longCall: NamedCall | undefined;
  readonly signal: AbortSignal;
}

export class Lane {
  readonly revision: Revision;
  readonly options: LaneOptions;
  readonly probes: Probe[] = [];
  facts!: Facts;
  /** Why the revision could not be opened. Absent if the server refused it. */
  problem: Violation | undefined;
  /** How long the first process took from its start to its first answer, beside those of other lanes. */
  startupMs = 0;
  #shared: Conversation | undefined;

  constructor(revision: Revision, options: LaneOptions) {
    this.revision = revision;
    this.options = options;
  }

  /** The server supports the revision. */
  get isOpen(): boolean {
    return this.facts !== undefined;
  }

  /** The server did not answer, not even to refuse the revision. */
  get isMute(): boolean {
    return this.problem !== undefined && this.probes[0]?.answersTo(1)[0] === undefined;
  }

  async open(): Promise<void> {
    const startMs = performance.now();
    const probe = await this.start();
    try {
      this.#shared = await Conversation.open(probe, this.revision);
      this.startupMs = performance.now() - startMs;
      if (this.#shared) this.facts = await readFacts(this.#shared);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.problem = error;
    }
  }

  /** Without the one that takes long. */
  get calls(): readonly PermittedCall[] {
    const { allowedCalls, longCall } = this.options;
    return permittedCalls(this.facts.tools, allowedCalls).filter(({ name }) => name !== longCall?.name);
  }

  get longCall(): PermittedCall | undefined {
    const { longCall } = this.options;
    return longCall && permittedCalls(this.facts.tools, [longCall]).find(({ name }) => name === longCall.name);
  }

  /** A new one if the last did not survive. */
  async shared(): Promise<Conversation> {
    if (this.#shared?.probe.ended === false) return this.#shared;
    this.#shared = await Conversation.open(await this.start(), this.revision);
    return this.#shared ?? violation(`This time the server did not accept ${this.revision}.`);
  }

  /** The next rule gets a conversation with a new process. */
  async renew(): Promise<void> {
    await this.#shared?.probe.stop();
    this.#shared = undefined;
  }

  isShared(probe: Probe): boolean {
    return this.#shared?.probe === probe;
  }

  async start(stragglersMs?: number): Promise<Probe> {
    const { target, timeoutMs, signal } = this.options;
    const patient = stragglersMs === undefined ? target : { ...target, stragglersMs };
    const probe = await Probe.start(patient, timeoutMs, signal);
    this.probes.push(probe);
    return probe;
  }

  async close(): Promise<void> {
    await Promise.all(this.probes.map((probe) => probe.stop()));
  }
}
