// Finds rules for the values that differ between runs of the same recording: the narrowest shape that accepts both values.

import { type AnswerDifference, compareAnswers, jsonIn } from './compare.ts';
import { IN_TEXT, RuleSet, type VerifyRule } from './rules.ts';
import { areAlike, isTime, type Shape, textShapes } from './shapes.ts';

/** A recorded answer and those of two runs, with the identifiers that the requests before had brought. */
export interface LearnedStep {
  readonly method: string;
  readonly target: string | undefined;
  readonly recorded: unknown;
  /** The answer of the run; absent if it cannot be compared. */
  readonly first: unknown;
  readonly second: unknown;
  readonly translate: {
    toFirst(value: unknown): unknown;
    toSecond(value: unknown): unknown;
    between(value: unknown): unknown;
  };
}

/** Shapes that no server has by a change of its code: they are accepted too if only the recording differs. */
const certain: readonly Shape[] = ['uuid', 'timestamp', 'duration'];
/** Each round can show differences that those of the round before hid. */
const MOST_ROUNDS = 10;

/** Rules that are needed in addition to those given. */
export function learnRules(step: LearnedStep, known: readonly VerifyRule[]): VerifyRule[] {
  const { method, target, recorded, first, second, translate } = step;
  const of = { method, ...(target !== undefined && { target }) };
  const learned: VerifyRule[] = [];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const rules = new RuleSet([...known, ...learned]).for(method, target);
    const found: VerifyRule[] = [];
    const propose = (
      before: unknown,
      after: unknown,
      translation: (value: unknown) => unknown,
      isBetweenRuns: boolean,
    ) => {
      if (before === undefined || after === undefined) return;
      const options = { most: 1000, alsoUnordered: certain, translate: translation };
      for (const difference of compareAnswers(before, after, rules, options).differences) {
        const path = rulePath(difference.path);
        for (const accept of shapesOf(difference, isBetweenRuns)) found.push({ ...of, path, accept });
      }
    };
    propose(first, second, translate.between, true);
    if (found.length === 0) {
      propose(recorded, first, translate.toFirst, false);
      propose(recorded, second, translate.toSecond, false);
    }
    const isNew = (rule: VerifyRule) => !learned.some((each) => each.path === rule.path && each.accept === rule.accept);
    const added = found.filter((rule, at) => isNew(rule) && found.findIndex((each) => isSame(each, rule)) === at);
    if (added.length === 0) break;
    learned.push(...added);
  }
  return learned;
}

function isSame(one: VerifyRule, other: VerifyRule): boolean {
  return one.path === other.path && one.accept === other.accept;
}

/** `isBetweenRuns`: the value is certain to vary. Otherwise only the recording differs, and the server may have changed. */
function shapesOf({ before, after, isOrder }: AnswerDifference, isBetweenRuns: boolean): readonly Shape[] {
  if (isOrder) return ['order'];
  if (typeof before === 'string' && typeof after === 'string') return shapesOfTexts(before, after, isBetweenRuns);
  if (typeof before === 'number' && typeof after === 'number') {
    if (isTime(before) && isTime(after)) return ['timestamp'];
    return isBetweenRuns ? ['number'] : [];
  }
  return isBetweenRuns ? ['ignore'] : [];
}

/** A text may have values of several shapes. */
function shapesOfTexts(before: string, after: string, isBetweenRuns: boolean): readonly Shape[] {
  const usable: readonly Shape[] = [...(isBetweenRuns ? textShapes : certain), 'order'];
  const isEnough = (some: readonly Shape[]) => areAlike(before, after, new Set(some));
  const single = usable.find((shape) => isEnough([shape]));
  if (single) return [single];
  // The narrowest shapes first, and then those left out that are not needed.
  let needed: readonly Shape[] = [];
  for (const shape of usable) {
    if (isEnough(needed)) break;
    needed = [...needed, shape];
  }
  if (isEnough(needed)) {
    for (const shape of needed.toReversed()) {
      const others = needed.filter((each) => each !== shape);
      if (isEnough(others)) needed = others;
    }
    return needed;
  }
  if (!isBetweenRuns) return [];
  return jsonIn(before) && jsonIn(after) ? ['ignore'] : ['text'];
}

/** An index becomes a wildcard, and so does a key that a path cannot name. */
function rulePath(path: readonly string[]): string {
  const steps = path.map((key) => (/^\d+$/.test(key) || /[.[\]*]|^$|^\$|\s/.test(key) ? '*' : key));
  return steps.map((step, at) => (path[at] === IN_TEXT ? IN_TEXT : step)).join('.');
}
