// Maps arguments to the parameters of a tool: from a list or from names to the strings of a call, in order, and back to names. A
// `problem` is one sentence for a caller or a model.

import { DEFAULT_MAX_FRAME_VALUES, ValueBudget } from '../base/count-json-values.ts';
import { toError } from '../base/errors.ts';
import { setOwn } from '../base/json-object.ts';
import { losesDigits, type Parameter, type Tool } from './tool.ts';
import { parserOf, textOfValue, type ValueParser } from './values.ts';

/** Arguments by position or by name. Values other than strings are sent as their text. */
export type ArgumentValues = readonly unknown[] | Readonly<Record<string, unknown>>;

export type LaidOut = { arguments: string[] } | { problem: string };

export function layOutArguments(tool: Tool, args: ArgumentValues): LaidOut {
  const { parameters } = tool;
  const problem = isList(args) ? wrongCount(tool, args.length) : wrongNames(tool, args);
  if (problem !== undefined) return { problem };
  const texts: string[] = [];
  for (let i = 0; i < parameters.length; i++) {
    const parameter = parameters[i]!;
    const text = textOfArgument(isList(args) ? args[i] : args[parameter.name]);
    if (typeof text !== 'string') return { problem: `The argument ${describeParameter(parameter)} ${text.problem}` };
    texts.push(text);
  }
  return { arguments: texts };
}

type Named = Pick<Parameter, 'name'>;

export function wrongCount(
  { name, parameters }: { name: string; parameters: readonly Named[] },
  count: number,
): string | undefined {
  if (count === parameters.length) return undefined;
  const takes = `${name} takes ${parameters.length} argument${parameters.length === 1 ? '' : 's'}`;
  const names = parameters.length === 0 ? '' : ` (${parameters.map(describeParameter).join(', ')})`;
  const missing = parameters.slice(count).map(describeParameter).join(', ');
  return `${takes}${names}, not ${count}${missing === '' ? '' : `; missing: ${missing}`}`;
}

/** A refused call may have too few or too many arguments. */
export function byName(parameters: readonly Named[], args: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (let i = 0; i < parameters.length && i < args.length; i++) setOwn(params, parameters[i]!.name, args[i]!);
  return params;
}

function wrongNames({ name, parameters }: Tool, args: Readonly<Record<string, unknown>>): string | undefined {
  const known = new Set(parameters.map((parameter) => parameter.name));
  if (known.size < parameters.length)
    return `${name} has two parameters of the same name: give its arguments as a list`;
  const unknown = Object.keys(args).filter((key) => !known.has(key));
  const missing = parameters.filter((each) => !Object.hasOwn(args, each.name) || args[each.name] == null);
  const problems = [
    missing.length === 0 ? '' : `missing: ${missing.map(describeParameter).join(', ')}`,
    unknown.length === 0 ? '' : `unknown: ${unknown.map((key) => JSON.stringify(key)).join(', ')}`,
  ].filter((problem) => problem !== '');
  if (problems.length === 0) return undefined;
  const names = parameters.map(describeParameter).join(', ') || 'none';
  return `The arguments do not match the parameters of ${name}; ${problems.join('; ')}; its parameters are: ${names}`;
}

function textOfArgument(value: unknown): string | { problem: string } {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return { problem: 'is missing' };
  if (typeof value === 'number' && losesDigits(value)) {
    return { problem: 'is a number that may not be exact: write it as a string' };
  }
  try {
    return textOfValue(value);
  } catch (error) {
    return { problem: `cannot be written as text: ${toError(error).message}` };
  }
}

function describeParameter({ name }: Named): string {
  return JSON.stringify(name);
}

function isList(args: ArgumentValues): args is readonly unknown[] {
  return Array.isArray(args);
}

interface Prepared {
  name: string;
  /** The name as JSON, with a colon. */
  key: string;
  parse: ValueParser;
}

/** The parameters of a served tool, prepared once for all its calls. */
export class ServedParameters {
  readonly #prepared: readonly Prepared[];

  constructor(parameters: readonly Parameter[]) {
    this.#prepared = parameters.map(({ name, type }) => {
      return { name, key: `${JSON.stringify(name)}:`, parse: parserOf(type) };
    });
  }

  /** Throws if an argument does not fit its type. */
  values(args: readonly string[]): object {
    const budget = new ValueBudget(DEFAULT_MAX_FRAME_VALUES);
    const values: Record<string, unknown> = {};
    for (let i = 0; i < this.#prepared.length; i++) {
      const { name, parse } = this.#prepared[i]!;
      try {
        setOwn(values, name, parse(args[i]!, budget));
      } catch (error) {
        throw new Error(`The argument ${JSON.stringify(name)} does not fit: ${toError(error).message}`);
      }
    }
    return values;
  }

  /** A refused call may have too few or too many arguments. */
  print(args: readonly string[]): string {
    let text = '';
    for (let i = 0; i < this.#prepared.length && i < args.length; i++) {
      text += `${i === 0 ? '' : ','}${this.#prepared[i]!.key}${JSON.stringify(args[i])}`;
    }
    return `{${text}}`;
  }
}
