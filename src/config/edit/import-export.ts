// Copies servers between the configs of other hosts and the config of Standpipe. References to variables are kept: values are written
// only with `reveal`, for a host that does not expand them.

import { isAbsolute, resolve } from 'node:path';
import { shellWord } from '../../base/command-line.ts';
import { UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { type InputDefinition, resolveInputsSync, type VariableSources } from '../expand/variables.ts';
import type { ConfigPlace } from '../files/places.ts';
import type { HostProgram, PlainEntry } from '../hosts/host-program.ts';
import { hintOfNames } from '../nearest.ts';
import type { SystemContext } from '../system-context.ts';
import type { Change } from './change.ts';
import { type ChangedConfig, changeConfig } from './change-config.ts';
import { type ConfigServers, type HostServers, serversOfPlaces } from './config-servers.ts';
import {
  entryOf,
  inexpressible,
  isSameEntry,
  relativeFiles,
  resolveFor,
  spellEntry,
  USE_CONNECT,
  withoutSecrets,
} from './spell-entry.ts';
import {
  modeForOthers,
  readableByOthers,
  type SecretHandling,
  withReferences,
  writtenSecrets,
} from './written-secrets.ts';

/** `already`: the same entry exists. `exists`: a different entry of this name exists. `refused`: see the reason. */
export interface ExchangedServer {
  name: string;
  outcome: 'added' | 'replaced' | 'already' | 'exists' | 'refused';
  reason?: string;
  /** Keys that were not written because the host does not support them. */
  lost?: readonly string[];
  /** Relative paths of project files in the entry. A host may start the server in another folder. */
  relative?: readonly string[];
  /** Descriptions of secrets written in plain text, without their values. */
  secrets?: readonly string[];
  /** Variables or inputs that were written in place of secrets. */
  references?: readonly string[];
}

interface Exchanged {
  changed: ChangedConfig;
  servers: readonly ExchangedServer[];
}

interface ExchangeOptions {
  /** Default: all. */
  names: readonly string[];
  context: SystemContext;
  force?: boolean | undefined;
  /** How to handle secrets in plain text. Default: copy them, but not to a file that more users can read. */
  secrets?: SecretHandling | undefined;
  dryRun?: boolean | undefined;
}

export async function importServers(from: HostServers, to: ConfigPlace, options: ExchangeOptions): Promise<Exchanged> {
  const chosen = choose(from.entries, options.names, from.files.join(', ') || 'the config of this host');
  return exchange(to, false, options, (existing) =>
    chosen.map(([name, own]) => {
      const guarded = guardSecrets(name, own, from.fileOf.get(name)!, to, options.secrets);
      const { entry, newInputs, ...facts } = guarded;
      const inputs = inputsOf([entry], from.inputs, newInputs);
      return { ...collision(existing, name, entry, options), ...facts, change: { name, entry }, inputs };
    }),
  );
}

export interface ExportOptions extends ExchangeOptions {
  /** Writes the values of variables that the host does not expand. */
  reveal?: boolean | undefined;
  /** Makes the entry that runs a server through Standpipe. If set, this entry is written for each server. */
  connect?: ((name: string) => PlainEntry) | undefined;
}

/** `to` is a file of a host. */
export async function exportServers(
  from: ConfigPlace,
  to: ConfigPlace,
  options: ExportOptions,
): Promise<Exchanged & { revealed: readonly string[] }> {
  const { context, names, reveal = false, connect } = options;
  const host = to.host!;
  if (resolve(from.file) === resolve(to.file)) {
    throw new UsageError('INVALID_OPTION', `${to.file} is the config that servers are exported from`, {
      hint: 'Choose another file of the host with --scope, or another config with --config.',
    });
  }
  const { files, entries, inputs } = await serversOfPlaces([from], context.platform);
  if (files.length === 0) {
    throw new UsageError('CONFIG_NOT_FOUND', `There is no config ${from.file}`, {
      hint: `Name one with --config, or add a server with \`${ownCommand} add\`.`,
    });
  }
  const chosen = choose(entries, names, from.file);
  const sources = sourcesOf(from, chosen, inputs, context);
  const revealed: string[] = [];
  const done = await exchange(to, true, options, (existing) =>
    chosen.map(([name, own]) => {
      const guarded = connect
        ? { entry: connect(name) }
        : guardSecrets(name, withAbsoluteFolder(own, from.folder), from.file, to, options.secrets);
      const { entry, newInputs, ...facts } = guarded;
      const reason = inexpressible(host, name, entry);
      if (reason !== undefined) return { name, outcome: 'refused', reason };
      const { written, lost } = spellEntry(name, entry, host);
      const resolved = resolveFor(host, written, sources, reveal);
      if (resolved.hidden.length > 0)
        return { name, outcome: 'refused', reason: whyHidden(host, resolved.hidden, facts.references, reveal) };
      revealed.push(...resolved.revealed);
      const secrets = [...(facts.secrets ?? []), ...(resolved.revealed.length > 0 ? ['values of variables'] : [])];
      const relative = to.scope === 'user' ? relativeFiles(entry, from.folder) : [];
      return {
        ...collision(existing, name, entryOf(name, resolved.entry, host), options),
        ...facts,
        secrets: orAbsent(secrets),
        lost: orAbsent(lost),
        relative: orAbsent(relative),
        change: { name, entry: resolved.entry },
        inputs: host.inputs ? inputsOf([entry], inputs, newInputs) : undefined,
      };
    }),
  );
  return { ...done, revealed };
}

function orAbsent<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}

interface Guarded extends Pick<Step, 'refusal' | 'secrets' | 'references'> {
  entry: PlainEntry;
  newInputs?: ReadonlyMap<string, PlainEntry> | undefined;
}

/** Checks whether an entry may be copied to another file. A new file is readable only by its owner. */
function guardSecrets(
  name: string,
  entry: PlainEntry,
  from: string,
  to: ConfigPlace,
  handling: SecretHandling | undefined,
): Guarded {
  const secrets = writtenSecrets(name, entry);
  if (secrets.length === 0) return { entry };
  const what = [...new Set(secrets.map((secret) => secret.what))];
  if (handling === 'reference') {
    const hasInputs = to.host?.inputs === true;
    const reference = (variable: string) => `\${${hasInputs ? 'input:' : ''}${variable}}`;
    const references = secrets.map(({ variable }) => variable);
    // VS Code prompts for the value once and stores it in the system keyring.
    const password = (id: string) => ({ type: 'promptString', description: id, password: true });
    const newInputs = hasInputs ? new Map(references.map((id) => [id, password(id)])) : undefined;
    return { entry: withReferences(entry, secrets, reference), references, newInputs };
  }
  const more = readableByOthers(to.file) & ~readableByOthers(from);
  if (more === 0 || handling === 'copy') return { entry, secrets: what };
  const mode = modeForOthers(to.file);
  const refusal = `other users of this machine could read its secrets (${what.join(', ')}) in ${to.file} (mode ${mode}), and cannot in ${from}. Run \`chmod 600 ${shellWord(to.file)}\`, or ${withoutSecrets(to.host)}; --secrets copy writes them anyway`;
  return { entry, refusal };
}

interface Step extends ExchangedServer {
  /** Reason why the entry must not be written. */
  refusal?: string;
  change?: Change;
  inputs?: ReadonlyMap<string, PlainEntry> | undefined;
}

async function exchange(
  to: ConfigPlace,
  isSpelled: boolean,
  { context, dryRun = false }: ExchangeOptions,
  steps: (existing: ConfigServers) => Step[],
): Promise<Exchanged> {
  let planned: Step[] = [];
  const refused = new Map<string, string>();
  const changed = await changeConfig(to, {
    ...context,
    create: true,
    dryRun,
    plan: (existing) => {
      planned = steps(existing).map(decided);
      refused.clear();
      const active = planned.filter(({ outcome }) => outcome === 'added' || outcome === 'replaced');
      const inputs = new Map(active.flatMap((step) => [...(step.inputs ?? [])]));
      return { servers: active.map(({ change }) => change!), inputs, isSpelled };
    },
    onRefused: (name, reason) => refused.set(name, reason),
  });
  const servers = planned.map(({ change: _change, inputs: _inputs, refusal: _refusal, ...step }): ExchangedServer => {
    const reason = refused.get(step.name);
    return reason === undefined ? step : { name: step.name, outcome: 'refused', reason };
  });
  return { changed, servers };
}

function decided(step: Step): Step {
  const { name, outcome, refusal: reason } = step;
  if (outcome !== 'added' && outcome !== 'replaced') return { ...step, secrets: undefined, references: undefined };
  return reason === undefined ? step : { name, outcome: 'refused', reason };
}

function collision(
  existing: ConfigServers,
  name: string,
  entry: PlainEntry,
  { force }: ExchangeOptions,
): Pick<ExchangedServer, 'name' | 'outcome'> {
  if (!existing.has(name)) return { name, outcome: 'added' };
  const there = existing.entries.get(name);
  if (there && isSameEntry(there, entry)) return { name, outcome: 'already' };
  return { name, outcome: force ? 'replaced' : 'exists' };
}

function choose(
  entries: ReadonlyMap<string, PlainEntry>,
  names: readonly string[],
  where: string,
): [string, PlainEntry][] {
  const unknown = names.find((name) => !entries.has(name));
  if (unknown !== undefined) {
    throw new UsageError('NAME_UNKNOWN', `There is no server "${unknown}" in ${where}`, {
      hint: hintOfNames(unknown, [...entries.keys()], 'It has no servers.'),
    });
  }
  return [...entries].filter(([name]) => names.length === 0 || names.includes(name));
}

/** Definitions of the inputs that entries refer to: those of their config, and new ones for their secrets. */
function inputsOf(
  entries: readonly PlainEntry[],
  defined: ReadonlyMap<string, PlainEntry>,
  added: ReadonlyMap<string, PlainEntry> = new Map(),
): Map<string, PlainEntry> {
  const text = JSON.stringify(entries);
  return new Map([...added, ...[...defined].filter(([id]) => text.includes(`\${input:${id}`))]);
}

function sourcesOf(
  { folder }: ConfigPlace,
  entries: readonly (readonly [string, PlainEntry])[],
  inputs: ReadonlyMap<string, PlainEntry>,
  context: SystemContext,
): VariableSources {
  const plain = entries.map(([, entry]) => entry);
  const definitions = [...inputsOf(plain, inputs)].map(([id, input]): InputDefinition => {
    const preset = typeof input.default === 'string' ? input.default : undefined;
    return { id, description: undefined, default: preset, password: input.password === true, options: undefined };
  });
  const ids = definitions.map(({ id }) => id);
  return { ...context, folder, definitions, inputs: resolveInputsSync(ids, definitions, context) };
}

/** Another host resolves relative paths against another folder. */
function withAbsoluteFolder(entry: PlainEntry, folder: string): PlainEntry {
  const absolute = (value: unknown) =>
    typeof value === 'string' && !isAbsolute(value) && !value.startsWith('${') ? resolve(folder, value) : value;
  const paths = Object.entries({ cwd: absolute(entry.cwd), envFile: absolute(entry.envFile) });
  return { ...entry, ...Object.fromEntries(paths.filter(([, value]) => value !== undefined)) };
}

/** `references`: references that replace secrets. Their variables are new and have no values. */
function whyHidden(
  { title }: HostProgram,
  names: readonly string[],
  references: readonly string[] | undefined,
  reveal: boolean,
): string {
  const list = names.join(', ');
  if (names.some((name) => references?.includes(name))) {
    return `${title} does not expand ${list}, so references cannot replace the secrets: ${USE_CONNECT}; --secrets copy writes them`;
  }
  return reveal ? `${list} has no value` : `${title} does not expand ${list}; --reveal writes the value instead`;
}
