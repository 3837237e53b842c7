// Adds a Standpipe command before the commands in a host's config, and removes it. Both are idempotent: an entry in the wanted state
// is not changed. A backup from before the first change is kept beside the file.

import { rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Edit, Node } from 'jsonc-parser';
import { UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { type Rewritten, rewriteFile } from '../edit/rewrite-file.ts';
import { decodeFile, fromDisk } from '../files/disk.ts';
import { placeOf } from '../files/places.ts';
import type { HostProgram } from '../hosts/host-program.ts';
import { Findings, problemError } from '../problem.ts';
import { Fields } from '../read/fields.ts';
import { findEntries } from '../read/find-entries.ts';
import { type JsonDocument, parseDocument } from '../read/json-document.ts';
import { systemContext } from '../system-context.ts';
import { layersOf, readEntry, unwrapEdits, type Wrapper, wrapEdits, wrappers } from './wrapped-entry.ts';

export interface WrapResult extends Pick<Rewritten, 'before' | 'after'> {
  servers: WrappedServer[];
  /** Backup from before the first change, if it exists. */
  backup: string | undefined;
}

export async function wrapServers(configFile: string, options: WrapOptions): Promise<WrapResult> {
  let servers: WrappedServer[] = [];
  let isPristine = true;
  const rewrite = (text: string): string => {
    const wrapped = wrapText(text, configFile, options);
    ({ servers, isPristine } = wrapped);
    return wrapped.text;
  };
  const { wrapper, dryRun = false } = options;
  // If some entries are already wrapped, an existing backup is older than the wrapping and is kept.
  const backup = async (path: string) =>
    isPristine || !(await existing(backupOf(path, wrapper))) ? backupOf(path, wrapper) : undefined;
  const { path, before, after } = await rewriteFile(configFile, { rewrite, backup, dryRun });
  return { servers, before, after, backup: await existing(backupOf(path, wrapper)) };
}

/** Wrappers can be removed in any order, so the backups of all wrappers are searched for the original entry. */
export async function unwrapServers(configFile: string, options: UnwrapOptions): Promise<WrapResult> {
  let servers: WrappedServer[] = [];
  let backups: ReadonlyMap<string, string> = new Map();
  const rewrite = async (text: string, path: string): Promise<string> => {
    backups = await readBackups(path);
    const unwrapped = unwrapText(text, configFile, [...backups.values()], options);
    servers = unwrapped.servers;
    return unwrapped.text;
  };
  const { wrapper, dryRun = false } = options;
  const { path, before, after } = await rewriteFile(configFile, { rewrite, dryRun });
  const texts = [...backups.values()];
  for (const [file, text] of dryRun ? [] : backups) {
    if (text === after || pristineText(text, configFile, texts) === after) await rm(file, { force: true });
  }
  return { servers, before, after, backup: await existing(backupOf(path, wrapper)) };
}

const suffixes: Readonly<Record<Wrapper, string>> = { tap: 'before-tap', connect: 'before-share' };

function backupOf(path: string, wrapper: Wrapper): string {
  return `${path}.${suffixes[wrapper]}`;
}

async function readBackups(path: string): Promise<ReadonlyMap<string, string>> {
  const read = wrappers.map(async (wrapper) => {
    const file = backupOf(path, wrapper);
    const text = await fromDisk(file).then(decodeFile, () => undefined); // there may be no backup
    return text === undefined ? [] : [[file, text] as const];
  });
  return new Map((await Promise.all(read)).flat());
}

async function existing(file: string): Promise<string | undefined> {
  return stat(file).then(
    () => file,
    () => undefined,
  );
}

interface UnwrapOptions {
  wrapper: Wrapper;
  /** The servers to unwrap. Default: all servers with a command. */
  servers?: readonly string[] | undefined;
  /** Do not write the file. */
  dryRun?: boolean | undefined;
}

/** `already`: no change was needed. `not-a-command`: a remote server. `refused`: the server cannot be wrapped. */
export type WrapOutcome = 'done' | 'already' | 'not-a-command' | 'refused';

export interface WrappedServer {
  name: string;
  outcome: WrapOutcome;
  reason?: string;
}

interface WrapOptions extends UnwrapOptions {
  /** The words before `--`: the command of the wrapper, and its options for this server. */
  words: (name: string, fields: Fields) => readonly string[];
  /** Why a server must not be wrapped. */
  refuse?: (fields: Fields) => string | undefined;
}

interface WrappedText {
  text: string;
  servers: WrappedServer[];
}

/** `isPristine`: the given text had no wrapped server. */
export function wrapText(text: string, file: string, options: WrapOptions): WrappedText & { isPristine: boolean } {
  const { wrapper } = options;
  const config = readConfig(text, file, options);
  const edits: Edit[] = [];
  const servers = config.servers.map(({ name, fields }): WrappedServer => {
    const entry = readEntry(fields);
    if (!entry) return { name, outcome: 'not-a-command' };
    if (layersOf(entry).some((layer) => layer.wrapper === wrapper)) return { name, outcome: 'already' };
    const reason = options.refuse?.(fields);
    if (reason !== undefined) return { name, outcome: 'refused', reason };
    edits.push(...wrapEdits(text, entry, options.words(name, fields)));
    return { name, outcome: 'done' };
  });
  const isPristine = !config.all.some(({ fields }) => isWrapped(fields));
  return { text: edited(text, edits), servers, isPristine };
}

/** `earlier`: known texts of the file from before its changes. */
export function unwrapText(
  text: string,
  file: string,
  earlier: readonly string[],
  options: UnwrapOptions,
): WrappedText {
  const hadArgs = argumentsIn(earlier, file);
  const edits: Edit[] = [];
  const servers = readConfig(text, file, options).servers.map(({ name, fields }): WrappedServer => {
    const entry = readEntry(fields);
    if (!entry) return { name, outcome: 'not-a-command' };
    const layer = layersOf(entry).find(({ wrapper, end }) => wrapper === options.wrapper && end !== undefined);
    if (layer?.end === undefined) return { name, outcome: 'already' };
    edits.push(...unwrapEdits(text, entry, layer, layer.end, hadArgs(name)));
    return { name, outcome: 'done' };
  });
  return { text: edited(text, edits), servers };
}

/** A text without any wrapper. Undefined if it is not the text of a config. */
export function pristineText(text: string, file: string, earlier: readonly string[]): string | undefined {
  if (parseDocument(text, file).fault || serversIn(parseDocument(text, file), new Findings()).length === 0) {
    return undefined;
  }
  const once = wrappers.reduce((before, wrapper) => unwrapText(before, file, earlier, { wrapper }).text, text);
  return once === text ? text : pristineText(once, file, earlier);
}

/** `applyEdits` of jsonc-parser copies the text for each edit. */
function edited(text: string, edits: readonly Edit[]): string {
  let at = 0;
  const inOrder = [...edits].sort((a, b) => a.offset - b.offset);
  const parts = inOrder.map(({ offset, length, content }) => {
    const before = text.slice(at, offset);
    at = offset + length;
    return before + content;
  });
  return parts.join('') + text.slice(at);
}

interface NamedServer {
  name: string;
  fields: Fields;
}

function readConfig(
  text: string,
  file: string,
  { servers: names }: UnwrapOptions,
): Record<'all' | 'servers', NamedServer[]> {
  const findings = new Findings();
  const { host, layout } = placeOf(file, systemContext());
  if (layout && layout.format !== 'json') throw notInPlace(file, 'it is not JSON', host);
  const all = serversIn(parseDocument(text, resolve(file)), findings);
  const problem = findings.problems.find(({ severity }) => severity === 'error');
  if (problem) throw problemError(problem);
  if (all.some(({ fields }) => isOneArray(fields))) throw notInPlace(file, 'its commands are arrays', host);
  if (all.length === 0) {
    throw new UsageError('CONFIG_INVALID', `There are no servers in ${file}`, {
      hint: 'Write {"mcpServers": {"some-name": {"command": "…"}}}.',
    });
  }
  const unknown = names?.find((name) => !all.some((server) => server.name === name));
  if (unknown !== undefined) {
    const known = all.map(({ name }) => name).join(', ') || 'none';
    throw new UsageError(
      'NAME_UNKNOWN',
      `There is no server ${JSON.stringify(unknown)} in ${file}; its servers are: ${known}`,
    );
  }
  return { all, servers: names ? all.filter(({ name }) => names.includes(name)) : all };
}

function notInPlace(file: string, reason: string, host: HostProgram | undefined): UsageError {
  const hint =
    host && `\`${ownCommand} export ${host.id} --connect\` writes entries that run the servers through Standpipe.`;
  return new UsageError('CONFIG_INVALID', `The commands in ${file} cannot be changed in place: ${reason}`, { hint });
}

/** OpenCode: the arguments are in the same array as the program. */
function isOneArray(fields: Fields): boolean {
  const entry = readEntry(fields);
  return entry?.args !== undefined && isInside(entry.command, entry.args);
}

function isInside(node: Node, outer: Node): boolean {
  return node.offset > outer.offset && node.offset < outer.offset + outer.length;
}

function serversIn(document: JsonDocument, findings: Findings): NamedServer[] {
  const entries =
    findEntries(document, findings, placeOf(document.file, systemContext()), process.platform)?.entries ?? [];
  return entries.flatMap(({ name, node }) =>
    node.type === 'object' ? [{ name, fields: new Fields(node, document, new Findings(name)) }] : [],
  );
}

function isWrapped(fields: Fields): boolean {
  const entry = readEntry(fields);
  return entry !== undefined && layersOf(entry).length > 0;
}

/** Whether a server had arguments before it was wrapped. True if the original entry is unknown. */
function argumentsIn(earlier: readonly string[], file: string): (name: string) => boolean {
  const servers = earlier.flatMap((text) => serversIn(parseDocument(text, file), new Findings()));
  const unwrapped = servers.filter(({ fields }) => !isWrapped(fields)).reverse(); // if several texts have the name, the first one is used
  const hadArgs = new Map(unwrapped.map(({ name, fields }) => [name, fields.has('args')]));
  return (name) => hadArgs.get(name) ?? true;
}
