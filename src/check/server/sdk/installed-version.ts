// The packages that the script of a command imports, resolved as in Node.js: in the nearest node_modules above it. The version of the TypeScript
// SDK is that of the imported package, or that of a dependency of an imported framework.

import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import type { Target } from '../../target.ts';

const legacy = '@modelcontextprotocol/sdk';
const modern = '@modelcontextprotocol/server';
/** Limit of the part of a script that is read. Imports are at the start. */
const MOST_CHARS = 100_000;

interface Package {
  readonly folder: string;
  readonly info: JsonObject;
}

/**
 * Returns undefined if uncertain: a command without a script, or one that can import both major versions. `isModern`:
 * only 2.x is possible.
 */
export function installedVersion(target: Target, isModern: boolean): string | undefined {
  const script = scriptOf(target);
  if (script === undefined) return undefined;
  const sdks = isModern ? [modern] : [legacy, modern];
  const versions = (folder: string, names: readonly string[]) =>
    names.flatMap((name) => versionAbove(folder, name) ?? []);
  const named = importsOf(script);
  const frameworks = named.flatMap((name) => packageAbove(dirname(script), name) ?? []);
  const ways = [
    versions(
      dirname(script),
      sdks.filter((name) => named.includes(name)),
    ),
    frameworks.flatMap(({ folder, info }) =>
      versions(
        folder,
        sdks.filter((name) => dependsOn(info, name)),
      ),
    ),
    versions(dirname(script), sdks),
  ];
  const found = new Set(ways.find((each) => each.length > 0));
  return found.size === 1 ? [...found][0] : undefined;
}

/**
 * Returns undefined if the script of the command cannot import the package. The version is absent if the command has no script.
 */
export function importable(target: Target, name: string): { version?: string } | undefined {
  const script = scriptOf(target);
  if (script === undefined) return {};
  const version = versionAbove(dirname(script), name);
  return version === undefined ? undefined : { version };
}

function scriptOf({ command, args = [], cwd = '.' }: Target): string | undefined {
  return [command, ...args].map((word) => realFile(resolve(cwd, word))).find((file) => file !== undefined);
}

function realFile(path: string): string | undefined {
  try {
    const file = realpathSync(path);
    return /\.[cm]?[jt]s$/.test(file) ? file : undefined;
  } catch {
    return undefined; // most words of a command are not files
  }
}

/** Names of packages. */
function importsOf(script: string): string[] {
  const text = readFileSync(script, 'utf8').slice(0, MOST_CHARS);
  const names = text.matchAll(/\b(?:from|import|require)\s*\(?\s*['"]((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/[^'"]*)?['"]/g);
  return [...new Set([...names].map((match) => match[1]!))];
}

function dependsOn({ dependencies }: JsonObject, name: string): boolean {
  return isObject(dependencies) && Object.hasOwn(dependencies, name);
}

function versionAbove(folder: string, name: string): string | undefined {
  const version = packageAbove(folder, name)?.info.version;
  return typeof version === 'string' ? version : undefined;
}

function packageAbove(folder: string, name: string): Package | undefined {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const found = join(at, 'node_modules', name);
      const info: unknown = JSON.parse(readFileSync(join(found, 'package.json'), 'utf8'));
      return isObject(info) ? { folder: realpathSync(found), info } : undefined;
    } catch {
      if (at === dirname(at)) return undefined; // no folder above has the package
    }
  }
}
