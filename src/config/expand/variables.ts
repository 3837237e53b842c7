// The values of variables in a config: from the environment of Standpipe (not from `env` of the entry), from the location of the
// config, and from its inputs.

import { isSecretName } from '../../base/secrets/secret-names.ts';
import { readVariable } from '../../wire/process/launch/environment.ts';
import { didYouMean } from '../nearest.ts';
import type { ConfigErrorCode } from '../problem.ts';
import { type InputDefinition, type InputValue, inputVariable } from './inputs.ts';
import { pathOf } from './paths.ts';
import type { Reference } from './template.ts';

export interface VariableSources {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  home: string;
  /** The folder of the project of the config. */
  folder: string;
  inputs: ReadonlyMap<string, InputValue>;
  definitions: readonly InputDefinition[];
  /** Whether the host of the file has the notation `${NAME:-default}`. Default: true, as in a config of Standpipe. */
  takesDefaults?: boolean;
}

export interface NoValue {
  code: ConfigErrorCode;
  message: string;
  suggestion: string | undefined;
}

const names = /^[A-Za-z_][\w.()]*$/;
const predefined = ['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator', '/'];
/** Scopes that only VS Code can resolve. */
const ofVsCode = new Set(['command', 'config', 'extensionInstallFolder', 'workspaceFolder']);

export function variableValue({ scope, name }: Reference, sources: VariableSources): InputValue | undefined {
  const { env, platform, inputs } = sources;
  if (scope === 'input') return inputs.get(name);
  const place = scope === '' ? predefinedValue(name, sources) : undefined;
  if (place !== undefined) return { value: place, secret: false };
  if (scope !== '' && scope !== 'env') return undefined;
  const value = readVariable(env, name, platform);
  return value === undefined ? undefined : { value, secret: isSecretName(name) };
}

/** Why a reference has no value, and how to fix it. Messages contain names, never values. */
export function explainNoValue({ scope, name, expression }: Reference, sources: VariableSources): NoValue {
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
    return {
      code: 'CONFIG_INVALID',
      message: `${shown(expression)} is not a variable`,
      suggestion: asLiteral(expression),
    };
  }
  const known = [...Object.keys(env), ...(scope === '' ? predefined : [])];
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

function predefinedValue(name: string, { platform, home, folder }: VariableSources): string | undefined {
  switch (name) {
    case 'workspaceFolder':
      return folder;
    case 'workspaceFolderBasename':
      return pathOf(platform).basename(folder);
    case 'userHome':
      return home;
    case 'pathSeparator':
    case '/':
      return pathOf(platform).sep;
    default:
      return undefined;
  }
}
