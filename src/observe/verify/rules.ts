// Rules about values that may differ from the recording: a path, the shape of the value, and the requests whose answers they are about.

import { UsageError } from '../../base/errors.ts';
import { globMatcher } from '../../base/glob.ts';
import { isObject } from '../../base/json-object.ts';
import { isAtEnd, type PathsLeft, parseJsonPath, stepInto } from '../../base/json-path.ts';
import { type Shape, shapes } from './shapes.ts';

export interface VerifyRule {
  /** The method of the requests; `*` is a wildcard. Default: all. */
  readonly method?: string;
  /** The tool, prompt or resource; `*` is a wildcard. Default: all. */
  readonly target?: string;
  /** A path in the answer: `result.content.*.text`. `*` is one key or index, `**` any number; `json()` enters JSON in a text. */
  readonly path: string;
  readonly accept: Shape;
}

/** The key of a path into JSON inside of a text. */
export const IN_TEXT = 'json()';
const FORMAT = 'verify-rules';
const MOST_RULES = 10_000;
const LONGEST = 1000;

/** The rules for one request. */
export class RuleSet {
  readonly #rules: readonly VerifyRule[];
  /** Rules by method and target. */
  readonly #known = new Map<string, RulesLeft>();

  constructor(rules: readonly VerifyRule[]) {
    this.#rules = rules;
  }

  for(method: string, target: string | undefined): RulesLeft {
    const key = JSON.stringify([method, target]);
    let found = this.#known.get(key);
    if (!found) {
      const applying = this.#rules.filter((rule) => applies(rule, method, target));
      found = new RulesLeft(applying.map(({ path, accept }) => ({ accept, left: [parseJsonPath(path)] })));
      if (this.#known.size < MOST_RULES) this.#known.set(key, found);
    }
    return found;
  }
}

interface RuleLeft {
  readonly accept: Shape;
  readonly left: PathsLeft;
}

const none: ReadonlySet<Shape> = new Set();

/** The rules that can still match below a path. */
export class RulesLeft {
  readonly #rules: readonly RuleLeft[];
  /** What is accepted at this path. */
  readonly accepted: ReadonlySet<Shape>;

  constructor(rules: readonly RuleLeft[]) {
    this.#rules = rules;
    const here = rules.filter(({ left }) => isAtEnd(left));
    this.accepted = here.length > 0 ? new Set(here.map(({ accept }) => accept)) : none;
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  into(key: string): RulesLeft {
    if (this.#rules.length === 0) return this;
    const below = this.#rules.map(({ accept, left }) => ({ accept, left: stepInto(left, key) }));
    return new RulesLeft(below.filter(({ left }) => left.length > 0));
  }
}

function applies(rule: VerifyRule, method: string, target: string | undefined): boolean {
  if (rule.method !== undefined && !globMatcher(rule.method)(method)) return false;
  return rule.target === undefined || globMatcher(rule.target)(target ?? '');
}

/** Reads `timestamp result.time` or `tools/call now: timestamp result.time`. */
export function parseRule(text: string): VerifyRule {
  const [, method, target, accept, path] = /^(?:(\S+)(?: ([^:]+|.+))?: )?(\S+) (\S+)$/.exec(text.trim()) ?? [];
  return checkedRule({ method, target: target?.trim(), accept, path }, `"${text}" is not a rule`);
}

export function requireRule(rule: VerifyRule): VerifyRule {
  return checkedRule(rule, `${JSON.stringify(rule)} is not a rule`);
}

function checkedRule(given: unknown, problem: string): VerifyRule {
  const { method, target, path, accept } = isObject(given) ? given : {};
  const isText = (value: unknown) => value === undefined || (typeof value === 'string' && value.length <= LONGEST);
  const isShape = shapes.includes(accept as Shape);
  if (!isShape || typeof path !== 'string' || ![method, target, path].every(isText) || !isSteppable(path)) {
    throw new UsageError('INVALID_OPTION', problem, {
      hint: `Write a shape and a path: 'tools/call now: timestamp result.time'. Shapes: ${shapes.join(', ')}.`,
    });
  }
  const of = { ...(method !== undefined && { method }), ...(target !== undefined && { target }) };
  return { ...of, path, accept: accept as Shape } as VerifyRule;
}

/** The time for a path doubles with each `**`. */
function isSteppable(path: string): boolean {
  const steps = parseJsonPath(path);
  return steps.length > 0 && steps.filter((step) => step === '**').length <= 2;
}

/** Reads the text of a rules file. */
export function parseRules(text: string, file: string): VerifyRule[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(file, 'is not JSON', cause);
  }
  const { standpipe, version, rules } = isObject(value) ? value : {};
  if (standpipe !== FORMAT || version !== 1 || !Array.isArray(rules)) throw invalid(file, 'has no rules of verify');
  if (rules.length > MOST_RULES) throw invalid(file, `has more than ${MOST_RULES.toLocaleString('en')} rules`);
  return rules.map((rule, index) => checkedRule(rule, `Rule ${index + 1} of ${file} is not a rule`));
}

function invalid(file: string, problem: string, cause?: unknown): UsageError {
  return new UsageError('INVALID_OPTION', `${file} ${problem}`, {
    cause,
    hint: 'Correct it, or delete it and write it again with `verify --learn`.',
  });
}

/** Writes one rule on each line. */
export function rulesText(rules: readonly VerifyRule[]): string {
  const lines = rules.map(
    ({ method, target, path, accept }) => `    ${JSON.stringify({ method, target, path, accept })}`,
  );
  const body = lines.length > 0 ? `[\n${lines.join(',\n')}\n  ]` : '[]';
  return `{\n  "standpipe": "${FORMAT}",\n  "version": 1,\n  "rules": ${body}\n}\n`;
}

/** The rules without duplicates. */
export function allRules(...given: readonly (readonly VerifyRule[])[]): VerifyRule[] {
  const byText = new Map<string, VerifyRule>();
  for (const rule of given.flat()) {
    const { method, target, path, accept } = rule;
    const text = JSON.stringify([method, target, path, accept]);
    if (!byText.has(text)) byText.set(text, rule);
  }
  return [...byText.values()];
}
