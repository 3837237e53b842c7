import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { rewriteFile } from './rewrite-file.ts';

const folder = temporaryFolder('rewrite');
const isWindows = process.platform === 'win32';
let files = 0;

function fileWith(content: string | Uint8Array): string {
  const file = join(folder, `${++files}.json`);
  writeFileSync(file, content, { mode: 0o640 });
  return file;
}
const append = (text: string) => `${text}more\n`;
const backup = (path: string) => `${path}.before-edit`;

test('keeps permissions, byte order mark and encoding, and a copy of the original file', async () => {
  for (const encoding of ['utf8', 'utf16le'] as const) {
    const bytes = Buffer.from('\uFEFFü\r\n', encoding);
    const file = fileWith(bytes);
    const done = await rewriteFile(file, { rewrite: append, backup });
    expect(done).toMatchObject({
      isNew: false,
      before: 'ü\r\n',
      after: 'ü\r\nmore\n',
      backup: `${done.path}.before-edit`,
    });
    expect(readFileSync(file)).toEqual(Buffer.from('\uFEFFü\r\nmore\n', encoding));
    expect(readFileSync(done.backup!)).toEqual(bytes);
    for (const each of [file, done.backup!]) if (!isWindows) expect(statSync(each).mode & 0o777).toBe(0o640);
  }
});

test.runIf(process.getuid?.() === 0)('keeps the owner', async () => {
  const file = fileWith('x\n');
  chownSync(file, 12345, 54321);
  const { backup: kept } = await rewriteFile(file, { rewrite: append, backup });
  for (const each of [file, kept!]) expect(statSync(each)).toMatchObject({ uid: 12345, gid: 54321 });
});

test.skipIf(process.getuid?.() === 0 || isWindows)('names a read-only folder', async () => {
  const closed = join(folder, 'closed');
  mkdirSync(closed);
  writeFileSync(join(closed, 'mcp.json'), 'x\n');
  chmodSync(closed, 0o555);
  const refused = rewriteFile(join(closed, 'mcp.json'), { rewrite: append });
  await expect(refused).rejects.toMatchObject({ code: 'FILE_NOT_WRITABLE', hint: expect.stringContaining(closed) });
  chmodSync(closed, 0o755);
});

test('writes nothing without a change or in a dry run', async () => {
  const file = fileWith('x\n');
  const { ino } = statSync(file);
  expect(await rewriteFile(file, { rewrite: (text) => text, backup })).toMatchObject({ backup: undefined });
  expect(await rewriteFile(file, { rewrite: append, backup, dryRun: true })).toMatchObject({ after: 'x\nmore\n' });
  const missing = join(folder, 'dry', 'run.json');
  expect(await rewriteFile(missing, { rewrite: append, create: true, dryRun: true })).toMatchObject({ isNew: true });
  expect(statSync(file).ino).toBe(ino);
  expect(readdirSync(folder).filter((name) => name.startsWith('dry') || name.includes(`${files}.json.`))).toEqual([]);
});

test.skipIf(isWindows)('replaces the target of a link, and creates it if it is missing', async () => {
  const file = fileWith('x\n');
  const [link, dangling] = [join(folder, 'link.json'), join(folder, 'dangling.json')];
  symlinkSync(file, link);
  symlinkSync('next.json', dangling);
  symlinkSync('created.json', join(folder, 'next.json'));
  await rewriteFile(link, { rewrite: append, backup });
  await rewriteFile(dangling, { rewrite: append, create: true, isPrivate: true });
  for (const each of [link, dangling]) expect(lstatSync(each).isSymbolicLink()).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('x\nmore\n');
  expect(readFileSync(join(folder, 'created.json'), 'utf8')).toBe('more\n');
  expect(statSync(join(folder, 'created.json')).mode & 0o777).toBe(0o600);
});

test('applies all simultaneous changes', async () => {
  const file = join(folder, 'new', 'deep', 'many.txt');
  const names = Array.from({ length: 8 }, (_, index) => `${index}`);
  await Promise.all(
    names.map((name) => rewriteFile(file, { rewrite: (text) => `${text}${name}\n`, create: true, backup })),
  );
  expect(readFileSync(file, 'utf8').trim().split('\n').sort()).toEqual(names);
  expect(readdirSync(join(folder, 'new', 'deep')).sort()).toEqual(['many.txt', 'many.txt.before-edit']);
});

test('keeps a simultaneous change of another program', async () => {
  const file = fileWith('x\n');
  let calls = 0;
  const rewrite = (text: string) => {
    if (++calls <= 2) writeFileSync(file, `${text}by another\n`);
    return append(text);
  };
  expect((await rewriteFile(file, { rewrite })).after).toBe('x\nby another\nby another\nmore\n');
  const keepsChanging = (text: string) => {
    writeFileSync(file, `${++calls}`);
    return append(text);
  };
  await expect(rewriteFile(file, { rewrite: keepsChanging })).rejects.toMatchObject({
    code: 'FILE_NOT_WRITABLE',
    message: expect.stringContaining('another program'),
  });
});

test('refuses a file that cannot be read or written, and does not change it', async () => {
  const readOnly = fileWith('x\n');
  chmodSync(readOnly, 0o440);
  const notText = fileWith(Buffer.from([0x7b, 0xff, 0x7d]));
  const asFolder = join(folder, 'folder.json');
  mkdirSync(asFolder);
  await expect(rewriteFile(readOnly, { rewrite: append })).rejects.toMatchObject({ code: 'FILE_NOT_WRITABLE' });
  await expect(rewriteFile(notText, { rewrite: append })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(rewriteFile(asFolder, { rewrite: append })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(rewriteFile(join(folder, 'no.json'), { rewrite: append })).rejects.toMatchObject({
    code: 'CONFIG_NOT_FOUND',
  });
  const below = join(readOnly, 'mcp.json'); // a file is in the place of a folder
  await expect(rewriteFile(below, { rewrite: append, create: true })).rejects.toMatchObject({
    code: 'FILE_NOT_WRITABLE',
  });
  expect(readFileSync(readOnly, 'utf8')).toBe('x\n');
  expect(readFileSync(notText)).toEqual(Buffer.from([0x7b, 0xff, 0x7d]));
});

test.skipIf(isWindows)('a FIFO is neither read nor replaced', async () => {
  const fifo = join(folder, 'fifo.json');
  execFileSync('mkfifo', [fifo]);
  await expect(rewriteFile(fifo, { rewrite: append, backup })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('it is not a regular file'),
  });
  expect(statSync(fifo).isFIFO()).toBe(true);
});
