// The input of a client rule: the runs of its scenarios, and an undisturbed run for comparison.

import type { JsonObject } from '../../base/json-object.ts';
import type { Entry } from '../transcript.ts';
import { notApplicable, violation } from '../verdict.ts';
import type { ClientRule } from './client-rule.ts';
import type { PlayedMcp } from './played-mcp.ts';
import type { PlayedServer } from './played-server.ts';
import { askedIn, messagesIn, type Run, type Scenario } from './scenario.ts';
import type { Asked } from './usual-answers.ts';

/** The requests that every client under test is expected to send. */
const steps = ['tools/list', 'tools/call'];

export class ClientRuleRun {
  readonly runs: readonly Run[];
  readonly plain: Run;

  constructor(rule: ClientRule, runs: readonly Run[], plain: Run) {
    this.runs = rule.scenarios.flatMap((scenario) => runs.find((run) => run.scenario === scenario) ?? []);
    this.plain = plain;
  }

  /** The run of the only scenario, or of the named one. */
  run(scenario?: Scenario): Run {
    return scenario ? this.runs.find((run) => run.scenario === scenario)! : this.runs[0]!;
  }

  get servers(): PlayedMcp[] {
    return this.runs.flatMap(({ servers }) => servers);
  }

  get messages(): JsonObject[] {
    return this.runs.flatMap(messagesIn);
  }

  asked(method?: string): Asked[] {
    return this.runs.flatMap((run) => askedIn(run, method));
  }

  evidence(): Entry[] {
    return this.runs.flatMap(({ clientRun }) => clientRun.transcript.entries);
  }

  /**
   * The client sends the request that usually follows `method` (`initialize`: what opens the connection), although there was a disturbance
   * before the answer to it. `what` is the disturbance. `end`: its exit must be the usual one too.
   */
  goesOnAfter(method: string, what: string, end?: 'exits alike'): void {
    const run = this.run();
    const usual = methodsIn(this.plain);
    const isOpening = method === 'initialize';
    if (!isOpening && !usual.includes(method)) notApplicable(`the client does not send \`${method}\``);
    const seen = methodsIn(run);
    if (!isOpening && !seen.includes(method))
      notApplicable(`the client did not get to \`${method}\` (other rules say why)`);
    const next = usual[isOpening ? 0 : usual.indexOf(method) + 1];
    if (next && !seen.includes(next)) {
      violation(`${what}, the client did not go on: it did not send \`${next}\`. ${endOf(run)}`);
    }
    if (end && this.plain.clientRun.exitStatus && endOf(run) !== endOf(this.plain))
      violation(`${what}: ${endOf(run)} Otherwise: ${endOf(this.plain)}`);
  }
}

/** The distinct methods, in the order of first use. */
function methodsIn(run: Run): string[] {
  const methods = askedIn(run).map(({ method }) => method);
  return [...new Set(methods)].filter((method) => steps.includes(method));
}

/** Describes the end of the client as a sentence. */
export function endOf({ clientRun }: Pick<Run, 'clientRun'>): string {
  const { exitStatus } = clientRun;
  if (!exitStatus) return `The client did not exit: it ${clientRun.stopped}.`;
  const { exitCode, signal } = exitStatus;
  return signal ? `The client was ended by ${signal}.` : `The client exited with code ${exitCode}.`;
}

/** Throws a violation if the check stopped the client: its output was dropped, so the rule cannot be tested completely. */
export function mustBeWhole(runs: readonly Pick<Run, 'clientRun'>[]): void {
  for (const { clientRun } of runs) {
    if (clientRun.isFlooded) violation(`The rule was not tested to its end: the client ${clientRun.isFlooded}.`);
  }
}

/** The client must report a failure by its exit code. */
export function endsWithError(run: Run, what: string): void {
  const { exitStatus } = run.clientRun;
  if (!exitStatus) violation(`${what}. ${endOf(run)}`);
  if (exitStatus.exitCode === 0) violation(`${what}, and the client exited with code 0, as if nothing had happened.`);
}

/** Requires that all servers exited because their stdin ended. */
export function requireStdinClosed(servers: readonly { server: PlayedServer }[]): void {
  for (const { server } of servers) {
    if (server.wasKilled) violation('The server was killed while it exited, or before.');
    const end = server.events.find((event) => event === 'stdin ended' || event === 'exits');
    if (end === 'exits') violation('The server got a signal, and its stdin was still open.');
  }
}
