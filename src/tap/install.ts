// Puts taps into a host's config and takes them out again. Can be repeated without harm: what is tapped stays as it is,
// and what is not stays untouched. The file as it was before the first tap is kept beside it.

import { chmod, readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { applyEdits, type Edit, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { toError, UsageError } from '../base/errors.ts';
import { replacePrivately } from '../process/files/private-file.ts';
import { propertyOf, readEntry, tapEdits, tappedCommandIndex, untapEdits } from './tapped-entry.ts';

export interface InstallOptions {
  /** Which servers; all that are commands unless given. */
  servers?: readonly string[];
  /** The words that run a tap. Hosts on a desktop get a short PATH: give absolute paths where `standpipe` is not in it. */
  tap?: readonly string[];
  /** Where each server is recorded, as `<name>.jsonl`. Not recorded unless given. */
  recordFolder?: string;
  /** Further options for every tap, such as `['--redact-path', '**.ssn']`. */
  options?: readonly string[];
}

/** `already`: nothing was to be done. `not-a-command`: a remote server. */
export type InstallOutcome = 'done' | 'already' | 'not-a-command';

export interface InstallResult {
  servers: { name: string; outcome: InstallOutcome }[];
  /** The file as it was before the first tap, where there is one. */
  backup: string | undefined;
}

export async function installTap(configFile: string, options: InstallOptions = {}): Promise<InstallResult> {
  const config = await readConfig(configFile, options.servers);
  const edits: Edit[] = [];
  const servers = config.servers.map(({ name, node }) => {
    const entry = readEntry(node);
    if (!entry) return { name, outcome: 'not-a-command' as const };
    if (tappedCommandIndex(entry) !== undefined) return { name, outcome: 'already' as const };
    edits.push(...tapEdits(config.text, entry, tapWords(name, node, options)));
    return { name, outcome: 'done' as const };
  });
  if (edits.length === 0) return { servers, backup: await existing(config.backup) };
  // Where taps stand already, the backup beside them is the better one.
  const pristine = !allServers(config.root).some(isTapped);
  if (pristine || !(await existing(config.backup))) await replaceFile(config.backup, config.text, config.path);
  await replaceFile(config.path, applyEdits(config.text, edits), config.path);
  return { servers, backup: config.backup };
}

export async function uninstallTap(
  configFile: string,
  { servers: names }: Pick<InstallOptions, 'servers'> = {},
): Promise<InstallResult> {
  const config = await readConfig(configFile, names);
  const before = await readFile(config.backup, 'utf8').catch(() => undefined); // none: then it is done without
  const hadArgs = argumentsIn(before);
  const edits: Edit[] = [];
  const servers = config.servers.map(({ name, node }) => {
    const entry = readEntry(node);
    if (!entry) return { name, outcome: 'not-a-command' as const };
    const index = tappedCommandIndex(entry);
    if (index === undefined) return { name, outcome: 'already' as const };
    edits.push(...untapEdits(config.text, entry, index, hadArgs(name)));
    return { name, outcome: 'done' as const };
  });
  const text = applyEdits(config.text, edits);
  if (edits.length > 0) await replaceFile(config.path, text, config.path);
  if (text === before) await rm(config.backup, { force: true });
  return { servers, backup: await existing(config.backup) };
}

function tapWords(
  name: string,
  node: Node,
  { tap = ['standpipe', 'tap'], recordFolder, options = [] }: InstallOptions,
) {
  const words = [...tap, '--name', name];
  if (recordFolder !== undefined) words.push('--record', join(resolve(recordFolder), `${fileNameOf(name)}.jsonl`));
  const variables = (propertyOf(node, 'env')?.children ?? []).map((property) => String(property.children?.[0]?.value));
  if (variables.length > 0) words.push('--mask-env', variables.join(','));
  return [...words, ...options];
}

/** Different names never share a file. */
function fileNameOf(name: string): string {
  return encodeURIComponent(name).replaceAll('*', '%2A').replace(/^\./, '%2E');
}

interface NamedServer {
  name: string;
  node: Node;
}

interface Config {
  path: string;
  backup: string;
  text: string;
  root: Node;
  servers: NamedServer[];
}

async function readConfig(file: string, names: readonly string[] | undefined): Promise<Config> {
  // Behind a link lies the file that the link's owner cares for; it is replaced, and not the link.
  const path = await realpath(file).catch((cause) => {
    throw new UsageError('CONFIG_NOT_FOUND', `There is no config ${file}`, { cause });
  });
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new UsageError('CONFIG_INVALID', `Cannot read ${file}: ${toError(cause).message}`, {
      hint: 'Use a config file that you can read.',
      cause,
    });
  });
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors.filter(({ offset, length }) => text.slice(offset, offset + length) !== '\uFEFF');
  if (!root || first) {
    const line = text.slice(0, first?.offset).split('\n').length;
    const problem = first ? printParseErrorCode(first.error) : 'it is empty';
    throw new UsageError('CONFIG_INVALID', `${file}:${line}: not JSON: ${problem}`);
  }
  const all = allServers(root);
  if (all.length === 0) {
    throw new UsageError('CONFIG_INVALID', `There are no servers in ${file}`, {
      hint: 'Neither "mcpServers" nor "servers" has an entry: write {"mcpServers": {"some-name": {"command": "…"}}}.',
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
  const servers = names ? all.filter(({ name }) => names.includes(name)) : all;
  return { path, backup: `${path}.before-tap`, text, root, servers };
}

/** Both shapes: `mcpServers`, and the `servers` of VS Code. */
function allServers(root: Node): NamedServer[] {
  return ['mcpServers', 'servers'].flatMap((shape) =>
    (propertyOf(root, shape)?.children ?? []).flatMap((property) => {
      const [key, node] = property.children ?? [];
      return node?.type === 'object' ? [{ name: String(key?.value), node }] : [];
    }),
  );
}

function isTapped({ node }: NamedServer): boolean {
  const entry = readEntry(node);
  return entry !== undefined && tappedCommandIndex(entry) !== undefined;
}

/** What the backup says about a server's arguments; where it says nothing, it had some. */
function argumentsIn(before: string | undefined): (name: string) => boolean {
  const root = before === undefined ? undefined : parseTree(before, [], { allowTrailingComma: true });
  const servers = root ? allServers(root) : [];
  return (name) => {
    const server = servers.find((each) => each.name === name);
    return !server || propertyOf(server.node, 'args') !== undefined;
  };
}

/** Whole or not at all, and with the rights of the config. */
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
