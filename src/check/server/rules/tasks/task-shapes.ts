// The required content of answers about a task, in both forms.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { orderedJson } from '../../../../base/ordered-json.ts';
import type { Era } from '../../../../mcp/revisions.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { type Answer, describeError } from '../../conversation.ts';
import type { Frame } from '../../probe.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { INVALID_PARAMS } from '../methods/exchange.ts';
import { faultOf } from '../modern/questions.ts';
import { endOf, type FollowedTask, followedTasks, statuses } from './followed-tasks.ts';

/** The results of `tasks/get`; with `status`, only results with this status. */
export async function readsOf(ruleRun: ServerRuleRun, status?: string) {
  const reads = (await followedTasks(ruleRun)).flatMap((followed) =>
    followed.reads.flatMap(({ result, frame }) => (result ? [{ followed, result, frame }] : [])),
  );
  if (reads.length === 0) notApplicable('no task could be read');
  const wanted = reads.filter(({ result }) => status === undefined || result.status === status);
  return wanted.length > 0 ? wanted : notApplicable(`no task of a permitted call is ${status}`);
}

/** Tasks with a result of `tasks/result` that is not an error. */
export async function resultsOf(ruleRun: ServerRuleRun) {
  const found = (await followedTasks(ruleRun)).filter(({ result }) => result?.result);
  return found.length > 0
    ? found.map((each) => ({ ...each, result: each.result! }))
    : notApplicable('no task has a result');
}

export async function endedTasks(ruleRun: ServerRuleRun): Promise<FollowedTask[]> {
  const ended = (await followedTasks(ruleRun)).filter(endOf);
  return ended.length > 0 ? ended : notApplicable('no task of a permitted call has ended in time');
}

export async function severalTasks(ruleRun: ServerRuleRun): Promise<FollowedTask[]> {
  const named = (await followedTasks(ruleRun)).filter(({ id }) => id !== '');
  return named.length > 1 ? named : notApplicable('fewer than two permitted calls became tasks');
}

export function isUnknown({ error }: Answer): boolean {
  return error?.code === INVALID_PARAMS;
}

export function hasError(result: unknown): boolean {
  return isObject(result) && result.isError === true;
}

/** RFC 3339 also allows a space before the time. */
const TIME = /^\d{4}-?\d\d-?\d\d(?:[Tt ]\d\d.*)?$/;
const isText = (value: unknown) => typeof value === 'string';
const isTime = (value: unknown) => isText(value) && TIME.test(value as string);
const isNumber = (value: unknown) => typeof value === 'number';
/** Member by name: a description, its test, and whether it may be absent. */
const common: Record<string, [what: string, test: (value: unknown) => boolean, isOptional?: true]> = {
  taskId: ['a string', isText],
  status: ['a defined status', (value) => statuses.includes(value)],
  createdAt: ['a time in ISO 8601', isTime],
  lastUpdatedAt: ['a time in ISO 8601', isTime],
  statusMessage: ['a string', isText, true],
};
const membersOf: Record<Era, typeof common> = {
  modern: {
    ...common,
    ttlMs: ['an integer or null', (value) => value === null || Number.isInteger(value)],
    pollIntervalMs: ['an integer', Number.isInteger, true],
  },
  legacy: {
    ...common,
    ttl: ['a number or null', (value) => value === null || isNumber(value)],
    pollInterval: ['a number', isNumber, true],
  },
};

export function mustBeTask(task: JsonObject, era: Era, frame: Frame): void {
  for (const [member, [what, test, isOptional]] of Object.entries(membersOf[era])) {
    const value = task[member];
    if (test(value) || (isOptional && value === undefined)) continue;
    violation(`\`${member}\` of a task is ${JSON.stringify(value) ?? 'absent'}, not ${what}.`, frame);
  }
}

export async function mustHavePayloads(ruleRun: ServerRuleRun, status: string): Promise<void> {
  for (const { followed, result, frame } of await readsOf(ruleRun, status)) mustHavePayload(result, frame, followed);
}

/** 2026-07-28: the member that belongs to the status. An answer may remove its question before it changes the status. */
export function mustHavePayload(
  { status, result, error, inputRequests }: JsonObject,
  frame: Frame,
  { updates }: FollowedTask,
): void {
  if (status === 'completed' && (!isObject(result) || !Array.isArray(result.content)))
    violation('A completed task has no `result` with a list `content`.', frame);
  if (status === 'failed' && (!isObject(error) || !Number.isInteger(error.code) || !isText(error.message)))
    violation('A failed task has no `error` with an integer `code` and a `message`.', frame);
  if (status !== 'input_required') return;
  if (!isObject(inputRequests) || (Object.keys(inputRequests).length === 0 && updates.length === 0))
    violation('A task that needs input has no `inputRequests`.', frame);
  for (const [key, request] of Object.entries(inputRequests)) {
    const fault = faultOf(request);
    if (fault) violation(`The question ${JSON.stringify(key)} of a task is not valid: ${fault}.`, frame);
  }
}

export function mustHaveType(what: string, { result, frame }: Answer, type: string): void {
  if (result && result.resultType !== type)
    violation(
      `\`resultType\` of the result of ${what} is ${JSON.stringify(result.resultType) ?? 'absent'}, not "${type}".`,
      frame,
    );
}

export function mustBeAcknowledged(method: string, { result, error, frame }: Answer): void {
  if (error) violation(`\`${method}\` was answered with the error ${describeError(error)}.`, frame);
  const member = Object.keys(result ?? {}).find((name) => name !== 'resultType' && name !== '_meta');
  if (member) violation(`The result of \`${method}\` is not empty: it has \`${member}\`.`, frame);
}

/** A question may be repeated until the server has taken its answer, but not after it was absent or with other content. */
export function mustNotRepeatKeys(reads: readonly Answer[]): void {
  const first = new Map<string, { text: string; answer: Answer }>();
  const gone = new Set<string>();
  for (const answer of reads) {
    const open = answer.result?.inputRequests;
    const current = isObject(open) ? open : {};
    for (const [key, request] of Object.entries(current)) {
      const text = orderedJson(request);
      const before = first.get(key);
      if (before && (gone.has(key) || before.text !== text))
        violation(`The key ${JSON.stringify(key)} was used for two questions.`, before.answer.frame, answer.frame);
      first.set(key, before ?? { text, answer });
    }
    for (const key of first.keys()) if (!Object.hasOwn(current, key)) gone.add(key);
  }
}

/** The length of the longer id without the characters that both begin and end with. */
export function differentChars(a: string, b: string): number {
  const least = Math.min(a.length, b.length);
  let start = 0;
  while (start < least && a[start] === b[start]) start++;
  let end = 0;
  while (end < least - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return Math.max(a.length, b.length) - start - end;
}

/** `codes`: the right one, and others that are tolerated. */
export function mustBeRefused(what: string, { error, frame }: Answer, ...codes: readonly number[]): void {
  if (!error) violation(`${what} was answered with a result instead of the error ${codes[0]}.`, frame);
  if (!codes.includes(error.code as number))
    violation(`${what} was refused with ${describeError(error)} instead of the code ${codes[0]}.`, frame);
}
