// The `inputs` of VS Code: values that a user enters. Standpipe takes them, in this order, from the environment
// (STANDPIPE_INPUT_<ID>), from `askInput`, and from the default of the input.

import type { Node } from 'jsonc-parser';
import { isSecretName } from '../../base/secrets/secret-names.ts';
import { readVariable } from '../../wire/process/launch/environment.ts';
import type { Findings } from '../problem.ts';
import { Fields } from '../read/fields.ts';
import type { JsonDocument } from '../read/json-document.ts';
import { inputKeys } from '../read/keys.ts';

export interface InputDefinition {
  id: string;
  description: string | undefined;
  default: string | undefined;
  /** Never show the value, not even during input. */
  password: boolean;
  /** The choices of `pickString`. */
  options: readonly string[] | undefined;
}

/** Resolves to undefined if there is no value. */
export type AskInput = (input: InputDefinition) => string | undefined | Promise<string | undefined>;

export interface InputValue {
  value: string;
  secret: boolean;
}

export function inputVariable(id: string): string {
  return `STANDPIPE_INPUT_${id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

export function readInputs(list: Node | undefined, document: JsonDocument, findings: Findings): InputDefinition[] {
  if (!list) return [];
  if (list.type !== 'array') {
    findings.warn(
      document.at(list),
      '"inputs" must be an array',
      'Write "inputs": [{"id": "…", "type": "promptString"}].',
    );
    return [];
  }
  return (list.children ?? []).flatMap((node) => {
    const fields = node.type === 'object' ? new Fields(node, document, findings) : undefined;
    const id = fields?.value('id');
    if (!fields || id?.type !== 'string') {
      findings.warn(document.at(id ?? node), 'An input needs an "id" (string)');
      return [];
    }
    fields.warnUnknown(Object.keys(inputKeys));
    const plain = (key: string) => scalar(fields.value(key));
    const options = fields.value('options')?.children?.flatMap((option) => scalar(option) ?? []);
    const password = fields.value('password')?.value === true;
    return [
      { id: id.value as string, description: plain('description'), default: plain('default'), password, options },
    ];
  });
}

/** The inputs that have a value. */
export async function resolveInputs(
  ids: Iterable<string>,
  definitions: readonly InputDefinition[],
  { askInput, ...systemContext }: InputContext & { askInput?: AskInput },
): Promise<Map<string, InputValue>> {
  const values = new Map<string, InputValue>();
  for (const id of new Set(ids)) {
    const definition = definitions.findLast((each) => each.id === id);
    const given = givenValue(id, systemContext);
    // Sequential: a user can answer only one question at a time.
    const answer = given ?? (definition && (await askInput?.(definition)));
    keep(values, id, definition, answer);
  }
  return values;
}

/** Synchronous variant of the function above. */
export function resolveInputsSync(
  ids: Iterable<string>,
  definitions: readonly InputDefinition[],
  systemContext: InputContext,
): Map<string, InputValue> {
  const values = new Map<string, InputValue>();
  for (const id of new Set(ids)) {
    const definition = definitions.findLast((each) => each.id === id);
    keep(values, id, definition, givenValue(id, systemContext));
  }
  return values;
}

interface InputContext {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
}

function givenValue(id: string, { env, platform }: InputContext): string | undefined {
  return readVariable(env, inputVariable(id), platform);
}

function keep(
  values: Map<string, InputValue>,
  id: string,
  definition: InputDefinition | undefined,
  found: string | undefined,
): void {
  const value = found ?? definition?.default;
  const secret = definition?.password === true || isSecretName(id);
  if (value !== undefined) values.set(id, { value, secret });
}

function scalar(node: Node | undefined): string | undefined {
  return node && ['string', 'number', 'boolean'].includes(node.type) ? String(node.value) : undefined;
}
