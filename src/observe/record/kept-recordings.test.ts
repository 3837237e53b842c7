import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  keptFolder,
  keptRecording,
  keptRecordings,
  newKeptRecording,
  pruneKept,
  removeKept,
} from './kept-recordings.ts';

const isWindows = process.platform === 'win32';
const variable = isWindows ? 'LOCALAPPDATA' : 'XDG_STATE_HOME';
const before = process.env[variable];
const state = mkdtempSync(join(tmpdir(), 'standpipe-kept-'));
beforeAll(() => {
  process.env[variable] = state;
});
afterEach(() => rmSync(keptFolder(), { recursive: true, force: true }));
afterAll(() => {
  if (before === undefined) delete process.env[variable];
  else process.env[variable] = before;
  rmSync(state, { recursive: true });
});

let ages = 1_000_000;

/** Creates a recording of this size that is newer than the previous ones. */
async function kept(server: string, bytes = 10): Promise<string> {
  const file = await newKeptRecording(server);
  truncateSync(file, bytes);
  utimesSync(file, ++ages, ages);
  return file;
}

const names = async () => (await keptRecordings()).map(({ name }) => name);

test('a recording has the name of its server and the next number', async () => {
  await kept('weather');
  await kept('weather');
  await kept('my server/é');
  await kept('weather-2');
  await kept('..');
  expect(await names()).toEqual(['weather-1', 'weather-2', 'my-server--1', 'weather-2-1', 'server-1']);
  await removeKept('weather-1');
  await kept('weather');
  expect(await names()).toContain('weather-3');
});

test.skipIf(isWindows)('folder and file are private', async () => {
  const file = await kept('weather');
  expect(statSync(keptFolder()).mode & 0o777).toBe(0o700);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  chmodSync(keptFolder(), 0o755);
  await expect(kept('weather')).rejects.toMatchObject({ code: 'FILE_NOT_PRIVATE' });
});

test.skipIf(isWindows)('a link in place of the folder is refused', async () => {
  mkdirSync(join(state, 'elsewhere'), { mode: 0o700 });
  mkdirSync(join(keptFolder(), '..'), { recursive: true });
  symlinkSync(join(state, 'elsewhere'), keptFolder());
  await expect(kept('weather')).rejects.toMatchObject({ code: 'FILE_NOT_PRIVATE' });
});

test('taps that start at the same time get different files', async () => {
  const files = await Promise.all(Array.from({ length: 20 }, () => newKeptRecording('weather')));
  expect(new Set(files).size).toBe(20);
});

test('the oldest recordings are removed for a new one, by number and by bytes, but none in use', async () => {
  const used = await kept('a');
  for (const server of ['b', 'c', 'd']) await kept(server, 100);
  const isUsed = (file: string) => file === used;
  await newKeptRecording('e', isUsed, { mostRecordings: 4, mostBytes: 1000 });
  expect((await names()).sort()).toEqual(['a-1', 'c-1', 'd-1', 'e-1']);
  await newKeptRecording('f', isUsed, { mostRecordings: 100, mostBytes: 110 });
  expect((await names()).sort()).toEqual(['a-1', 'd-1', 'e-1', 'f-1']);
});

test('rotated files belong to a recording, and are removed with it', async () => {
  const file = await kept('weather', 10);
  writeFileSync(`${file}.1`, 'x'.repeat(50));
  expect(await keptRecordings()).toMatchObject([{ name: 'weather-1', bytes: 60, file }]);
  await pruneKept({ mostRecordings: 0, mostBytes: 0 });
  expect(readdirSync(keptFolder())).toEqual([]);
});

test('a name leads to its file; others are not looked for', async () => {
  const file = await kept('weather');
  expect(keptRecording('weather-1')).toBe(file);
  writeFileSync(join(state, 'outside-1.jsonl'), '');
  for (const name of ['weather-2', 'weather', '../outside-1', file, '']) expect(keptRecording(name)).toBeUndefined();
  await expect(removeKept('wether-1')).rejects.toMatchObject({
    code: 'NAME_UNKNOWN',
    hint: 'Did you mean "weather-1"? There are: weather-1',
  });
  await expect(removeKept('../outside-1')).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
  expect(existsSync(join(state, 'outside-1.jsonl'))).toBe(true);
});
