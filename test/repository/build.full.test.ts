// The contents of dist/ after a build.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { copyRepository } from './files.ts';

const folder = temporaryFolder('build');

test('a build removes files of earlier ones, and keeps the page unchanged', async () => {
  const copy = join(folder, 'copy');
  copyRepository(copy);
  const dist = (path: string) => join(copy, 'dist', path);
  const stale = ['base/left-over.js', 'left-over/deep/module.js', 'cli/left-over.cjs'];
  for (const path of [...stale, 'ui/assets/page.js']) {
    mkdirSync(dirname(dist(path)), { recursive: true });
    writeFileSync(dist(path), '');
  }
  // Types are checked by another command.
  await promisify(execFile)(process.execPath, [join(copy, 'scripts/build.mjs'), '--noCheck']);
  expect([...stale, 'left-over'].filter((path) => existsSync(dist(path)))).toEqual([]);
  const built = ['ui/assets/page.js', 'entry/index.js', 'entry/index.d.ts', 'cli/main.cjs', 'cli/commander.LICENSE'];
  expect(built.filter((path) => !existsSync(dist(path)))).toEqual([]);
});
