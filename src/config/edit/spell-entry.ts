// Converts an entry to the format of another host, and reports what that host cannot express. A reference to a variable that the host
// does not expand is replaced by its value only on request.

import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { getNodeValue, parseTree } from 'jsonc-parser';
import {
  parseTemplate,
  type Reference,
  type Template,
  type VariableSources,
  variableValue,
} from '../expand/variables.ts';
import { mapTextsOf } from '../hosts/formats/nodes.ts';
import type { HostProgram, PlainEntry } from '../hosts/host-program.ts';
import { isComment } from '../read/fields.ts';
import { keysOfOthers } from '../read/keys.ts';

/** `lost`: keys that the host does not support. */
export function spellEntry(
  name: string,
  entry: PlainEntry,
  host: HostProgram,
): { written: PlainEntry; lost: string[] } {
  const written = host.format.write(entry);
  const back = entryOf(name, written, host);
  const isOurs = (key: string) => !isComment(key) && !Object.hasOwn(keysOfOthers, key);
  return { written, lost: Object.keys(entry).filter((key) => isOurs(key) && !isKept(key, entry, back)) };
}

export function entryOf(name: string, written: PlainEntry, { format }: HostProgram): PlainEntry {
  const root = parseTree(JSON.stringify(written))!;
  const node = format.read(root, name, root);
  return typeof node === 'string' ? {} : getNodeValue(node);
}

export function isSameEntry(a: PlainEntry, b: PlainEntry): boolean {
  return [...Object.keys(a), ...Object.keys(b)].every((key) => isKept(key, a, b));
}

function isKept(key: string, entry: PlainEntry, back: PlainEntry): boolean {
  if (key === 'type') return entry.type !== 'sse' || back.type === 'sse' || back.type === undefined;
  if (key === 'enabled' || key === 'disabled') return isDisabled(entry) === isDisabled(back);
  return isDeepStrictEqual(plainReferences(entry[key]), plainReferences(back[key]));
}

function isDisabled({ enabled, disabled }: PlainEntry): boolean {
  return enabled === false || disabled === true;
}

/** Normalizes all notations of a variable. An empty and an unset variable have the same effect for a server. */
function plainReferences(value: unknown): unknown {
  return mapTextsOf(value, (text) => text.replaceAll(/\$\{(?:env:)?(\w+)(?::-)?\}/g, '${$1}'));
}

export const USE_CONNECT = 'use --connect, which keeps them in the config of Standpipe';

/** Advice on how to write an entry without its secrets. If `host` is undefined, the entry is for a config of Standpipe. */
export function withoutSecrets(host: HostProgram | undefined): string {
  return host === undefined || takesReferences(host) ? 'write references with --secrets reference' : USE_CONNECT;
}

function takesReferences({ expands, format }: HostProgram): boolean {
  const written = JSON.stringify(format.write({ command: 'x', env: { NAME: '${NAME}' } }));
  const [, left] = /\$\{([^}]*)\}/.exec(written) ?? [];
  return left === undefined || expands?.test(left) === true;
}

interface Resolved {
  entry: PlainEntry;
  /** Variables that the host does not expand and whose values were not written. */
  hidden: readonly string[];
  /** Values of variables that were written to the file in plain text. */
  revealed: readonly string[];
}

/** Replaces references that the host does not expand: folders always, variables only with `reveal`. */
export function resolveFor(
  { expands }: HostProgram,
  written: PlainEntry,
  sources: VariableSources,
  reveal: boolean,
): Resolved {
  const hidden = new Set<string>();
  const revealed: string[] = [];
  const resolve = (reference: Reference): string => {
    const source = sourceOf([reference]);
    if (expands?.test(source.slice(2, -1))) return source;
    const found = variableValue(reference, sources);
    const isPlace = reference.scope === '' && found !== undefined && !isVariable(reference, sources);
    if (!isPlace && !reveal) hidden.add(nameIn(reference));
    else if (found !== undefined && (found.value !== '' || !reference.fallback)) {
      if (!isPlace) revealed.push(found.value);
      return found.value;
    } else if (reference.fallback)
      return reference.fallback.map((part) => (typeof part === 'string' ? part : resolve(part))).join('');
    else hidden.add(nameIn(reference));
    return source;
  };
  const entry = mapTextsOf(written, (text) => {
    const { template, fault } = parseTemplate(text);
    if (fault !== undefined || (expands && template.every((part) => typeof part === 'string'))) return text;
    return template.map((part) => (typeof part === 'string' ? part : resolve(part))).join('');
  });
  return { entry: entry as PlainEntry, hidden: [...hidden], revealed };
}

const nameIn = ({ scope, name }: Reference) => (scope === 'input' ? `input:${name}` : name);

/** Returns true for a variable of the environment, false for `workspaceFolder` and the like. */
function isVariable(reference: Reference, sources: VariableSources): boolean {
  return variableValue(reference, { ...sources, env: {} }) === undefined;
}

function sourceOf(template: Template): string {
  return template
    .map((part) => {
      if (typeof part === 'string') return part.replaceAll('${', '$${');
      return `\${${part.expression}${part.fallback ? `:-${sourceOf(part.fallback)}` : ''}}`;
    })
    .join('');
}

/** Why the config of the host cannot contain the server. */
export function inexpressible(host: HostProgram, name: string, entry: PlainEntry): string | undefined {
  const { title, format, names, onlyCommands } = host;
  if (names?.test(name) === false) return `${title} does not allow this name`;
  if (entry.url !== undefined && onlyCommands) return `the config of ${title} has no remote servers`;
  if (entry.protocol === 'litemcp' || entry.framing !== undefined) return `${title} does not support its protocol`;
  if (isDisabled(entry) && format.disables === undefined)
    return `is disabled here, and ${title} cannot disable a server`;
  return undefined;
}

/** Words of an entry that are relative paths of files in the folder. A host starts the servers of a user config in another folder. */
export function relativeFiles(entry: PlainEntry, folder: string): string[] {
  if (entry.cwd !== undefined) return [];
  return wordsOf(entry).filter(
    (word) => /[^./\\][./\\]/.test(word) && !isAbsolute(word) && existsSync(resolve(folder, word)),
  );
}

/** Words of an entry that are files of packages installed in a project. */
export function filesOfProjects(entry: PlainEntry): string[] {
  return wordsOf(entry).filter((word) => isAbsolute(word) && projectOf(word) !== undefined);
}

/** The folder of the project that has installed the package of a file; undefined for a file of a global package. */
export function projectOf(file: string): string | undefined {
  const [, folder] = /^(.+?)[\\/]node_modules[\\/]/.exec(file) ?? [];
  const isGlobal = folder !== undefined && /[\\/]global(?:[\\/][\w.]+)?$/.test(folder); // folder of global packages in pnpm, Yarn and Bun
  return folder !== undefined && !isGlobal && existsSync(join(folder, 'package.json')) ? folder : undefined;
}

function wordsOf({ command, args }: PlainEntry): string[] {
  return [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
}
