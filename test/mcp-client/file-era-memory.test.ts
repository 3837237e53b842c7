// The memory of eras that outlives a program: a cache that nothing can break.

import { chmodSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileEraMemory } from '../../src/connect/file-era-memory.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const folder = temporaryFolder('eras');

let files = 0;
const newFile = () => join(folder, `sub-${++files}`, 'eras.json');
const keyOf = (...args: string[]) => JSON.stringify(['node', args, folder]);

test('what one program found, the next one knows; the file is private and names no command', () => {
  const file = newFile();
  new FileEraMemory(file).set(keyOf('--token=s3cret'), 'legacy');
  expect(new FileEraMemory(file).get(keyOf('--token=s3cret'))).toBe('legacy');
  expect(new FileEraMemory(file).get(keyOf('--token=other'))).toBeUndefined();
  expect(readFileSync(file, 'utf8')).not.toContain('s3cret');
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  new FileEraMemory(file).delete(keyOf('--token=s3cret'));
  expect(new FileEraMemory(file).get(keyOf('--token=s3cret'))).toBeUndefined();
});

test('a script that was changed is asked again', () => {
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

test('an entry holds for a day, and one from the future for nothing', () => {
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

test('it is bounded; the newest stay, and the file stays readable', () => {
  const file = newFile();
  const memory = new FileEraMemory(file);
  for (let n = 0; n < 510; n++) memory.set(keyOf(`${n}`), 'legacy');
  expect([memory.get(keyOf('0')), memory.get(keyOf('509'))]).toEqual([undefined, 'legacy']);
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toHaveLength(500);
});

test('a folder that cannot be written to fails nothing', () => {
  const file = newFile();
  writeFileSync(join(file, '..'), 'a file where the folder should be');
  const memory = new FileEraMemory(file);
  memory.set(keyOf('x'), 'legacy');
  expect(memory.get(keyOf('x'))).toBeUndefined();
  memory.delete(keyOf('x'));
});

// The superuser may read everything.
test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'a file that may not be read counts as empty',
  () => {
    const file = newFile();
    new FileEraMemory(file).set(keyOf('x'), 'legacy');
    chmodSync(file, 0o000);
    expect(new FileEraMemory(file).get(keyOf('x'))).toBeUndefined();
  },
);
