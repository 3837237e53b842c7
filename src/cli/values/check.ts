// Arguments against the names a schema knows: a misspelt or missing one is told before the tool is called, with what would
// be right. What the values themselves must be is for the server to check.

import { UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { didYouMean } from '../../host/config/nearest.ts';
import { isOpen, objectSchema, propertiesOf, propertySchema, requiredOf, type Schema } from './schema.ts';
import { describeType } from './typed-value.ts';

const DEEPEST = 16;

export function checkArguments(args: Record<string, unknown>, schema: Schema, tool: string): void {
  const { unknown, missing, suggestion } = findFaults(args, schema, schema);
  if (unknown.length + missing.length === 0) return;
  const faults = [
    ...(missing.length > 0 ? [`needs ${list(missing)}`] : []),
    ...(unknown.length > 0 ? [`does not take ${list(unknown)}`] : []),
  ];
  throw new UsageError('INVALID_OPTION', `${tool} ${faults.join(', and ')}`, {
    hint: `${suggestion ? `${suggestion} ` : ''}It takes: ${describeParameters(schema)}`,
  });
}

interface Faults {
  unknown: string[];
  missing: string[];
  suggestion: string | undefined;
}

function findFaults(args: Record<string, unknown>, type: unknown, root: Schema, path = '', depth = 0): Faults {
  const schema = objectSchema(type, root);
  const known = Object.keys(propertiesOf(schema));
  const strangers = Object.keys(args).filter((name) => !isOpen(schema) && propertySchema(schema, name) === undefined);
  const faults: Faults = {
    unknown: strangers.map((name) => path + name),
    missing: requiredOf(schema)
      .filter((name) => !Object.hasOwn(args, name))
      .map((name) => path + name),
    suggestion: strangers.length === 1 && strangers[0]!.length > 2 ? didYouMean(strangers[0]!, known) : undefined,
  };
  for (const [name, value] of Object.entries(args)) {
    if (!isObject(value) || depth > DEEPEST) continue;
    const inside = findFaults(value, propertySchema(schema, name), root, `${path}${name}.`, depth + 1);
    faults.unknown.push(...inside.unknown);
    faults.missing.push(...inside.missing);
    faults.suggestion ??= inside.suggestion;
  }
  return faults;
}

/** `a=<a number> [mode=<one of: fast, slow>]` */
export function describeParameters(schema: Schema): string {
  const top = objectSchema(schema, schema);
  const required = new Set(requiredOf(top));
  const parameters = Object.entries(propertiesOf(top)).map(([name, type]) => {
    const parameter = `${name}=<${describeType(type, schema)}>`;
    return required.has(name) ? parameter : `[${parameter}]`;
  });
  return parameters.join(' ') || (isOpen(top) && top.additionalProperties !== undefined ? 'any names' : 'nothing');
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
