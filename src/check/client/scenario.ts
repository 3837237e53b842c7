// A scenario is a way to play the server. One run of the client plays one scenario, and several rules read what was seen.

import type { JsonObject } from '../../base/json-object.ts';
import type { Budget } from '../budget.ts';
import type { Deadline } from '../in-parallel.ts';
import { messagesOf } from '../server/probe.ts';
import type { Target } from '../target.ts';
import { ClientRun } from './client-run.ts';
import { PlayedMcp } from './played-mcp.ts';
import type { Asked, Speaks } from './usual-answers.ts';

export type Answering = (asked: Asked, mcp: PlayedMcp) => void | Promise<void>;

export interface Scenario {
  readonly name: string;
  readonly speaks?: Speaks;
  /** Replaces the usual answer, by method. */
  readonly on?: Readonly<Record<string, Answering>>;
  /** Replaces the answer to the first request of a process, whatever its method is. */
  readonly first?: Answering;
  /** Exits neither at the end of stdin nor at a signal. */
  readonly ignoresEnd?: boolean;
}

export interface RunOptions {
  readonly target: Target;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly budget: Budget;
  readonly deadline: Deadline;
}

/** The observations of one client run in a scenario. */
export interface Run {
  readonly scenario: Scenario;
  readonly clientRun: ClientRun;
  readonly servers: readonly PlayedMcp[];
  readonly durationMs: number;
}

export async function runScenario(scenario: Scenario, options: RunOptions): Promise<Run> {
  const { target, timeoutMs, signal, budget, deadline } = options;
  const startMs = performance.now();
  const servers: PlayedMcp[] = [];
  const clientRun = await ClientRun.run({
    target,
    scenario: scenario.name,
    timeoutMs,
    budget,
    deadline,
    ...(signal && { signal }),
    onserver: (server) => servers.push(new PlayedMcp(server, scenario, timeoutMs)),
  });
  return { scenario, clientRun, servers, durationMs: Math.round(performance.now() - startMs) };
}

/** Messages of the client to all its servers. */
export function messagesIn({ servers }: Run): JsonObject[] {
  return servers.flatMap(({ frames }) => frames.flatMap(messagesOf));
}

export function askedIn({ servers }: Run, method?: string): Asked[] {
  return servers.flatMap(({ asked }) => asked).filter((each) => method === undefined || each.method === method);
}

/** Whether the client sent `initialize` or a request that names its revision. */
export function hasOpened(run: Run): boolean {
  const first = askedIn(run).find(({ method }) => method !== 'ping');
  return first !== undefined && (first.method === 'initialize' || first.era === 'modern');
}
