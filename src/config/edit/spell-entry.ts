// Converts an entry to the format of another host, and reports what that host cannot express. No secret becomes plain text without leave: a
// reference to a variable that the host does not expand is replaced by its value only if that is asked for.

import { isDeepStrictEqual } from 'node:util';
import { getNodeValue, parseTree } from 'jsonc-parser';
import { parseTemplate, type Reference, type Template } from '../expand/template.ts';
import { type VariableSources, variableValue } from '../expand/variables.ts';
import { mapTextsOf } from '../hosts/formats/nodes.ts';
import { type HostLimits, hostLimits } from '../hosts/host-limits.ts';
import type { HostProgram, PlainEntry } from '../hosts/host-program.ts';
import { isComment } from '../read/fields.ts';
import { keysOfOthers } from '../read/keys.ts';

export interface SpelledEntry {
  written: PlainEntry;
  /** Keys that the host does not support. */
  lost: readonly string[];
}

export function spellEntry(name: string, entry: PlainEntry, host: HostProgram): SpelledEntry {
  const written = host.format.write(entry);
  const back = entryOf(name, written, host);
  const isOurs = (key: string) => !isComment(key) && !Object.hasOwn(keysOfOthers, key);
  return { written, lost: Object.keys(entry).filter((key) => isOurs(key) && !isKept(key, entry, back)) };
}

/** An entry of a host in the format of Standpipe. */
export function entryOf(name: string, written: PlainEntry, { format }: HostProgram): PlainEntry {
  const root = parseTree(JSON.stringify(written))!;
  const node = format.read(root, name, root);
  return typeof node === 'string' ? {} : getNodeValue(node);
}

/** Whether two entries in the format of Standpipe are the same server with the same settings. */
export function isSameEntry(a: PlainEntry, b: PlainEntry): boolean {
  return [...Object.keys(a), ...Object.keys(b)].every((key) => isKept(key, a, b));
}

function isKept(key: string, entry: PlainEntry, back: PlainEntry): boolean {
  if (key === 'type') return entry.type !== 'sse' || back.type === 'sse' || back.type === undefined;
  if (key === 'enabled' || key === 'disabled') return isDisabled(entry) === isDisabled(back);
  return isDeepStrictEqual(plainReferences(entry[key]), plainReferences(back[key]));
}

export function isDisabled({ enabled, disabled }: PlainEntry): boolean {
  return enabled === false || disabled === true;
}

/** Normalizes all notations of a variable. An empty and an unset variable have the same effect for a server. */
function plainReferences(value: unknown): unknown {
  return mapTextsOf(value, (text) => text.replaceAll(/\$\{(?:env:)?(\w+)(?::-)?\}/g, '${$1}'));
}

export const USE_CONNECT = 'use --connect, which keeps them in the config of Standpipe';

/** Advice on how to write an entry without its secrets. Without a host, for a config of Standpipe. */
export function withoutSecrets(host: HostProgram | undefined): string {
  return host === undefined || takesReferences(host) ? 'write references with --secrets reference' : USE_CONNECT;
}

function takesReferences({ id, format }: HostProgram): boolean {
  const written = JSON.stringify(format.write({ command: 'x', env: { NAME: '${NAME}' } }));
  const [, left] = /\$\{([^}]*)\}/.exec(written) ?? [];
  return left === undefined || hostLimits[id].expands?.test(left) === true;
}

export interface Resolved {
  entry: PlainEntry;
  /** Variables that the host does not expand and whose values were not written. */
  hidden: readonly string[];
  /** Values of variables that were written to the file in plain text. */
  revealed: readonly string[];
}

/** Replaces references that the host does not expand: folders always, variables only with `reveal`. */
export function resolveFor(
  host: HostProgram,
  written: PlainEntry,
  sources: VariableSources,
  reveal: boolean,
): Resolved {
  const { expands } = hostLimits[host.id];
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

/** A variable of the environment, and not the folder of the project or the like. */
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
  const { id, title, format } = host;
  const limits: HostLimits = hostLimits[id];
  if (limits.names?.test(name) === false) return `${title} does not allow this name`;
  if (entry.url !== undefined && limits.onlyCommands) return `the config of ${title} has no remote servers`;
  if (entry.protocol === 'litemcp' || entry.framing !== undefined) return `${title} does not support its protocol`;
  if (isDisabled(entry) && format.disables === undefined)
    return `is disabled here, and ${title} cannot disable a server`;
  return undefined;
}
