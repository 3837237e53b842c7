import { closeSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/temporary-folder.ts';
import { privateMode } from '../../../../test/fixtures/windows.ts';
import { BoundedLog } from './bounded-log.ts';
import { openPrivateSync } from './private-file.ts';

test('a log keeps its newest lines, in two private files of limited size', () => {
  const file = join(temporaryFolder('log'), 'host.log');
  const descriptor = openPrivateSync(file);
  const log = new BoundedLog(file, descriptor, 1000);
  for (let line = 0; line < 500; line++) log.write(`line ${line}\n`);
  const [now, before] = [file, `${file}.1`].map((each) => readFileSync(each, 'utf8'));
  const lines = `${before}${now}`.trimEnd().split('\n');
  expect(lines).toEqual(lines.map((_, at) => `line ${500 - lines.length + at}`));
  for (const each of [file, `${file}.1`]) {
    expect(statSync(each).size).toBeLessThanOrEqual(1000);
    expect(statSync(each).mode & 0o777).toBe(privateMode);
  }
  closeSync(descriptor);
  expect(() => log.write('the descriptor is closed')).not.toThrow();
});
