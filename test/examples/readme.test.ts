// The programs of the README and of the pages beside it, run and type-checked as they stand there. Each names its file in
// its first line, and says behind `//` what it prints.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../repository/files.ts';
import { codeBlocks } from '../repository/markdown.ts';

const run = promisify(execFile);

const pages = {
  'README.md': ['use-weather.mjs', 'client.mjs', 'host.mjs', 'framing.mjs'],
  'docs/server.md': ['try-weather.mjs'],
  'docs/client.md': ['client.mjs', 'answering.mjs'],
  'docs/host.md': ['host.mjs', 'without-file.mjs'],
};

// Inside the repository, where 'standpipe' means this package; ignored by git.
mkdirSync(join(root, '.standpipe'), { recursive: true });

describe.each(Object.entries(pages))('%s', (page, expected) => {
  const programs = codeBlocks(readFileSync(join(root, page), 'utf8'))
    .filter(({ language }) => /^(?:[mc]?[jt]sx?|javascript|typescript)$/.test(language))
    .map(({ language, code }) => ({ language, code, file: /^\/\/ ([\w-]+\.mjs)\n/.exec(code)?.[1] ?? '' }));
  const folder = mkdtempSync(join(root, '.standpipe', 'page-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  for (const { file, code } of programs) if (file) writeFileSync(join(folder, file), code);

  /** Servers wait for a client; the programs that start them are the ones to run. */
  const started = programs.filter(({ code }) => !/new StdioServerTransport\(|serveStdio\(/.test(code));

  test('every block of code is a program with a name', () => {
    expect(programs.filter(({ language, file }) => language !== 'js' || file === '')).toEqual([]);
    expect(started.map(({ file }) => file)).toEqual(expected);
  });

  test.each(started)('$file prints what its comments say', async ({ file, code }) => {
    const printed = [...code.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map((match) => match[1]);
    const { stdout } = await run(process.execPath, [file], { cwd: folder });
    expect(stdout.trimEnd().split('\n')).toEqual(printed);
  });

  test('all of them pass the type checker', async () => {
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
    const files = programs.map(({ file }) => file);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error);
    expect(stdout).toBe('');
  });
});
