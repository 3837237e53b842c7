// The memory of eras in a file that all programs share: a cache that tolerates any damage.

import { chmodSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileEraMemory } from '../../src/connect/file-era-memory.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const folder = temporaryFolder('eras');

let files = 0;
const newFile = () => join(folder, `sub-${++files}`, 'eras.json');
const keyOf = (...args: string[]) => JSON.stringify(['node', args, folder]);

test('shares eras between programs, in a private file without commands', () => {
  const file = newFile();
  new FileEraMemory(file).set(keyOf('--token=s3cret'), 'legacy');
  expect(new FileEraMemory(file).get(keyOf('--token=s3cret'))).toBe('legacy');
  expect(new FileEraMemory(file).get(keyOf('--token=other'))).toBeUndefined();
  expect(readFileSync(file, 'utf8')).not.toContain('s3cret');
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  new FileEraMemory(file).delete(keyOf('--token=s3cret'));
  expect(new FileEraMemory(file).get(keyOf('--token=s3cret'))).toBeUndefined();
});

test('probes a changed script again', () => {
  const memory = new FileEraMemory(newFile());
  const script = join(folder, 'server.py');
  writeFileSync(script, '');
  for (const word of [script, 'server.py']) {
    memory.set(keyOf('-u', word), 'legacy');
    expect(memory.get(keyOf('-u', word))).toBe('legacy');
    utimesSync(script, 1, files++);
    expect(memory.get(keyOf('-u', word))).toBeUndefined();
  }
});

test('an entry is valid for a day, and one from the future is invalid', () => {
  const file = newFile();
  const dayMs = 24 * 60 * 60 * 1000;
  new FileEraMemory(file, () => dayMs).set(keyOf('x'), 'modern');
  expect(new FileEraMemory(file, () => 2 * dayMs - 1).get(keyOf('x'))).toBe('modern');
  expect(new FileEraMemory(file, () => 2 * dayMs).get(keyOf('x'))).toBeUndefined();
  expect(new FileEraMemory(file, () => dayMs - 1).get(keyOf('x'))).toBeUndefined();
});

test.each([
  ['no JSON', '{"a":'],
  ['an array', '[1, 2]'],
  ['null', 'null'],
  ['other shapes', '{"a": 1, "b": {"era": "stone", "atMs": 1}, "c": {"era": "legacy", "atMs": "now"}}'],
  ['too much', `{"a": "${'x'.repeat(100_000)}"}`],
  ['bytes', '\0\u0001\ufffd'],
])('a file with %s counts as empty and is replaced', (_what, text) => {
  const file = newFile();
  mkdirSync(join(file, '..'));
  writeFileSync(file, text);
  const memory = new FileEraMemory(file);
  expect(memory.get(keyOf('x'))).toBeUndefined();
  memory.set(keyOf('x'), 'transcript');
  expect(memory.get(keyOf('x'))).toBe('transcript');
});

test('the file is bounded: the newest entries stay, and the file stays readable', () => {
  const file = newFile();
  const memory = new FileEraMemory(file);
  for (let n = 0; n < 510; n++) memory.set(keyOf(`${n}`), 'legacy');
  expect([memory.get(keyOf('0')), memory.get(keyOf('509'))]).toEqual([undefined, 'legacy']);
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toHaveLength(500);
});

test('ignores a folder that is not writable', () => {
  const file = newFile();
  writeFileSync(join(file, '..'), 'a file where the folder should be');
  const memory = new FileEraMemory(file);
  memory.set(keyOf('x'), 'legacy');
  expect(memory.get(keyOf('x'))).toBeUndefined();
  memory.delete(keyOf('x'));
});

// The superuser can read every file.
test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'a file without read permission counts as empty',
  () => {
    const file = newFile();
    new FileEraMemory(file).set(keyOf('x'), 'legacy');
    chmodSync(file, 0o000);
    expect(new FileEraMemory(file).get(keyOf('x'))).toBeUndefined();
  },
);
