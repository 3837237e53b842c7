// The npm or Python package that runs as a server, as far as this machine knows it: its version and integrity from the caches of npm and uv, and
// from the packages of the project. Starts no program and asks no registry. What is not known is recorded with the reason.

import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import type { CommandConfig } from '../server-config.ts';
import type { LockedPackage } from './locked-server.ts';

export interface PackageContext {
  env: NodeJS.ProcessEnv;
  home: string;
  platform: NodeJS.Platform;
}

/** Entries of a cache that are looked at. */
const MOST_CACHED = 5_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** Undefined if the command does not run a package of npx or uvx. */
export async function packageOf(config: CommandConfig, context: PackageContext): Promise<LockedPackage | undefined> {
  const [program = '', ...args] = unwrapped([config.command, ...config.args]);
  if (program === 'npx') return npmPackage(specOf(args, npxValues, ['-p', '--package']), config, context);
  if (program === 'uvx') return pythonPackage(specOf(args, uvxValues, ['--from']), context);
  if (program === 'uv' && args[0] === 'tool' && args[1] === 'run')
    return pythonPackage(specOf(args.slice(2), uvxValues, ['--from']), context);
  return undefined;
}

/** The words of the program itself: without `cmd /c`, folders and `.cmd`. */
function unwrapped(words: readonly string[]): string[] {
  const [first = '', ...rest] = words;
  const name = first
    .split(/[\\/]/)
    .at(-1)!
    .replace(/\.(?:cmd|exe|ps1)$/i, '');
  return name.toLowerCase() === 'cmd' && /^\/c$/i.test(rest[0] ?? '') ? unwrapped(rest.slice(1)) : [name, ...rest];
}

const npxValues = ['-c', '--call', '-w', '--workspace', '--registry', '--cache', '--prefix'];
const uvxValues = [
  '--with',
  '--python',
  '-p',
  '--index',
  '--index-url',
  '--extra-index-url',
  '--default-index',
  '--directory',
  '--cache-dir',
  '-c',
  '--constraints',
  '--overrides',
  '--with-requirements',
];

/** The package that an option names, or else the first word that is no option. `valued`: further options with a value. */
function specOf(args: readonly string[], valued: readonly string[], naming: readonly string[]): string | undefined {
  for (let at = 0; at < args.length; at++) {
    const [option, value] = splitOption(args[at]!);
    if (option === '--') return args[at + 1];
    if (!option.startsWith('-')) return option;
    if (naming.includes(option)) return value ?? args[at + 1];
    if (valued.includes(option) && value === undefined) at++;
  }
  return undefined;
}

function splitOption(word: string): [option: string, value: string | undefined] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

async function npmPackage(
  spec: string | undefined,
  { cwd, env }: CommandConfig,
  context: PackageContext,
): Promise<LockedPackage | undefined> {
  const [, name, wanted] = /^((?:@[^@/]+\/)?[^@/:]+)(?:@(.+))?$/.exec(spec ?? '') ?? [];
  if (name === undefined) return undefined; // a folder, a git address or a tarball
  const known = (where: JsonObject | undefined): LockedPackage | undefined => {
    const { version, integrity } = where ?? {};
    if (typeof version !== 'string') return undefined;
    const sum =
      typeof integrity === 'string' ? { integrity } : { unknown: 'the integrity: no package-lock.json names it' };
    return { registry: 'npm', name, version, ...sum };
  };
  // npx runs the package of the project, if it has one.
  const installed = await readJson(join(cwd, 'node_modules', name, 'package.json'));
  if (installed && (wanted === undefined || wanted === installed.version)) {
    const listed =
      (await lockedIn(cwd, name)) ?? (await lockedIn(join(cwd, 'node_modules'), name, '.package-lock.json'));
    return known(listed?.version === installed.version ? listed : { version: installed.version });
  }
  const cache = env.npm_config_cache ?? context.env.npm_config_cache ?? defaultNpmCache(context);
  const runs = join(cache, '_npx');
  for (const folder of (await namesIn(runs)).slice(0, MOST_CACHED)) {
    const { _npx } = (await readJson(join(runs, folder, 'package.json'))) ?? {};
    const packages = isObject(_npx) ? _npx.packages : undefined;
    if (!Array.isArray(packages) || !packages.includes(spec)) continue;
    const found = known(await lockedIn(join(runs, folder), name));
    if (found) return found;
  }
  return { registry: 'npm', name, ...exact(wanted), unknown: 'the package is not in the cache of npx on this machine' };
}

function defaultNpmCache({ env, home, platform }: PackageContext): string {
  return platform === 'win32' ? join(env.LOCALAPPDATA ?? home, 'npm-cache') : join(home, '.npm');
}

async function lockedIn(folder: string, name: string, file = 'package-lock.json'): Promise<JsonObject | undefined> {
  const { packages } = (await readJson(join(folder, file))) ?? {};
  const entry = isObject(packages) ? packages[`node_modules/${name}`] : undefined;
  return isObject(entry) ? entry : undefined;
}

function exact(wanted: string | undefined): { version?: string } {
  return wanted !== undefined && /^\d+\.\d+[\w.+-]*$/.test(wanted) ? { version: wanted } : {};
}

async function pythonPackage(spec: string | undefined, context: PackageContext): Promise<LockedPackage | undefined> {
  const [, name, wanted] = /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?(?:(?:@|==)([\w.!+-]+))?$/.exec(spec ?? '') ?? [];
  if (name === undefined) return undefined;
  const { version } = exact(wanted);
  const distribution = name.toLowerCase().replaceAll(/[-_.]+/g, '_');
  const infos = await distInfos(context, distribution);
  const versions = [...infos.keys()];
  const chosen = version ?? (versions.length === 1 ? versions[0] : undefined);
  const record = chosen === undefined ? undefined : infos.get(chosen);
  const facts = { registry: 'pypi' as const, name, ...(chosen !== undefined && { version: chosen }) };
  if (record !== undefined) return { ...facts, integrity: record };
  const unknown =
    versions.length > 1 && version === undefined
      ? `the version: the cache of uv has ${versions.sort().join(', ')}`
      : 'the package is not in the cache of uv on this machine';
  return { ...facts, unknown };
}

/** By version: the hash of RECORD, which lists the hashes of all files of a package. */
async function distInfos({ env, home }: PackageContext, name: string): Promise<Map<string, string>> {
  const cache = env.UV_CACHE_DIR ?? join(env.XDG_CACHE_HOME ?? join(home, '.cache'), 'uv');
  const tools = env.UV_TOOL_DIR ?? join(env.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'uv', 'tools');
  const archives = (await namesIn(join(cache, 'archive-v0')))
    .slice(0, MOST_CACHED)
    .map((id) => join(cache, 'archive-v0', id));
  const lib = join(tools, name.replaceAll('_', '-'), 'lib');
  const installed = (await namesIn(lib)).map((python) => join(lib, python, 'site-packages'));
  const found = new Map<string, string>();
  for (const folder of [...installed, ...archives]) {
    for (const info of await namesIn(folder)) {
      const [, distribution, version] = /^(.+)-([^-]+)\.dist-info$/.exec(info) ?? [];
      if (distribution?.toLowerCase().replaceAll(/[-_.]+/g, '_') !== name || found.has(version!)) continue;
      const record = await readBounded(join(folder, info, 'RECORD'));
      if (record) found.set(version!, `sha256-${createHash('sha256').update(record).digest('base64')}`);
    }
  }
  return found;
}

/** Caches belong to other programs: what cannot be read is not known. */
async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

async function readBounded(file: string): Promise<Buffer | undefined> {
  try {
    return (await stat(file)).size > MOST_BYTES ? undefined : await readFile(file);
  } catch {
    return undefined; // the file does not exist or cannot be read
  }
}

async function readJson(file: string): Promise<JsonObject | undefined> {
  const bytes = await readBounded(file);
  try {
    const value: unknown = bytes && JSON.parse(bytes.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // another program is writing it
  }
}
