// Lock files install the same packages on every platform and from every registry. npm writes an entry only for an optional package that
// its registry has: a lock file made against an incomplete registry lacks the binaries of other platforms, and npm then installs
// none there, without an error.

import { readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryFiles, root } from './files.ts';

interface LockedPackage {
  version?: string;
  integrity?: string;
  os?: string[];
  cpu?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

type Packages = Record<string, LockedPackage>;

const locks = repositoryFiles().filter((file) => basename(file) === 'package-lock.json');
const readText = (file: string) => readFileSync(join(root, file), 'utf8');

test('finds the lock files', () => {
  expect(locks).toEqual(expect.arrayContaining(['bench/package-lock.json', 'package-lock.json']));
});

describe.each(locks)('%s', (lock) => {
  const packages: Packages = JSON.parse(readText(lock)).packages;
  const installed = Object.entries(packages).filter(([path]) => path !== '');

  test('has versions and no addresses, so it is valid for any registry', () => {
    expect(readText(lock)).not.toContain('"resolved"');
  });

  test('has the integrity of every package', () => {
    expect(installed.filter(([, { integrity }]) => !integrity).map(([path]) => path)).toEqual([]);
  });

  test('agrees with package.json, because npm ci requires it', () => {
    const manifest: LockedPackage = JSON.parse(readText(posix.join(dirname(lock), 'package.json')));
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;
    for (const kind of kinds) expect(packages['']?.[kind]).toEqual(manifest[kind]);
  });

  test('has the optional packages of every platform', () => {
    expect(missingOptional(packages)).toEqual([]);
  });
});

test('detects packages that an incomplete registry omits', () => {
  const packages: Packages = {
    '': { optionalDependencies: { absent: '^1.0.0' } },
    'node_modules/tool': {
      optionalDependencies: {
        'tool-linux': '1.0.0',
        'tool-win32': '1.0.0',
        'tool-darwin': '1.0.0',
        'tool-wasm': '1.0.0',
      },
    },
    'node_modules/tool-linux': { version: '1.0.0', os: ['linux'] },
    'node_modules/tool/node_modules/tool-darwin': { version: '1.0.0' },
    'node_modules/tool-wasm': { version: '1.1.0', cpu: ['wasm32'] },
  };
  expect(missingOptional(packages)).toEqual([
    'package.json: absent is missing',
    'node_modules/tool: tool-win32 is missing',
    'node_modules/tool: tool-darwin has no os or cpu',
    'node_modules/tool: tool-wasm is 1.1.0 instead of 1.0.0',
  ]);
});

/** Platform packages come as a set: if one optional package of a package has `os` or `cpu`, each has. */
function missingOptional(packages: Packages): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) => {
    const found = Object.entries(optionalDependencies).map(([name, wanted]) => {
      return { name, wanted, locked: resolve(packages, path, name) };
    });
    const isPlatformSet = path !== '' && found.some(({ locked }) => locked?.os ?? locked?.cpu);
    return found.flatMap(({ name, wanted, locked }) => {
      const report = (what: string) => [`${path || 'package.json'}: ${name} ${what}`];
      if (!locked) return report('is missing');
      if (/^\d/.test(wanted) && locked.version !== wanted) return report(`is ${locked.version} instead of ${wanted}`);
      return isPlatformSet && !locked.os && !locked.cpu ? report('has no os or cpu') : [];
    });
  });
}

/** Resolves a package like Node.js: in the nearest node_modules. */
function resolve(packages: Packages, from: string, name: string): LockedPackage | undefined {
  const locked = packages[posix.join(from, 'node_modules', name)];
  if (locked || from === '') return locked;
  return resolve(packages, from.slice(0, Math.max(0, from.lastIndexOf('node_modules') - 1)), name);
}
