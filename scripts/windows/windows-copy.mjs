// A copy of the checkout below the Wine root, with the packages of win32 instead of those of Linux, in a folder whose
// path has a space and a non-ASCII letter. The packages are kept until package.json or the lock file changes.

import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installArguments, root, run } from '../prepare.mjs';
import { wineRoot } from './wine-root.mjs';

const notCopied = ['.git', 'node_modules'];
const named = ['package.json', 'package-lock.json'];

/** Each checkout has its own copy. Inside the root, `place` is drive W:. */
export const place = `/copies/${createHash('sha256').update(root).digest('hex').slice(0, 12)}`;
export const placeInWine = `${place}/Standpipe tést`;

export async function copyForWindows() {
  const folder = join(wineRoot, placeInWine);
  mkdirSync(folder, { recursive: true });
  const isSame = named.every((name) => textOf(join(root, name)) === textOf(join(folder, name)));
  const kept = isSame && existsSync(join(folder, 'node_modules', '.package-lock.json')) ? ['node_modules'] : [];
  for (const name of readdirSync(folder))
    if (!kept.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
  for (const name of readdirSync(root))
    if (!notCopied.includes(name))
      cpSync(join(root, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
  if (kept.length > 0) return;
  const platform = ['--os=win32', '--cpu=x64', '--ignore-scripts'];
  const { code, output } = await run('npm', [...installArguments, ...platform], 'pipe', { cwd: folder });
  if (code !== 0) throw new Error(`npm could not install the packages of win32:\n${output}`);
}

const textOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
