import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/temporary-folder.ts';
import { lacks, privateMode } from '../../../../test/fixtures/windows.ts';
import { FlowStore } from '../../../observe/flow/store.ts';
import { record } from '../../../observe/record/recorder.ts';
import { openPrivate, openPrivateSync, replacePrivately, replaceWatched } from './private-file.ts';

const folder = temporaryFolder('private');
let files = 0;
const fresh = () => join(folder, `file-${++files}`);

/** Records one note and returns the message of the failure, if any. */
async function recordTo(file: string): Promise<string | undefined> {
  const store = new FlowStore();
  let failure: Error | undefined;
  const recorder = record(store, { file, onFailure: (error) => (failure = error) });
  store.append('a', 1, { kind: 'note', text: 'a word' });
  await recorder.close();
  expect(failure === undefined || (failure as { code?: string }).code).toBe(failure ? 'FILE_NOT_PRIVATE' : true);
  return failure?.message;
}

test('a new file is accessible only to this user, whatever the umask', async () => {
  const before = process.umask(0);
  try {
    const file = fresh();
    expect(await recordTo(file)).toBeUndefined();
    expect(statSync(file).mode & 0o777).toBe(privateMode);
  } finally {
    process.umask(before);
  }
});

test('appends to a private file of this user', async () => {
  const file = fresh();
  await recordTo(file);
  await recordTo(file);
  expect(readFileSync(file, 'utf8').match(/a word/g)).toHaveLength(2);
});

test.skipIf(lacks.links)('does not follow a symbolic link, to a file or to a missing one', async () => {
  const [target, link, nowhere, dangling] = [fresh(), fresh(), fresh(), fresh()];
  writeFileSync(target, 'mine', { mode: 0o600 });
  symlinkSync(target, link);
  symlinkSync(nowhere, dangling);
  expect(await recordTo(link)).toBe(`${link} is a symbolic link. Use the path of the file itself.`);
  expect(await recordTo(dangling)).toBe(`${dangling} is a symbolic link. Use the path of the file itself.`);
  expect(() => openPrivateSync(link)).toThrow('is a symbolic link');
  expect(readFileSync(target, 'utf8')).toBe('mine');
  expect(existsSync(nowhere)).toBe(false);
});

test.skipIf(lacks.fileModes)('refuses a file that others can read or write, and does not change it', async () => {
  for (const mode of [0o644, 0o620, 0o606]) {
    const file = fresh();
    writeFileSync(file, 'before\n');
    chmodSync(file, mode);
    expect(await recordTo(file)).toContain(
      `is accessible to other users (mode 0${mode.toString(8)}). Run \`chmod 600 ${file}\``,
    );
    expect(() => openPrivateSync(file)).toThrow('is accessible to other users');
    expect(readFileSync(file, 'utf8')).toBe('before\n');
  }
});

test.skipIf(lacks.posixPrograms)('refuses a hard link, a pipe and a device', async () => {
  const [file, link, pipe] = [fresh(), fresh(), fresh()];
  writeFileSync(file, 'mine', { mode: 0o600 });
  linkSync(file, link);
  expect(await recordTo(link)).toContain('has more than one hard link');
  execFileSync('mkfifo', ['-m', '600', pipe]);
  expect(await recordTo(pipe)).toContain('is not a regular file');
  expect(await recordTo('/dev/null')).toContain('is not a regular file');
});

test.runIf(process.getuid?.() === 0)('refuses a file of another user', async () => {
  const file = fresh();
  writeFileSync(file, '', { mode: 0o600 });
  chownSync(file, 12_345, 12_345);
  await expect(openPrivate(file)).rejects.toThrow('belongs to the user with uid 12345');
});

test.skipIf(lacks.links)(
  'a file that is moved aside stays private, and a link in its place is replaced, not followed',
  async () => {
    const [file, target] = [fresh(), fresh()];
    writeFileSync(target, 'mine', { mode: 0o600 });
    symlinkSync(target, `${file}.1`);
    await recordTo(file);
    appendFileSync(file, ' '.repeat(10_000));
    const store = new FlowStore();
    const recorder = record(store, { file, maxFileBytes: 5_000 });
    store.append('a', 1, { kind: 'note', text: 'next' });
    await recorder.close();
    expect(readFileSync(target, 'utf8')).toBe('mine');
    for (const each of [file, `${file}.1`]) expect(statSync(each).mode & 0o777).toBe(privateMode);
    expect(readFileSync(`${file}.1`, 'utf8')).toContain('a word');
  },
);

test.skipIf(lacks.links)('replaces a file as a whole, and does not follow a link in its place', () => {
  const [file, target] = [fresh(), fresh()];
  writeFileSync(target, 'mine');
  symlinkSync(target, file);
  replacePrivately(file, 'new');
  expect([readFileSync(file, 'utf8'), readFileSync(target, 'utf8')]).toEqual(['new', 'mine']);
  expect(statSync(file).mode & 0o777).toBe(privateMode);
  expect(() => replacePrivately(join(folder, 'no', 'folder'), 'x')).toThrow('ENOENT');
  expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
});

test('replaces a file that this process is reading after the read has ended', async () => {
  const file = fresh();
  replacePrivately(file, 'old');
  const descriptor = openSync(file, 'r');
  const replaced = replaceWatched(file, 'new');
  setTimeout(() => closeSync(descriptor), 100);
  await replaced;
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['new', privateMode]);
  await expect(replaceWatched(join(folder, 'no', 'folder'), 'x')).rejects.toThrow('ENOENT');
  expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
});
