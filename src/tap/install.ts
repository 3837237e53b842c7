// Adds taps to the config of a host and removes them. Both are idempotent: an entry that already is as wanted is not changed.
// The file as it was before the first tap is kept beside it.

import { chmod, readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { applyEdits, type Edit } from 'jsonc-parser';
import { toError, UsageError } from '../base/errors.ts';
import { findEntries } from '../config/config-file.ts';
import { Findings, problemError } from '../config/problem.ts';
import { Fields } from '../config/read/fields.ts';
import { type JsonDocument, parseDocument } from '../config/read/json-document.ts';
import { replacePrivately } from '../process/files/private-file.ts';
import { readEntry, tapEdits, tappedCommandIndex, untapEdits } from './tapped-entry.ts';

export interface InstallOptions {
  /** Default: all servers with a command. */
  servers?: readonly string[];
  /** The command of a tap. Programs started from a desktop get a shorter PATH: use absolute paths if `standpipe` is not in it. */
  tap?: readonly string[];
  /** Each server is recorded here as `<name>.jsonl`. Default: no recordings. */
  recordFolder?: string;
  /** Further options of every tap, such as `['--redact-path', '**.ssn']`. */
  options?: readonly string[];
}

/** `already`: no change was needed. `not-a-command`: a remote server. */
export type InstallOutcome = 'done' | 'already' | 'not-a-command';

export interface InstallResult {
  servers: { name: string; outcome: InstallOutcome }[];
  /** The file as it was before the first tap, if it exists. */
  backup: string | undefined;
}

export async function installTap(configFile: string, options: InstallOptions = {}): Promise<InstallResult> {
  const config = await readConfig(configFile, options.servers);
  const edits: Edit[] = [];
  const servers = config.servers.map(({ name, fields }) => {
    const entry = readEntry(fields);
    if (!entry) return { name, outcome: 'not-a-command' as const };
    if (tappedCommandIndex(entry) !== undefined) return { name, outcome: 'already' as const };
    edits.push(...tapEdits(config.text, entry, tapWords(name, fields, options)));
    return { name, outcome: 'done' as const };
  });
  if (edits.length === 0) return { servers, backup: await existing(config.backup) };
  // If there are taps already, an existing backup is older than they are and stays.
  const pristine = !config.all.some(isTapped);
  const { path, mark, text } = config;
  if (pristine || !(await existing(config.backup))) await replaceFile(config.backup, mark + text, path);
  await replaceFile(path, mark + applyEdits(text, edits), path);
  return { servers, backup: config.backup };
}

export async function uninstallTap(
  configFile: string,
  { servers: names }: Pick<InstallOptions, 'servers'> = {},
): Promise<InstallResult> {
  const config = await readConfig(configFile, names);
  const before = await readFile(config.backup, 'utf8').catch(() => undefined); // there may be no backup
  const hadArgs = argumentsIn(before);
  const edits: Edit[] = [];
  const servers = config.servers.map(({ name, fields }) => {
    const entry = readEntry(fields);
    if (!entry) return { name, outcome: 'not-a-command' as const };
    const index = tappedCommandIndex(entry);
    if (index === undefined) return { name, outcome: 'already' as const };
    edits.push(...untapEdits(config.text, entry, index, hadArgs(name)));
    return { name, outcome: 'done' as const };
  });
  const text = config.mark + applyEdits(config.text, edits);
  if (edits.length > 0) await replaceFile(config.path, text, config.path);
  if (text === before) await rm(config.backup, { force: true });
  return { servers, backup: await existing(config.backup) };
}

function tapWords(
  name: string,
  fields: Fields,
  { tap = ['standpipe', 'tap'], recordFolder, options = [] }: InstallOptions,
) {
  const words = [...tap, '--name', name];
  if (recordFolder !== undefined) words.push('--record', join(resolve(recordFolder), `${fileNameOf(name)}.jsonl`));
  const variables = fields.object('env')?.keys() ?? [];
  if (variables.length > 0) words.push('--mask-env', variables.join(','));
  return [...words, ...options];
}

/** Different names never share a file. */
function fileNameOf(name: string): string {
  return encodeURIComponent(name).replaceAll('*', '%2A').replace(/^\./, '%2E');
}

interface NamedServer {
  name: string;
  fields: Fields;
}

interface Config {
  path: string;
  backup: string;
  /** The byte order mark, if there is one. It is not part of `text`. */
  mark: string;
  text: string;
  all: NamedServer[];
  servers: NamedServer[];
}

async function readConfig(file: string, names: readonly string[] | undefined): Promise<Config> {
  // If it is a link, the file behind it is replaced, and not the link.
  const path = await realpath(file).catch((cause) => {
    throw new UsageError('CONFIG_NOT_FOUND', `There is no config ${file}`, { cause });
  });
  const content = await readFile(path, 'utf8').catch((cause) => {
    throw new UsageError('CONFIG_INVALID', `Cannot read ${file}: ${toError(cause).message}`, {
      hint: 'Use a config file that you can read.',
      cause,
    });
  });
  const text = content.replace(/^\uFEFF/, '');
  const findings = new Findings();
  const all = serversIn(parseDocument(text, resolve(file)), findings);
  const problem = findings.problems.find(({ severity }) => severity === 'error');
  if (problem) throw problemError(problem);
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
  const mark = content.slice(0, content.length - text.length);
  const servers = names ? all.filter(({ name }) => names.includes(name)) : all;
  return { path, backup: `${path}.before-tap`, mark, text, all, servers };
}

function serversIn(document: JsonDocument, findings: Findings): NamedServer[] {
  const entries = findEntries(document, findings, process.platform)?.entries ?? [];
  return entries.flatMap(({ name, node }) =>
    node.type === 'object' ? [{ name, fields: new Fields(node, document, new Findings(name)) }] : [],
  );
}

function isTapped({ fields }: NamedServer): boolean {
  const entry = readEntry(fields);
  return entry !== undefined && tappedCommandIndex(entry) !== undefined;
}

/** Whether a server had arguments before the tap, according to the backup. A server that is not in it counts as having some. */
function argumentsIn(before: string | undefined): (name: string) => boolean {
  const servers = before === undefined ? [] : serversIn(parseDocument(before, ''), new Findings());
  return (name) => servers.find((server) => server.name === name)?.fields.has('args') ?? true;
}

/** Atomic, and with the permissions of the config. */
async function replaceFile(path: string, text: string, like: string): Promise<void> {
  try {
    const { mode } = await stat(like);
    replacePrivately(path, text);
    await chmod(path, mode & 0o777);
  } catch (cause) {
    throw new UsageError('FILE_NOT_WRITABLE', `Cannot write ${path}: ${toError(cause).message}`, {
      hint: `The file is replaced by a new one: make the folder ${dirname(path)} writable, or run this as its owner.`,
      cause,
    });
  }
}

async function existing(file: string): Promise<string | undefined> {
  return stat(file).then(
    () => file,
    () => undefined,
  );
}
