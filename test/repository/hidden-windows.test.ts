// On Windows, a program without a console opens a console window for each process that it starts, unless the window is
// hidden.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryFiles, root } from './files.ts';

const calls = /(?<![.\w'`])(?:spawn|spawnSync|fork|exec|execSync|execFile|execFileSync)\(/g;

function unhidden(source: string): number {
  const code = source.replaceAll(/^\s*\/\/.*$/gm, '');
  if (!/from 'node:child_process'/.test(code)) return 0;
  const count = (pattern: RegExp) => code.match(pattern)?.length ?? 0;
  return count(calls) - count(/\bwindowsHide: true\b/g);
}

test('every process is started with windowsHide', () => {
  const sources = repositoryFiles('src').filter((file) => /(?<!\.(?:test|contract|d))\.ts$/.test(file));
  const starting = sources.filter((file) => /from 'node:child_process'/.test(readFileSync(join(root, file), 'utf8')));
  expect(starting).toContain('src/wire/process/server-process.ts');
  expect(starting.filter((file) => unhidden(readFileSync(join(root, file), 'utf8')) > 0)).toEqual([]);
});

test('detects a call without it', () => {
  const source =
    "import { spawn } from 'node:child_process';\n// spawn(x)\nconst child = spawn('x', []);\nmatch.exec(text);";
  expect(unhidden(source)).toBe(1);
  expect(unhidden(source.replace('[]', '[], { windowsHide: true }'))).toBe(0);
});
