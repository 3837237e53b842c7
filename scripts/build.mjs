// `npm run build`: builds dist/ from the sources. The library and the command line are bundled, and the types are
// compiled file by file; dist/ui has a separate build. Files of earlier builds are removed last, one by one, so that a
// running program finds all its files. Arguments are passed to the compiler.

import { spawnSync } from 'node:child_process';
import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleCommandLine, bundleLibrary } from './bundle.mjs';
import { root } from './prepare.mjs';

const dist = join(root, 'dist');
const builtElsewhere = join(dist, 'ui');

const written = [
  ...compileTypes(process.argv.slice(2)),
  ...(await bundleLibrary(dist)),
  ...(await bundleCommandLine(join(dist, 'cli'))),
];
removeAllBut(new Set(written), dist);

/** Returns the written files. */
function compileTypes(options) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--listEmittedFiles', ...options];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = stdout.split('\n');
  const files = lines.filter((line) => line.startsWith('TSFILE: ')).map((line) => resolve(line.slice(8).trim()));
  if (status === 0) return files;
  console.error(lines.filter((line) => !line.startsWith('TSFILE: ')).join('\n'));
  process.exit(status ?? 1);
}

/** Returns true if the folder is empty afterwards. */
function removeAllBut(kept, folder) {
  let isEmpty = true;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (path === builtElsewhere || kept.has(path)) isEmpty = false;
    else if (!entry.isDirectory()) rmSync(path, { force: true });
    else if (removeAllBut(kept, path)) rmdirSync(path);
    else isEmpty = false;
  }
  return isEmpty;
}
