// The version of the TypeScript SDK that the script of a command would import, as Node.js finds packages: in the nearest node_modules above it.

import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isObject } from '../../../base/json-object.ts';
import type { Target } from '../../process-under-test.ts';

const legacy = '@modelcontextprotocol/sdk';
const modern = '@modelcontextprotocol/server';

/** Undefined where it is not certain: a command without a script, or one that can import both lines. `isModern`: only 2.x can be meant. */
export function installedVersion({ command, args = [], cwd = '.' }: Target, isModern: boolean): string | undefined {
  const script = [command, ...args].map((word) => realFile(resolve(cwd, word))).find((file) => file !== undefined);
  if (script === undefined) return undefined;
  const found = (isModern ? [modern] : [legacy, modern]).flatMap((name) => versionAbove(dirname(script), name) ?? []);
  return found.length === 1 ? found[0] : undefined;
}

function realFile(path: string): string | undefined {
  try {
    const file = realpathSync(path);
    return /\.[cm]?[jt]s$/.test(file) ? file : undefined;
  } catch {
    return undefined; // most words of a command are not files
  }
}

function versionAbove(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const info: unknown = JSON.parse(readFileSync(join(at, 'node_modules', name, 'package.json'), 'utf8'));
      return isObject(info) && typeof info.version === 'string' ? info.version : undefined;
    } catch {
      if (at === dirname(at)) return undefined; // it is in none of the folders above
    }
  }
}
