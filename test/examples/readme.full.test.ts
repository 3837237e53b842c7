// Runs and type-checks the programs in the docs, and type-checks those of the README, which readme-as-printed.full.test.ts runs.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../repository/files.ts';
import { blocksOf, expectedOutput, programsOf } from './page-programs.ts';

const run = promisify(execFile);

const pages = {
  'README.md': ['use-weather.mjs', 'client.mjs', 'host.mjs', 'framing.mjs'],
  'docs/server.md': ['try-weather.mjs'],
  'docs/client.md': ['client.mjs', 'answering.mjs', 'in-process.mjs'],
  'docs/host.md': ['host.mjs', 'without-file.mjs'],
  'docs/gateway.md': ['http-client.mjs', 'serve-greeter.mjs', 'in-an-application.mjs', 'serve-host.mjs'],
};

// The folder is inside the repository, where 'standpipe' resolves to this package; git ignores it.
mkdirSync(join(root, '.standpipe'), { recursive: true });
const folder = mkdtempSync(join(root, '.standpipe', 'pages-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const folderOf = (page: string) => join(folder, page.replace('/', '-'));

describe.each(Object.entries(pages))('%s', (page, expected) => {
  const programs = programsOf(page);
  const cwd = folderOf(page);
  mkdirSync(cwd);
  for (const { file, code } of programs) if (file) writeFileSync(join(cwd, file), code);

  /** Programs to run. Servers are excluded: these programs start them. */
  const started = programs.filter(({ code }) => !/new StdioServerTransport\(|serveStdio\(/.test(code));

  test('every code block is a program with a file name', () => {
    expect(programs.filter(({ language, file }) => language !== 'js' || file === '')).toEqual([]);
    expect(started.map(({ file }) => file)).toEqual(expected);
  });

  test.skipIf(page === 'README.md').each(started)('$file prints the output in its comments', async ({ file, code }) => {
    const { stdout } = await run(process.execPath, [file], { cwd });
    expect(stdout.split('\n').slice(0, -1)).toEqual(expectedOutput(code));
  });

  const servers = programs.filter((program) => !started.includes(program));
  test.skipIf(page === 'README.md').each(servers)('$file prints nothing to stdout', async ({ file, code }) => {
    const running = run(process.execPath, [file], { cwd });
    running.child.stdin!.end();
    const { stdout, stderr } = await running;
    expect(stdout).toBe('');
    expect(stderr !== '').toBe(code.includes('console.log('));
  });
});

test('all programs pass the type checker', async () => {
  const compilerOptions = {
    allowJs: true,
    checkJs: true,
    strict: true,
    noImplicitAny: false,
    noEmit: true,
    target: 'ES2023',
    module: 'NodeNext',
    types: ['node'],
    skipLibCheck: true,
  };
  const files = Object.keys(pages).flatMap((page) => programsOf(page).map(({ file }) => join(folderOf(page), file)));
  expect(files).toHaveLength(new Set(files).size);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error);
  expect(stdout).toBe('');
});

test('the code blocks of README.zh-CN.md are those of README.md', () => {
  expect(blocksOf('README.zh-CN.md')).toEqual(blocksOf('README.md'));
});
