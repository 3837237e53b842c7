// Adds, replaces and removes servers of a config file, in the format of its host. An entry that the reader of configs would refuse is
// never written. The file from before the last change is kept beside it.

import { UsageError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { isWorthMasking } from '../../base/secrets/mask-values.ts';
import { secretsInArguments } from '../../base/secrets/redact-arguments.ts';
import { configFromText } from '../config-file.ts';
import { secretsInAddress } from '../expand/address.ts';
import { decodeFile, fromDisk } from '../files/disk.ts';
import type { ConfigPlace } from '../files/places.ts';
import type { PlainEntry } from '../hosts/host-program.ts';
import type { ConfigProblem } from '../problem.ts';
import { checkOnSystem } from '../read/check-entry.ts';
import { type SystemContext, systemContext } from '../system-context.ts';
import type { Change, ServersAt } from './change.ts';
import { type ConfigServers, readServers } from './config-servers.ts';
import { editServers } from './edit-servers.ts';
import { type Rewritten, rewriteFile } from './rewrite-file.ts';
import { spellEntry } from './spell-entry.ts';

interface ChangePlan {
  servers: readonly Change[];
  /** Inputs that the servers refer to, by `id`. Existing inputs of the file are kept. */
  inputs?: ReadonlyMap<string, PlainEntry> | undefined;
  /** The entries already have the format of the file. */
  isSpelled?: boolean;
}

interface ChangeOptions extends Partial<SystemContext> {
  /** Called with the servers of the file, and again if the file has changed in the meantime. */
  plan: (existing: ConfigServers) => ChangePlan;
  /** Called for an invalid server, which is then left out. Default: throw and write nothing. */
  onRefused?: (name: string, reason: string) => void;
  create?: boolean;
  dryRun?: boolean;
}

export interface ChangedConfig extends Omit<Rewritten, 'path'> {
  file: string;
  /** Problems of the changed servers, including unset variables, which may be set later. */
  problems: readonly ConfigProblem[];
  scope: ConfigPlace['scope'];
  /** The file supports `inputs`: its host prompts for their values. */
  inputs: boolean;
  /** Secret values of the servers, to hide in output. */
  secrets: readonly string[];
}

export async function changeConfig(place: ConfigPlace, options: ChangeOptions): Promise<ChangedConfig> {
  const context = systemContext(options);
  let problems: readonly ConfigProblem[] = [];
  let secrets: readonly string[] = [];
  const rewrite = async (text: string): Promise<string> => {
    const start = text === '' ? (newTexts[place.host?.id ?? ''] ?? '') : text;
    const existing = await readServers(start, place, context.platform);
    const { edited, found } = await editAndCheck(start, place, existing, options.plan(existing), context, options);
    if (edited === start) return text;
    problems = found;
    const after = await readServers(edited, place, context.platform);
    secrets = [...existing.entries.values(), ...after.entries.values()].flatMap(secretsIn);
    return edited;
  };
  const { create, dryRun } = options;
  const { path: _, ...rewritten } = await rewriteFile(place.file, {
    rewrite,
    backup: (path) => `${path}.before-edit`,
    isPrivate: place.scope !== undefined && place.scope !== 'project',
    hasSecrets: () => secrets.length > 0, // others may not read the file that they come from
    create,
    dryRun,
  });
  const { file, scope, host } = place;
  return { file, ...rewritten, problems, scope, inputs: host?.inputs === true, secrets };
}

/** Required content of a new file besides the servers. */
const newTexts: Readonly<Record<string, string>> = { continue: 'name: Local\nversion: 1.0.0\nschema: v1\n' };

async function edit(text: string, place: ConfigPlace, existing: ConfigServers, plan: ChangePlan): Promise<string> {
  const { servers, inputs = new Map<string, PlainEntry>(), isSpelled } = plan;
  // One edit for each place, because every edit parses the whole text.
  const byPath = new Map<string, { at: ServersAt; changes: Change[] }>();
  for (const { name, entry } of servers) {
    const places = existing.placesOf(name);
    const written = entry && !isSpelled ? ownFormat(name, entry, place) : entry;
    for (const at of entry === undefined ? places : places.slice(0, 1)) {
      const key = JSON.stringify(at.path);
      const known = byPath.get(key) ?? { at, changes: [] };
      known.changes.push({ name, entry: written });
      byPath.set(key, known);
    }
  }
  let edited = text;
  for (const { at, changes } of byPath.values()) edited = await editServers(edited, at, changes);
  const isJson = (place.layout?.format ?? 'json') === 'json'; // only JSON configs have inputs
  const missing = isJson ? [...inputs].filter(([id]) => !existing.inputs.has(id)) : [];
  if (missing.length === 0) return edited;
  const added = missing.map(([name, entry]) => ({ name, entry }));
  return editServers(edited, { file: place.file, format: 'json', path: ['inputs'], nameKey: 'id' }, added);
}

/** Keys of Standpipe that the host does not know are kept, because hosts ignore them. */
function ownFormat(name: string, entry: PlainEntry, { host }: ConfigPlace): PlainEntry {
  if (!host) return entry;
  const { written, lost } = spellEntry(name, entry, host);
  return { ...written, ...Object.fromEntries(lost.map((key) => [key, entry[key]])) };
}

async function editAndCheck(
  text: string,
  place: ConfigPlace,
  existing: ConfigServers,
  plan: ChangePlan,
  context: SystemContext,
  options: ChangeOptions,
): Promise<{ edited: string; found: readonly ConfigProblem[] }> {
  const edited = await edit(text, place, existing, plan);
  const written = new Set(plan.servers.filter(({ entry }) => entry !== undefined).map(({ name }) => name));
  const found = (await problemsIn(edited, place, context)).filter(({ server }) => written.has(server!));
  const errors = found.filter(({ severity, code }) => severity === 'error' && code !== 'VARIABLE_NOT_SET');
  if (errors.length === 0) return { edited, found };
  const { code, server: first, message: why, suggestion: hint } = errors[0]!;
  if (!options.onRefused) {
    throw new UsageError(code!, `"${first}" was not written to ${place.file}: ${why}`, { hint });
  }
  const refused = new Set<string>();
  for (const { server, message } of errors) {
    if (!refused.has(server!)) options.onRefused(server!, message);
    refused.add(server!);
  }
  const servers = plan.servers.filter(({ name }) => !refused.has(name));
  return editAndCheck(text, place, existing, { ...plan, servers }, context, options);
}

async function problemsIn(text: string, place: ConfigPlace, context: SystemContext): Promise<readonly ConfigProblem[]> {
  if (text === '') return [];
  const readText = async (file: string) => decodeFile(await fromDisk(file));
  return (await configFromText(text, place, { ...context, readText, checkEntry: checkOnSystem })).problems;
}

/** Literal values, not references. */
export function secretsIn({ env, headers, oauth, args, url }: PlainEntry): string[] {
  const values = [env, headers, oauth].flatMap((group) => (isObject(group) ? Object.values(group) : []));
  const texts = values.filter((value) => typeof value === 'string' && !value.includes('${')) as string[];
  const words = [...(Array.isArray(args) ? args : []), url].filter((word) => typeof word === 'string');
  const inAddress = typeof url === 'string' ? secretsInAddress(url).filter((value) => !value.includes('${')) : [];
  const inArguments = secretsInArguments(words).filter((value) => !/^\$\{[^}]*\}$/.test(value));
  const all = new Set([...texts, ...inArguments, ...inAddress]);
  return [...all].filter((value) => isWorthMasking(value, false));
}
