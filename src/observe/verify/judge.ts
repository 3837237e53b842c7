// Compares the answer to one request with the recorded one.

import { isObject, type JsonObject } from '../../base/json-object.ts';
import type { Redact } from '../../base/secrets/redact.ts';
import { type DefinitionChange, definitionChanges } from '../../mcp/definition-change.ts';
import type { ListFacts } from '../../mcp/methods.ts';
import type { Params } from '../../mcp/service.ts';
import type { CarriedValues } from './carried-values.ts';
import { type AnswerDifference, compareAnswers, pathText } from './compare.ts';
import type { VerifyDifference, VerifyResult, VerifySide, VerifyStatus } from './report.ts';
import type { RulesLeft } from './rules.ts';
import type { StepAnswer } from './run-recording.ts';
import type { Step } from './steps.ts';

export interface Judged {
  readonly result: VerifyResult;
  /** The new answer, with the recorded values where a rule accepts the difference. Undefined if there is nothing to accept. */
  readonly merged: Params | undefined;
}

export interface JudgeOptions {
  readonly rules: RulesLeft;
  readonly carried: CarriedValues;
  readonly slowerFactor: number;
  readonly slowerByMs: number;
  readonly redact: Redact;
}

export function judge(step: Step, given: StepAnswer, options: JudgeOptions): Judged {
  const { exchange, before, recorded, params } = step;
  const { after, answer, reason, cause, stderr } = given;
  const { redact } = options;
  const compared = recorded && answer ? compareStep(step, recorded, answer, options) : undefined;
  const { status, why } = after ? statusOf(before, after, compared?.isSame === true) : skipped(cause);
  const text = reason ?? why ?? (status === 'failing' ? failureIn(answer) : undefined);
  const isSlower = after !== undefined && isMuchLonger(before.durationMs, after.durationMs, options);
  const { differences = [], changes = [] } = compared ?? {};
  const result: VerifyResult = {
    number: exchange.index + 1,
    method: exchange.method,
    ...(exchange.target !== undefined && { target: redact(exchange.target) }),
    ...((status !== 'same' || isSlower) && { params: shownText(withoutMeta(params), redact, LONGEST_PARAMS) }),
    status,
    ...(text !== undefined && status !== 'same' && { reason: cause ? text : redact(text) }),
    ...(cause && { cause }),
    ...(isSlower && status !== 'skipped' && { isSlower }),
    before,
    ...(after && { after }),
    differences: showsDifferences(status, after) ? differences.map((each) => shownDifference(each, redact)) : [],
    ...(changes.length > 0 && { changes: changes.map((change) => shownChange(change, redact)) }),
    ...(stderr !== undefined && { stderr: redact(stderr) }),
  };
  return { result, merged: status === 'same' || status === 'skipped' ? undefined : (compared?.merged ?? answer) };
}

/** Compares facts about the server, without the version, which new versions change. */
export function judgeHandshake(method: string, before: JsonObject, after: JsonObject, options: JudgeOptions): Judged {
  const compared = compareAnswers({ result: before }, { result: after }, options.rules);
  const isSame = compared.differences.length === 0;
  const merged = (compared.merged as Params).result as JsonObject;
  const result: VerifyResult = {
    number: 0,
    method,
    status: isSame ? 'same' : 'different',
    differences: [],
    ...(!isSame && { changes: definitionChanges(before, merged).map((each) => shownChange(each, options.redact)) }),
  };
  return { result, merged: isSame ? undefined : merged };
}

interface ComparedStep {
  readonly isSame: boolean;
  readonly differences: readonly AnswerDifference[];
  readonly changes: readonly DefinitionChange[];
  readonly merged: Params;
}

function compareStep({ facts, pages }: Step, before: Params, after: Params, options: JudgeOptions): ComparedStep {
  if (facts?.list && pages !== undefined && isObject(before.result) && isObject(after.result)) {
    return compareLists(facts.list, before.result, after.result, options);
  }
  const translate = (value: unknown) => options.carried.applied(value);
  const { differences, merged } = compareAnswers(before, after, options.rules, { translate });
  return { isSame: differences.length === 0, differences, changes: [], merged: merged as Params };
}

/** Entries are compared by their names. The order of a list counts as well. */
function compareLists({ member, nameKey }: ListFacts, before: Params, after: Params, { rules, carried }: JudgeOptions) {
  const [old, now] = [before[member] as unknown[], after[member] as unknown[]];
  const names = (list: readonly unknown[]) => list.map((each) => (isObject(each) ? String(each[nameKey]) : ''));
  const places = new Map(names(old).map((name, at) => [name, at]));
  const ofList = rules.into('result').into(member);
  const translate = (value: unknown) => carried.applied(value);
  const differences: AnswerDifference[] = [];
  const merged = now.map((entry, at) => {
    const place = places.get(names([entry])[0]!);
    if (place === undefined) return entry;
    const compared = compareAnswers(old[place], entry, ofList.into(String(at)), { translate });
    for (const each of compared.differences) {
      differences.push({ ...each, path: ['result', member, String(place), ...each.path] });
    }
    return compared.merged;
  });
  const changes = definitionChanges({ [member]: old }, { [member]: merged });
  const known = new Set(names(merged));
  const [oldOrder, newOrder] = [
    names(old).filter((name) => known.has(name)),
    names(merged).filter((name) => places.has(name)),
  ];
  const isReordered = !ofList.accepted.has('order') && JSON.stringify(oldOrder) !== JSON.stringify(newOrder);
  const order: AnswerDifference[] = isReordered
    ? [{ path: ['result', member], before: oldOrder, after: newOrder, isOrder: true }]
    : [];
  // Everything about an entry is a change of its definition, unless definitions are equal by their meaning.
  const further = changes.length > 0 ? [] : differences;
  const all = [...further, ...order];
  return {
    isSame: changes.length + all.length === 0,
    differences: all,
    changes,
    merged: { result: { ...after, [member]: merged } },
  };
}

/** The reason has the error. */
function showsDifferences(status: VerifyStatus, after: VerifySide | undefined): boolean {
  return status === 'failing' ? after?.outcome === 'tool-error' : status !== 'skipped' && status !== 'fixed';
}

function failureIn(answer: Params | undefined): string | undefined {
  if (isObject(answer?.error)) return `Error ${String(answer.error.code)}: ${String(answer.error.message)}`;
  const content = isObject(answer?.result) ? answer.result.content : undefined;
  const [first] = Array.isArray(content) ? content : [];
  return isObject(first) && typeof first.text === 'string'
    ? `The tool failed: ${cutText(first.text, LONGEST_PARAMS)}`
    : undefined;
}

const noAnswer: ReadonlySet<VerifySide['outcome']> = new Set([
  'lost',
  'timeout',
  'refused',
  'cut',
  'pending',
  'cancelled',
]);

function skipped(cause: StepAnswer['cause']): { status: VerifyStatus; why: string | undefined } {
  return { status: 'skipped', why: cause === undefined ? 'It was not sent' : undefined };
}

function statusOf(before: VerifySide, after: VerifySide, isSame: boolean): { status: VerifyStatus; why?: string } {
  if (before.outcome === 'cut') {
    if (after.outcome === 'lost' || after.outcome === 'timeout') return { status: 'failing' };
    return {
      status: 'skipped',
      why: 'Sent, but not compared: the recording has only a part of the answer (--keep-bytes)',
    };
  }
  if (after.outcome === 'cut') return { status: 'different' };
  if (before.outcome === 'ok') {
    if (after.outcome !== 'ok') return { status: 'failing' };
    return { status: isSame ? 'same' : 'different' };
  }
  if (after.outcome === 'ok') return { status: 'fixed' };
  if (!noAnswer.has(before.outcome) && noAnswer.has(after.outcome)) return { status: 'failing' };
  // The recorded process exited, or an HTTP error has no answer to compare.
  if (noAnswer.has(before.outcome)) return { status: 'same' };
  return { status: isSame ? 'same' : 'different' };
}

function isMuchLonger(
  beforeMs: number | undefined,
  afterMs: number | undefined,
  { slowerFactor, slowerByMs }: JudgeOptions,
): boolean {
  if (beforeMs === undefined || afterMs === undefined) return false;
  return afterMs >= beforeMs * slowerFactor && afterMs - beforeMs >= slowerByMs;
}

function withoutMeta(params: Params | undefined): Params {
  const { _meta, ...others } = params ?? {};
  return others;
}

const LONGEST_PARAMS = 500;
const LONGEST_VALUE = 1000;
const CHARS_BEFORE = 60;

function shownDifference({ path, isOrder, ...values }: AnswerDifference, redact: Redact): VerifyDifference {
  const { before, after } = nearDifference(values);
  return {
    path: redact(pathText(path)),
    ...(before !== undefined && { before: shownValue(before, redact) }),
    ...(after !== undefined && { after: shownValue(after, redact) }),
    ...(isOrder && { isOrder }),
  };
}

/** Long texts begin shortly before their first difference. */
function nearDifference({ before, after }: { before: unknown; after: unknown }): { before: unknown; after: unknown } {
  if (typeof before !== 'string' || typeof after !== 'string') return { before, after };
  if (Math.max(before.length, after.length) <= LONGEST_VALUE) return { before, after };
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  const from = Math.max(0, at - CHARS_BEFORE);
  return from === 0 ? { before, after } : { before: `…${before.slice(from)}`, after: `…${after.slice(from)}` };
}

/** Long values become the beginning of their text. */
function shownValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'string') return cutText(redact(value), LONGEST_VALUE);
  const text = redact(JSON.stringify(value));
  return text.length > LONGEST_VALUE ? cutText(text, LONGEST_VALUE) : JSON.parse(text);
}

function shownChange({ changes, name, ...change }: DefinitionChange, redact: Redact): DefinitionChange {
  const shown = changes.slice(0, 100).map((each) => ({ ...each, path: redact(each.path), text: redact(each.text) }));
  return { ...change, name: redact(name), changes: shown };
}

function shownText(value: unknown, redact: Redact, most: number): string {
  return cutText(redact(JSON.stringify(value)), most);
}

function cutText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
