// A scenario for LiteMCP clients. One client run plays one scenario, and several rules read its observations.

import type { Budget } from '../../budget.ts';
import { ClientRun } from '../../client/client-run.ts';
import type { Deadline } from '../../in-parallel.ts';
import type { Target } from '../../target.ts';
import { type Asked, PlayedLite } from './played-lite.ts';

export type Answering = (asked: Asked, played: PlayedLite) => void | Promise<void>;

export interface LiteScenario {
  readonly name: string;
  /** Replaces the usual answers. */
  readonly on?: { readonly get?: Answering; readonly call?: Answering };
  /** Exits neither at the end of stdin nor at a signal. */
  readonly ignoresEnd?: boolean;
  /** Replaces the usual limit of inactivity. */
  readonly timeoutMs?: number;
}

/** The observations of one client run in a scenario. */
export interface LiteRun {
  readonly scenario: LiteScenario;
  readonly clientRun: ClientRun;
  readonly servers: readonly PlayedLite[];
  readonly durationMs: number;
}

export interface LiteRunOptions {
  readonly target: Target;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly budget: Budget;
  readonly deadline: Deadline;
}

export async function runScenario(scenario: LiteScenario, options: LiteRunOptions): Promise<LiteRun> {
  const { target, timeoutMs, signal, budget, deadline } = options;
  const startMs = performance.now();
  const servers: PlayedLite[] = [];
  const clientRun = await ClientRun.run({
    target,
    scenario: scenario.name,
    timeoutMs: Math.max(timeoutMs, scenario.timeoutMs ?? 0),
    budget,
    deadline,
    ...(signal && { signal }),
    onserver: (server) => servers.push(new PlayedLite(server, scenario, timeoutMs)),
  });
  return { scenario, clientRun, servers, durationMs: Math.round(performance.now() - startMs) };
}
