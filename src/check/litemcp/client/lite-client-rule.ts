// A rule for LiteMCP clients, and its input: the runs of its scenarios, and the plain run for comparison.

import { textOf } from '../../../base/text-of.ts';
import { endOf } from '../../client/client-rule-run.ts';
import { type RuleText, rowsOf } from '../../rule.ts';
import type { Entry } from '../../transcript.ts';
import { notApplicable, violation } from '../../verdict.ts';
import type { Message } from '../frames.ts';
import type { Asked, LiteRun, LiteScenario, PlayedLite } from './played-lite.ts';

export interface LiteClientRule extends RuleText {
  /** The scenarios whose runs the rule reads. */
  readonly scenarios: readonly LiteScenario[];
  /** Throws a verdict other than passed (verdict.ts). Must not depend on the speed of the client. */
  readonly check: (ruleRun: LiteClientRuleRun) => void;
}

export const liteClientRows = rowsOf<LiteClientRule>();

export class LiteClientRuleRun {
  readonly runs: readonly LiteRun[];
  readonly plain: LiteRun;

  constructor({ scenarios }: LiteClientRule, runs: readonly LiteRun[], plain: LiteRun) {
    this.runs = scenarios.flatMap((scenario) => runs.find((run) => run.scenario === scenario) ?? []);
    this.plain = plain;
  }

  get servers(): PlayedLite[] {
    return this.runs.flatMap(({ servers }) => servers);
  }

  get messages(): Message[] {
    return this.servers.flatMap(({ messages }) => messages);
  }

  /** The calls of the client. Not applicable if there is none. */
  calls(): Asked[] {
    const calls = this.servers.flatMap(({ asked }) => asked).filter(({ type }) => type === 'call');
    return calls.length > 0 ? calls : notApplicable('the client did not call the tool');
  }

  evidence(): Entry[] {
    return this.runs.flatMap(({ clientRun }) => clientRun.transcript.entries);
  }

  /** Requires that the client behaves and ends as in the plain run. `what`: the disturbance. */
  goesOn(what: string): void {
    for (const run of this.runs) {
      const [seen, usual] = [typesIn(run), typesIn(this.plain)];
      const missing = usual.find((type) => !seen.includes(type));
      if (missing) violation(`${what}, the client did not send "${missing}". ${endOf(run)}`);
      if (!this.plain.clientRun.exitStatus) continue; // litemcp-client/exits reports this
      if (endOf(run) !== endOf(this.plain)) violation(`${what}: ${endOf(run)} Without it: ${endOf(this.plain)}`);
    }
  }
}

export function askedIn({ servers }: LiteRun): Asked[] {
  return servers.flatMap(({ asked }) => asked);
}

function typesIn(run: LiteRun): string[] {
  return [...new Set(askedIn(run).map(({ type }) => textOf(type)))];
}
