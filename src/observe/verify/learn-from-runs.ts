// Learns rules from two runs of a recording.

import type { Params } from '../../mcp/service.ts';
import { CarriedValues } from './carried-values.ts';
import { learnRules } from './learn-rules.ts';
import { allRules, type VerifyRule } from './rules.ts';
import type { StepAnswer } from './run-recording.ts';
import type { Step } from './steps.ts';

const MOST_CHARS = 64 * 1024 * 1024;

/** The answers of one run, in order. */
export class KeptAnswers {
  readonly #answers: StepAnswer[] = [];
  #chars = 0;

  add({ answer, ...rest }: StepAnswer): void {
    if (answer) this.#chars += JSON.stringify(answer).length;
    const isKept = this.#chars <= MOST_CHARS;
    const left: StepAnswer = { reason: 'Not compared: the answers have more than 64 MiB', cause: 'recording' };
    this.#answers.push(isKept ? { ...rest, ...(answer && { answer }) } : left);
  }

  at(index: number): StepAnswer | undefined {
    return this.#answers[index];
  }
}

/** Rules that are needed in addition to the known ones. */
export async function learnFromRuns(
  steps: AsyncIterable<Step>,
  first: KeptAnswers,
  second: KeptAnswers,
  known: readonly VerifyRule[],
): Promise<VerifyRule[]> {
  const [toFirst, toSecond, between] = [new CarriedValues(), new CarriedValues(), new CarriedValues()];
  const translate = {
    toFirst: (value: unknown) => toFirst.applied(value),
    toSecond: (value: unknown) => toSecond.applied(value),
    between: (value: unknown) => between.applied(value),
  };
  let learned: VerifyRule[] = [];
  let at = 0;
  for await (const step of steps) {
    const [one, other] = [comparable(first.at(at)), comparable(second.at(at++))];
    const { recorded, exchange, before } = step;
    const { method, target } = exchange;
    const isComparable = before.outcome === 'ok' || before.outcome === 'error' || before.outcome === 'tool-error';
    if (isComparable) {
      const given = { method, target, recorded, first: one, second: other, translate };
      learned = allRules(learned, learnRules(given, [...known, ...learned]));
    }
    if (recorded && one) toFirst.learn(recorded, one);
    if (recorded && other) toSecond.learn(recorded, other);
    if (one && other) between.learn(one, other);
  }
  return learned;
}

function comparable(answer: StepAnswer | undefined): Params | undefined {
  return answer?.answer;
}
