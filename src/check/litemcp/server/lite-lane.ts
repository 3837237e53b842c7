// All processes of a LiteMCP server under test, and the one that rules share.

import { isObject, type JsonObject } from '../../../base/json-object.ts';
import type { Target } from '../../process-under-test.ts';
import type { NamedCall } from '../../server/calls.ts';
import { Violation } from '../../verdict.ts';
import { LiteProbe } from './lite-probe.ts';
import { type PermittedCall, permittedCall } from './permitted-call.ts';

export interface LiteLaneOptions {
  readonly target: Target;
  /** For one answer. */
  readonly timeoutMs: number;
  readonly allowedCalls: readonly NamedCall[];
  readonly signal: AbortSignal;
}

export class LiteLane {
  readonly options: LiteLaneOptions;
  readonly probes: LiteProbe[] = [];
  /** `data` of the first `info`. */
  tool: JsonObject | undefined;
  /** Why the server did not open. */
  problem: Violation | undefined;
  /** It answered, but only after the end of stdin. */
  answersAtEnd = false;
  #shared: LiteProbe | undefined;

  constructor(options: LiteLaneOptions) {
    this.options = options;
  }

  async open(): Promise<void> {
    const probe = await this.shared();
    try {
      const { data } = (await probe.info()).message;
      this.tool = isObject(data) ? data : {};
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.problem = error;
      if (probe.messages.length > 0 || probe.ended) return;
      probe.endInput();
      this.answersAtEnd = (await probe.maybe(() => probe.messages[0])) !== undefined;
    }
  }

  get call(): PermittedCall | undefined {
    return this.tool && permittedCall(this.tool, this.options.allowedCalls);
  }

  /** A new one if the last did not survive. */
  async shared(): Promise<LiteProbe> {
    if (this.#shared?.ended === false) return this.#shared;
    this.#shared = await this.start();
    return this.#shared;
  }

  /** The next rule gets a new process. */
  async renew(): Promise<void> {
    await this.#shared?.stop();
    this.#shared = undefined;
  }

  isShared(probe: LiteProbe): boolean {
    return this.#shared === probe;
  }

  async start(stragglersMs?: number): Promise<LiteProbe> {
    const { target, timeoutMs, signal } = this.options;
    const patient = stragglersMs === undefined ? target : { ...target, stragglersMs };
    const probe = await LiteProbe.start(patient, timeoutMs, signal);
    this.probes.push(probe);
    return probe;
  }

  async close(): Promise<void> {
    await Promise.all(this.probes.map((probe) => probe.stop()));
  }
}
