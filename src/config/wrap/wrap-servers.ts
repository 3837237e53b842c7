// Puts a command of Standpipe before the servers of a host's config, and removes it. Both are idempotent: an entry that already
// is as wanted is not changed. The file as it was before the first change is kept beside it.

import { chmod, readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { applyEdits, type Edit } from 'jsonc-parser';
import { toError, UsageError } from '../../base/errors.ts';
import { replacePrivately } from '../../process/files/private-file.ts';
import { findEntries } from '../config-file.ts';
import { Findings, problemError } from '../problem.ts';
import { Fields } from '../read/fields.ts';
import { type JsonDocument, parseDocument } from '../read/json-document.ts';
import { readEntry, runsWrapper, unwrapEdits, type Wrapper, wrapEdits, wrappedCommandIndex } from './wrapped-entry.ts';

export interface WrapOptions {
  wrapper: Wrapper;
  /** The backup is `<file>.before-<this>`. */
  backup: string;
  /** Default: all servers with a command. */
  servers?: readonly string[] | undefined;
}

/** `already`: no change was needed. `not-a-command`: a remote server. `refused`: it cannot be wrapped. */
export type WrapOutcome = 'done' | 'already' | 'not-a-command' | 'refused';

export interface WrapResult {
  servers: { name: string; outcome: WrapOutcome; reason?: string }[];
  /** The file as it was before the first change, if it exists. */
  backup: string | undefined;
}

export interface InstallOptions extends WrapOptions {
  /** The words before `--`: the command of the wrapper, and its options for this server. */
  words: (name: string, fields: Fields) => readonly string[];
  /** Why a server must not be wrapped. */
  refuse?: (fields: Fields) => string | undefined;
}

export async function wrapServers(configFile: string, options: InstallOptions): Promise<WrapResult> {
  const { wrapper } = options;
  const config = await readConfig(configFile, options);
  const edits: Edit[] = [];
  const servers = config.servers.map(({ name, fields }): WrapResult['servers'][number] => {
    const entry = readEntry(fields);
    if (!entry) return { name, outcome: 'not-a-command' };
    if (runsWrapper(entry, wrapper)) return { name, outcome: 'already' };
    const reason = options.refuse?.(fields);
    if (reason !== undefined) return { name, outcome: 'refused', reason };
    edits.push(...wrapEdits(config.text, entry, options.words(name, fields)));
    return { name, outcome: 'done' };
  });
  if (edits.length === 0) return { servers, backup: await existing(config.backup) };
  // If some are wrapped already, an existing backup is older than that and stays.
  const pristine = !config.all.some(({ fields }) => isWrapped(fields, wrapper));
  const { path, mark, text } = config;
  if (pristine || !(await existing(config.backup))) await replaceFile(config.backup, mark + text, path);
  await replaceFile(path, mark + applyEdits(text, edits), path);
  return { servers, backup: config.backup };
}

export async function unwrapServers(configFile: string, options: WrapOptions): Promise<WrapResult> {
  const config = await readConfig(configFile, options);
  const before = await readFile(config.backup, 'utf8').catch(() => undefined); // there may be no backup
  const hadArgs = argumentsIn(before);
  const edits: Edit[] = [];
  const servers = config.servers.map(({ name, fields }): WrapResult['servers'][number] => {
    const entry = readEntry(fields);
    if (!entry) return { name, outcome: 'not-a-command' };
    const index = wrappedCommandIndex(entry, options.wrapper);
    if (index === undefined) return { name, outcome: 'already' };
    edits.push(...unwrapEdits(config.text, entry, index, hadArgs(name)));
    return { name, outcome: 'done' };
  });
  const text = config.mark + applyEdits(config.text, edits);
  if (edits.length > 0) await replaceFile(config.path, text, config.path);
  if (text === before) await rm(config.backup, { force: true });
  return { servers, backup: await existing(config.backup) };
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

async function readConfig(file: string, { servers: names, backup }: WrapOptions): Promise<Config> {
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
  return { path, backup: `${path}.before-${backup}`, mark, text, all, servers };
}

function serversIn(document: JsonDocument, findings: Findings): NamedServer[] {
  const entries = findEntries(document, findings, process.platform)?.entries ?? [];
  return entries.flatMap(({ name, node }) =>
    node.type === 'object' ? [{ name, fields: new Fields(node, document, new Findings(name)) }] : [],
  );
}

function isWrapped(fields: Fields, wrapper: Wrapper): boolean {
  const entry = readEntry(fields);
  return entry !== undefined && wrappedCommandIndex(entry, wrapper) !== undefined;
}

/** Whether a server had arguments before the first change, according to the backup. A server that is not in it counts as having some. */
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
