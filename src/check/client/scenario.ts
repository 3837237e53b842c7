// A scenario is a way to play the server. One client run plays one scenario, and several rules read its observations.

import type { JsonObject } from '../../base/json-object.ts';
import type { Budget } from '../budget.ts';
import type { Deadline } from '../in-parallel.ts';
import { messagesOf } from '../server/probe.ts';
import type { Target } from '../target.ts';
import { ClientRun } from './client-run.ts';
import { PlayedMcp } from './played-mcp.ts';
import type { PlayedServer } from './played-server.ts';
import type { Asked, Speaks } from './usual-answers.ts';

/** The members that scenarios of all protocols share. */
export interface AnyScenario {
  readonly name: string;
  /** The server exits neither at the end of stdin nor at a signal. */
  readonly ignoresEnd?: boolean;
  /** The client may be inactive for at least this time. */
  readonly timeoutMs?: number;
}

export type Answering = (asked: Asked, mcp: PlayedMcp) => void | Promise<void>;

export interface Scenario extends AnyScenario {
  readonly speaks?: Speaks;
  /** Replaces the usual answer, by method. */
  readonly on?: Readonly<Record<string, Answering>>;
  /** Replaces the answer to the first request of a process, independently of its method. */
  readonly first?: Answering;
}

export interface RunOptions {
  readonly target: Target;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly budget: Budget;
  readonly deadline: Deadline;
}

/** The observations of one client run in a scenario. */
export interface ScenarioRun<S extends AnyScenario, P> {
  readonly scenario: S;
  readonly clientRun: ClientRun;
  readonly servers: readonly P[];
  readonly durationMs: number;
}

export type Run = ScenarioRun<Scenario, PlayedMcp>;

export function runScenario(scenario: Scenario, options: RunOptions): Promise<Run> {
  return play(scenario, options, (server) => new PlayedMcp(server, scenario, options.timeoutMs));
}

/** `make`: the protocol of a server that the client has started. */
export async function play<S extends AnyScenario, P>(
  scenario: S,
  { target, timeoutMs, signal, budget, deadline }: RunOptions,
  make: (server: PlayedServer) => P,
): Promise<ScenarioRun<S, P>> {
  const startMs = performance.now();
  const servers: P[] = [];
  const clientRun = await ClientRun.run({
    target,
    scenario: scenario.name,
    timeoutMs: Math.max(timeoutMs, scenario.timeoutMs ?? 0),
    budget,
    deadline,
    ...(signal && { signal }),
    onserver: (server) => servers.push(make(server)),
  });
  return { scenario, clientRun, servers, durationMs: Math.round(performance.now() - startMs) };
}

/** Messages from the client to all its servers. */
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
