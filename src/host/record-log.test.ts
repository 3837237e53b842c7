import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { RecordLog, type RecordLogOptions } from './record-log.ts';

const all = mkdtempSync(join(tmpdir(), 'standpipe-records-'));
afterAll(() => rmSync(all, { recursive: true, force: true }));
const temporaryFolder = () => mkdtempSync(join(all, 'host-'));

const isPosix = process.platform !== 'win32';
const record = (value: unknown, untilMs = Number.MAX_SAFE_INTEGER) => ({ value, untilMs, isFinal: false });

function logIn(folder: string, options: RecordLogOptions = {}) {
  const problems: string[] = [];
  const file = join(folder, 'host.records');
  const log = new RecordLog(file, { onProblem: ({ message }) => problems.push(message), ...options });
  return { file, log, problems, records: log.of('slow') };
}

test('the next host reads the last record of each id as one of an earlier host', async () => {
  const folder = temporaryFolder();
  const { records, log, file } = logIn(join(folder, 'made', 'here'));
  await Promise.all(Array.from({ length: 50 }, (_, at) => records.put(`${at}`, record({ at }))));
  await records.put('7', { ...record({ at: 'last' }), isFinal: true });
  await log.of('other').put('7', record('of the other server'));
  expect(await records.get('7')).toMatchObject({ value: { at: 'last' }, isFinal: true, isOrphaned: false });
  if (isPosix) expect(statSync(file).mode & 0o777).toBe(0o600);
  const next = logIn(join(folder, 'made', 'here'));
  expect(await next.records.get('7')).toMatchObject({ value: { at: 'last' }, isFinal: true, isOrphaned: true });
  expect(await next.records.get('8')).toMatchObject({ value: { at: 8 }, isFinal: false, isOrphaned: true });
  expect(await next.log.of('other').get('7')).toMatchObject({ value: 'of the other server' });
  expect(await next.records.get('none')).toBeUndefined();
});

test('skips a partly written line, and writes the next record completely', async () => {
  const folder = temporaryFolder();
  const { records, file } = logIn(folder);
  await records.put('1', record('first'));
  appendFileSync(file, readFileSync(file).subarray(0, 30));
  const second = logIn(folder);
  await second.records.put('2', record('second'));
  const third = logIn(folder);
  expect(await third.records.get('1')).toMatchObject({ value: 'first' });
  expect(await third.records.get('2')).toMatchObject({ value: 'second' });
  expect(third.problems).toEqual([]);
});

test('refuses further records without space, until others have expired', async () => {
  let nowMs = 0;
  const { records } = logIn(temporaryFolder(), { maxBytes: 1_000, nowMs: () => nowMs });
  await records.put('1', record('x'.repeat(500), 10));
  await expect(records.put('2', record('x'.repeat(500), 10))).rejects.toMatchObject({ code: 'SERVER_BUSY' });
  expect(await records.get('2')).toBeUndefined();
  nowMs = 10;
  await records.put('2', record('x'.repeat(500), 20));
  expect(await records.get('1')).toBeUndefined();
  await records.delete('2');
  await records.put('3', record('x'.repeat(500), 20));
});

test('the size of the file is proportional to its records, and it is removed with the last one', async () => {
  const folder = temporaryFolder();
  const { records, file, problems } = logIn(folder);
  for (let at = 0; at < 100; at++) await records.put(`${at % 7}`, record([at, 'x'.repeat(100_000)]));
  expect(statSync(file).size).toBeLessThan(2 * 7 * 101_000 + 1024 * 1024 + 101_000);
  const next = logIn(folder);
  for (const { records: each } of [{ records }, next]) {
    for (let at = 93; at < 100; at++)
      expect(await each.get(`${at % 7}`)).toMatchObject({ value: [at, expect.any(String)] });
  }
  expect(existsSync(`${file}.new`)).toBe(false);
  for (let at = 0; at < 7; at++) await records.delete(`${at}`);
  expect(existsSync(file)).toBe(false);
  await records.put('again', record('again'));
  expect(await records.get('again')).toMatchObject({ value: 'again' });
  expect(problems).toEqual([]);
});

test('a host removes a file whose records have all expired', async () => {
  const folder = temporaryFolder();
  const { records, file } = logIn(folder);
  await records.put('1', record('x', 10));
  await logIn(folder, { nowMs: () => 10 }).log.tidy();
  expect(existsSync(file)).toBe(false);
});

test.runIf(isPosix)('reports a file that cannot be used, and keeps records until the host ends', async () => {
  const shared = temporaryFolder();
  writeFileSync(join(shared, 'host.records'), '');
  chmodSync(join(shared, 'host.records'), 0o644);
  const blocked = temporaryFolder();
  mkdirSync(join(blocked, 'host.records'));
  const below = join(shared, 'host.records', 'below');
  for (const [folder, reason] of [
    [shared, /0644/],
    [blocked, /EISDIR|not a regular file/],
    [below, /ENOTDIR|EEXIST/],
  ] as const) {
    const { records, problems } = logIn(folder);
    await records.put('1', record('kept in memory by its owner'));
    await records.put('2', record('also'));
    expect(await records.get('1')).toBeUndefined();
    expect(problems).toEqual([expect.stringMatching(reason)]);
  }
});

test.runIf(isPosix)('refuses a record that cannot be written, and keeps earlier ones', async () => {
  const folder = temporaryFolder();
  const { records, file, problems } = logIn(folder);
  await records.put('1', record('first'));
  chmodSync(file, 0o644);
  await expect(records.put('2', record('second'))).rejects.toMatchObject({ message: 'The record was not kept' });
  expect(problems).toEqual([expect.stringContaining(file)]);
  chmodSync(file, 0o600);
  await records.put('3', record('third'));
  expect(await records.get('1')).toMatchObject({ value: 'first' });
  expect(await records.get('3')).toMatchObject({ value: 'third' });
});
