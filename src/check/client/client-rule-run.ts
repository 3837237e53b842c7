// A rule for MCP clients, and its input: the runs of its scenarios, and the plain run for comparison.

import type { JsonObject } from '../../base/json-object.ts';
import type { Revision } from '../../mcp/revisions.ts';
import { type RuleText, rowsOf } from '../rule.ts';
import type { Entry } from '../transcript.ts';
import { notApplicable, violation } from '../verdict.ts';
import type { PlayedMcp } from './played-mcp.ts';
import type { PlayedServer } from './played-server.ts';
import { askedIn, messagesIn, type Run, type Scenario } from './scenario.ts';
import type { Asked } from './usual-answers.ts';

export interface ClientRule extends RuleText {
  /** The first and the last revision that the rule applies to. Default: all. */
  readonly since?: Revision;
  readonly until?: Revision;
  /** The scenarios whose runs the rule reads. */
  readonly scenarios: readonly Scenario[];
  /** Throws a verdict other than passed (verdict.ts). Must not depend on the speed of the client. */
  readonly check: (ruleRun: ClientRuleRun) => void;
}

export const clientRows = rowsOf<ClientRule>();

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
   * Requires that the client continues in spite of a disturbance before the answer to `method`: it must send the request that follows
   * `method` in the plain run. For `initialize`, this is the first request. `what` describes the disturbance. With `end`, the exit must
   * also equal that of the plain run.
   */
  goesOnAfter(method: string, what: string, end?: 'exits alike'): void {
    const run = this.run();
    const usual = methodsIn(this.plain);
    const isOpening = method === 'initialize';
    if (!isOpening && !usual.includes(method)) notApplicable(`the client does not send \`${method}\``);
    const seen = methodsIn(run);
    if (!isOpening && !seen.includes(method)) notApplicable(notReached(method));
    const next = usual[isOpening ? 0 : usual.indexOf(method) + 1];
    if (next && !seen.includes(next)) {
      violation(`${what}, the client did not send \`${next}\`. ${endOf(run)}`);
    }
    if (end && this.plain.clientRun.exitStatus && endOf(run) !== endOf(this.plain))
      violation(`${what}: ${endOf(run)} Without it: ${endOf(this.plain)}`);
  }
}

export function notReached(method: string): string {
  return `the client did not send \`${method}\` (other rules report why)`;
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

/** Reports a violation if the check stopped the client because of its output. */
export function mustBeWhole(runs: readonly Pick<Run, 'clientRun'>[]): void {
  for (const { clientRun } of runs) {
    if (clientRun.isFlooded) violation(`The rule was not tested completely: the client ${clientRun.isFlooded}.`);
  }
}

/** Requires that the client reports a failure by its exit code. */
export function endsWithError(run: Run, what: string): void {
  const { exitStatus } = run.clientRun;
  if (!exitStatus) violation(`${what}. ${endOf(run)}`);
  if (exitStatus.exitCode === 0) violation(`${what}, and the client exited with code 0, as after a success.`);
}

/** Requires that all servers exited because their stdin ended. */
export function requireStdinClosed(servers: readonly { server: PlayedServer }[]): void {
  for (const { server } of servers) {
    if (server.wasKilled) violation('The server was killed before it had exited.');
    const end = server.events.find((event) => event === 'stdin ended' || event === 'exits');
    if (end === 'exits') violation('The server received a signal while its stdin was still open.');
  }
}
