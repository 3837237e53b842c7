// Reads the answers to the questions of a task from the words of a command line, or asks for them at the terminal.

import { isObject } from '../../../base/json-object.ts';
import { hintOfNames } from '../../../config/nearest.ts';
import type { ElicitFormParams, InputRequest, InputResponse, JsonSchema } from '../../../mcp/types.ts';
import { invalidOption } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import { readArguments, readObject } from '../values/arguments.ts';
import { describeParameters } from '../values/check.ts';
import { parseJson, readSource } from '../values/word.ts';

export type Questions = Readonly<Record<string, InputRequest>>;
type Answers = Record<string, InputResponse>;

const actions = ['accept', 'decline', 'cancel'] as const;

/**
 * `key=accept|decline|cancel`, `key.field=value` or `key:=json`, which is the whole answer. If there is one question, `field=value` is enough.
 * Questions without a word stay open.
 */
export async function readAnswers(
  words: readonly string[],
  args: string | undefined,
  open: Questions,
): Promise<Answers> {
  const keys = Object.keys(open);
  const answers = new Map<string, unknown>();
  for (const [key, answer] of Object.entries(args === undefined ? {} : await readObject(args))) {
    if (!Object.hasOwn(open, key)) throw unknownKey(key, keys);
    answers.set(key, answer);
  }
  const fields = new Map<string, string[]>();
  for (const word of words) {
    const { key, rest } = split(word, keys);
    const action = actions.find((each) => rest === `=${each}`);
    if (rest.startsWith(':=')) answers.set(key, await jsonAt(rest.slice(2), key));
    else if (action === 'accept') fields.set(key, fields.get(key) ?? []);
    else if (action) answers.set(key, { action });
    else fields.set(key, [...(fields.get(key) ?? []), rest.slice(1)]);
  }
  for (const [key, given] of fields) answers.set(key, await accepted(key, open[key]!, given));
  for (const [key, answer] of answers) {
    if (!isObject(answer))
      throw invalidOption(`The answer to "${key}" must be a JSON object`, 'For example: {"action": "decline"}');
  }
  return Object.fromEntries(answers) as Answers;
}

/** `rest` begins with `.`, `=` or `:=`. */
function split(word: string, keys: readonly string[]): { key: string; rest: string } {
  const named = keys
    .filter((key) => /^(?:\.|:?=)/.test(word.slice(key.length)) && word.startsWith(key))
    .sort((a, b) => b.length - a.length)[0];
  const rest = word.slice(named?.length ?? 0);
  const isValue = named !== undefined && rest.startsWith('=') && !actions.some((action) => rest === `=${action}`);
  if (named !== undefined && !isValue) return { key: named, rest };
  // If the task has one question, that may have a field with the same name as its key.
  if (keys.length === 1) return { key: keys[0]!, rest: `.${word}` };
  if (named !== undefined)
    throw invalidOption(`"${word}" is not an answer`, `Write ${named}.field=value, or ${named}=decline.`);
  throw unknownKey(word.split(/[.=:]/)[0]!, keys);
}

function unknownKey(key: string, keys: readonly string[]) {
  return invalidOption(
    `The task has no pending question "${key}"`,
    hintOfNames(key, keys, 'It has no pending questions.'),
  );
}

async function jsonAt(value: string, key: string): Promise<unknown> {
  const source = await readSource(value);
  return parseJson('text' in source ? source.text : source.bytes.toString(), `The answer to "${key}"`);
}

async function accepted(key: string, request: InputRequest, words: readonly string[]): Promise<InputResponse> {
  if (request.method !== 'elicitation/create') {
    throw invalidOption(`"${key}" asks for ${request.method}`, `Write its result as JSON: ${key}:='{…}'`);
  }
  if (request.params.mode === 'url') {
    if (words.length > 0) throw invalidOption(`"${key}" has no fields`, `Open its page, then write ${key}=accept.`);
    return { action: 'accept' };
  }
  const content = await readArguments(words, { tool: `question "${key}"`, schema: schemaOf(request.params) });
  return { action: 'accept', content } as InputResponse;
}

function schemaOf({ requestedSchema }: ElicitFormParams): JsonSchema {
  return isObject(requestedSchema) ? (requestedSchema as unknown as JsonSchema) : { type: 'object' };
}

/** Returns `name=<string> [age=<integer>]`, the page to open, or the method. */
export function describeQuestion(request: InputRequest): string {
  if (request.method !== 'elicitation/create') return request.method;
  return request.params.mode === 'url' ? request.params.url : describeParameters(schemaOf(request.params));
}

/** Asks each elicitation at the terminal. Other questions stay open. */
export async function askAll(server: string, open: Questions, out: Output, signal: AbortSignal): Promise<Answers> {
  const { askPerson } = await import('../servers/ask-person.ts');
  const { elicit } = askPerson(server, out);
  const answers: Answers = {};
  for (const [key, request] of Object.entries(open)) {
    if (request.method === 'elicitation/create') answers[key] = await elicit!(request.params, { signal });
  }
  return answers;
}
