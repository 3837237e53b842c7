// The values of variables in a config: from the environment of Standpipe (not from `env` of the entry), from the location of the
// config, and from its inputs.

import type { Node } from 'jsonc-parser';
import { isSecretName } from '../../base/secrets/secret-names.ts';
import { readVariable } from '../../wire/process/launch/environment.ts';
import { didYouMean } from '../nearest.ts';
import type { ConfigErrorCode, Findings } from '../problem.ts';
import { Fields } from '../read/fields.ts';
import type { JsonDocument } from '../read/json-document.ts';
import { inputKeys } from '../read/keys.ts';
import { pathOf, type SystemContext } from '../system-context.ts';

export interface VariableSources extends Pick<SystemContext, 'env' | 'platform' | 'home'> {
  folder: string;
  inputs: ReadonlyMap<string, InputValue>;
  definitions: readonly InputDefinition[];
  /** Whether the host of the file has the notation `${NAME:-default}`. Default: true, as in a config of Standpipe. */
  takesDefaults?: boolean;
}

const names = /^[A-Za-z_][\w.()]*$/;
const predefined = new Map<string, (sources: VariableSources) => string>([
  ['workspaceFolder', ({ folder }) => folder],
  ['workspaceFolderBasename', ({ folder, platform }) => pathOf(platform).basename(folder)],
  ['userHome', ({ home }) => home],
  ['pathSeparator', ({ platform }) => pathOf(platform).sep],
  ['/', ({ platform }) => pathOf(platform).sep],
]);
/** Scopes that only VS Code can resolve. */
const ofVsCode = new Set(['command', 'config', 'extensionInstallFolder', 'workspaceFolder']);

export function variableValue({ scope, name }: Reference, sources: VariableSources): InputValue | undefined {
  const { env, platform, inputs } = sources;
  if (scope === 'input') return inputs.get(name);
  const place = scope === '' ? predefined.get(name)?.(sources) : undefined;
  if (place !== undefined) return { value: place, secret: false };
  if (scope !== '' && scope !== 'env') return undefined;
  const value = readVariable(env, name, platform);
  return value === undefined ? undefined : { value, secret: isSecretName(name) };
}

/** Why a reference has no value, and how to fix it. Messages contain names, never values. */
export function explainNoValue(
  { scope, name, expression }: Reference,
  sources: VariableSources,
): { code: ConfigErrorCode; message: string; suggestion: string | undefined } {
  const { env, definitions } = sources;
  if (scope === 'input') {
    const declared = definitions.map(({ id }) => id);
    const known = declared.includes(name);
    const message = `Input "${name}" ${known ? 'has no value and no default' : 'is not in "inputs"'}`;
    const suggestion = (known ? undefined : didYouMean(name, declared)) ?? `Set ${inputVariable(name)}.`;
    return { code: 'VARIABLE_NOT_SET', message, suggestion };
  }
  if (scope !== '' && scope !== 'env') {
    const message = `${shown(expression)} ${ofVsCode.has(scope) ? 'has a value only inside VS Code' : 'is not a known variable'}`;
    const suggestion = didYouMean(scope, ['env', 'input']) ?? asLiteral(expression);
    return { code: 'CONFIG_INVALID', message, suggestion };
  }
  if (!names.test(name)) {
    const message = `${shown(expression)} is not a variable`;
    return { code: 'CONFIG_INVALID', message, suggestion: asLiteral(expression) };
  }
  const known = [...Object.keys(env), ...(scope === '' ? predefined.keys() : [])];
  const orDefault = sources.takesDefaults === false ? '' : `, or write \${${expression}:-default}`;
  const suggestion = didYouMean(name, known) ?? `Set it in the environment of Standpipe${orDefault}.`;
  return { code: 'VARIABLE_NOT_SET', message: `Variable ${name} is not set`, suggestion };
}

/** Shows only the name: the rest may be part of a secret that contains `${`. */
function shown(expression: string): string {
  const name = /^[\w:.]*/.exec(expression)![0];
  return `\${${name}${name === expression ? '' : '…'}}`;
}

function asLiteral(expression: string): string {
  return `For the literal text, write ${shown(expression).endsWith('…}') ? '$${ instead of ${' : `$\${${expression}}`}.`;
}

/**
 * A variable in a text: `${NAME}`, `${NAME:-default}`, `${scope:name}`, `${scope:name:-default}`. A default may contain variables and
 * pairs of braces. `$${` is a literal `${`; any other dollar sign is literal, so that passwords and patterns are unchanged.
 */
export interface Reference {
  /** The reference as written, without the default. */
  expression: string;
  /** `env` of `${env:NAME}`; empty for `${NAME}`. */
  scope: string;
  name: string;
  fallback: Template | undefined;
}

export type Template = readonly (string | Reference)[];

const MOST_NESTED = 20;

/** `fault` explains a syntax error. */
export function parseTemplate(text: string): { template: Template; fault?: string } {
  try {
    return { template: parse(text, 0, 0).parts };
  } catch (error) {
    if (error instanceof Fault) return { template: [], fault: error.message };
    throw error;
  }
}

export function references(template: Template): Reference[] {
  return template.flatMap((part) => (typeof part === 'string' ? [] : [part, ...references(part.fallback ?? [])]));
}

/** If `lookUp` returns undefined, the default is used. If there is no default, `missing` is called. */
export function render(
  template: Template,
  lookUp: (reference: Reference) => string | undefined,
  missing: (reference: Reference) => void,
): string {
  return template
    .map((part) => {
      if (typeof part === 'string') return part;
      const value = lookUp(part);
      // As in a shell, `:-` also replaces an empty value.
      if (value !== undefined && (value !== '' || !part.fallback)) return value;
      if (part.fallback) return render(part.fallback, lookUp, missing);
      missing(part);
      return '';
    })
    .join('');
}

function parse(text: string, from: number, nested: number): { parts: Template; end: number } {
  const parts: (string | Reference)[] = [];
  let literal = '';
  let depth = 0;
  let at = from;
  while (at < text.length) {
    if (text.startsWith('$${', at)) {
      literal += '${';
      depth++;
      at += 3;
    } else if (text.startsWith('${', at)) {
      const { reference, end } = parseReference(text, at, nested);
      parts.push(literal, reference);
      literal = '';
      at = end;
    } else {
      if (text[at] === '{') depth++;
      if (text[at] === '}' && depth-- <= 0 && nested > 0) break;
      literal += text[at++];
    }
  }
  parts.push(literal);
  return { parts: parts.filter((part) => part !== ''), end: at };
}

const nameAndEnd = /\$\{([^${}]*?)(\}|:-)/y;

function parseReference(text: string, start: number, nested: number): { reference: Reference; end: number } {
  nameAndEnd.lastIndex = start;
  const [, expression = '', ending] = nameAndEnd.exec(text) ?? [];
  if (!ending)
    throw new Fault(text.includes('}', start) ? 'this is not a valid variable name' : '"${" has no closing "}"');
  const colon = expression.indexOf(':');
  const scope = expression.slice(0, Math.max(colon, 0));
  const name = expression.slice(colon + 1);
  if (name.trim() === '') throw new Fault('"${}" contains no name');
  const afterName = start + 2 + expression.length;
  if (ending === '}') return { reference: { expression, scope, name, fallback: undefined }, end: afterName + 1 };
  if (nested >= MOST_NESTED) throw new Fault('defaults are nested too deeply');
  const { parts, end } = parse(text, afterName + 2, nested + 1);
  if (end >= text.length) throw new Fault('"${" has no closing "}"');
  return { reference: { expression, scope, name, fallback: parts }, end: end + 1 };
}

class Fault extends Error {}

/**
 * The `inputs` of VS Code: values that a user enters. Standpipe takes them, in this order, from the environment (STANDPIPE_INPUT_<ID>),
 * from `askInput`, and from the default of the input.
 */
export interface InputDefinition {
  id: string;
  description: string | undefined;
  default: string | undefined;
  /** Never show the value, not even during input. */
  password: boolean;
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
    const suggestion = 'Write "inputs": [{"id": "…", "type": "promptString"}].';
    findings.warn(document.at(list), '"inputs" must be an array', suggestion);
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
    const [description, preset] = [plain('description'), plain('default')];
    return [{ id: id.value as string, description, default: preset, password, options }];
  });
}

type InputContext = Pick<SystemContext, 'env' | 'platform'>;

/** The inputs that have a value. */
export async function resolveInputs(
  ids: readonly string[],
  definitions: readonly InputDefinition[],
  { askInput, ...context }: InputContext & { askInput?: AskInput },
): Promise<Map<string, InputValue>> {
  const answers = new Map<string, string | undefined>();
  for (const id of new Set(ids)) {
    const definition = definitions.findLast((each) => each.id === id);
    // Sequential: a user can answer only one question at a time.
    if (definition && givenValue(id, context) === undefined) answers.set(id, await askInput?.(definition));
  }
  return resolveInputsSync(ids, definitions, context, answers);
}

export function resolveInputsSync(
  ids: readonly string[],
  definitions: readonly InputDefinition[],
  context: InputContext,
  answers: ReadonlyMap<string, string | undefined> = new Map(),
): Map<string, InputValue> {
  const values = new Map<string, InputValue>();
  for (const id of new Set(ids)) {
    const definition = definitions.findLast((each) => each.id === id);
    const value = givenValue(id, context) ?? answers.get(id) ?? definition?.default;
    const secret = definition?.password === true || isSecretName(id);
    if (value !== undefined) values.set(id, { value, secret });
  }
  return values;
}

function givenValue(id: string, { env, platform }: InputContext): string | undefined {
  return readVariable(env, inputVariable(id), platform);
}

function scalar(node: Node | undefined): string | undefined {
  return node && ['string', 'number', 'boolean'].includes(node.type) ? String(node.value) : undefined;
}
