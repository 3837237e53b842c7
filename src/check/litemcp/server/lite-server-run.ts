// All processes of a LiteMCP server under test, including the one shared by rules.

import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { answerLater } from '../../answer-later.ts';
import type { Budget } from '../../budget.ts';
import type { NamedCall } from '../../server/calls.ts';
import { SharedProcess } from '../../shared-process.ts';
import { StartupTime } from '../../startup-time.ts';
import type { Target } from '../../target.ts';
import { OutOfTime, Violation } from '../../verdict.ts';
import { LiteProbe } from './lite-probe.ts';
import { callData, type PermittedCall, permittedCall } from './permitted-call.ts';

export interface LiteServerRunOptions {
  readonly target: Target;
  /** Time limit of one answer. */
  readonly timeoutMs: number;
  readonly allowedCalls: readonly NamedCall[];
  readonly signal: AbortSignal;
  readonly budget: Budget;
}

export class LiteServerRun {
  readonly options: LiteServerRunOptions;
  /** The process that got only valid messages, the same in each check. */
  readonly observed: LiteProbe[] = [];
  readonly shared = new SharedProcess(
    async () => {
      const probe = await this.start();
      return { probe, settled: () => probe.settled() };
    },
    (probe) => this.drop(probe),
  );
  /** `data` of the first `info`. */
  tool: JsonObject | undefined;
  /** Why the server did not open. */
  problem: Violation | undefined;
  /** The server answered only after the end of stdin. */
  answersAtEnd = false;
  readonly #probes = new Set<LiteProbe>();
  readonly #startup = new StartupTime<LiteProbe>({
    start: () => this.start(),
    ask: (probe) => {
      const id = probe.send('get', {});
      return () => probe.answersTo(id)[0];
    },
    drop: (probe) => this.drop(probe),
  });

  constructor(options: LiteServerRunOptions) {
    this.options = options;
  }

  async open(): Promise<void> {
    const probe = await this.start();
    this.observed.push(probe);
    try {
      const { data } = (await probe.info()).message;
      this.tool = isObject(data) ? data : {};
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.problem = error;
      if (probe.messages.length > 0 || probe.ended) return;
      await this.#lookLater(probe);
    }
  }

  async #lookLater(first: LiteProbe): Promise<void> {
    const startSecond = async () => {
      const second = await this.start();
      void second.info().catch(() => undefined);
      return second;
    };
    const { process, slow } = await answerLater(first, startSecond, ({ messages }) => messages[0]);
    if (process !== first) this.observed.splice(0, 1, process);
    if (slow) {
      this.problem = new OutOfTime(slow);
      return;
    }
    process.endInput();
    this.answersAtEnd = (await process.maybe(() => process.messages[0])) !== undefined;
  }

  get call(): PermittedCall | undefined {
    return this.tool && permittedCall(this.tool, this.options.allowedCalls);
  }

  /** Records a conversation for rules that only read. A failed request is reported by the rules about it. */
  async observe(): Promise<void> {
    const [probe] = this.observed;
    const { call } = this;
    try {
      if (call) await probe?.ask('call', callData(call.tool, call.arguments));
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
    }
    await probe?.stop(); // output during the stop is evidence too
  }

  async start(stragglersMs?: number): Promise<LiteProbe> {
    const { target, timeoutMs, signal, budget } = this.options;
    const patient = stragglersMs === undefined ? target : { ...target, stragglersMs };
    const probe = await LiteProbe.start(patient, timeoutMs, budget, signal);
    probe.another = () => (this.tool ? this.#startup.measure() : undefined);
    this.#probes.add(probe);
    return probe;
  }

  /** Releases the output of a process that is no longer referenced. */
  drop(probe: LiteProbe): void {
    this.#probes.delete(probe);
    probe.release();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#probes].map((probe) => probe.stop()));
  }
}
