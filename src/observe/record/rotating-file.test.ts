import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { RotatingFile } from './rotating-file.ts';

const folder = temporaryFolder('rotating');

test('a process that exits while the file is being opened loses no lines', async () => {
  const path = join(folder, 'ends.jsonl');
  const file = new RotatingFile({ path, maxFileBytes: 1e6, maxFiles: 1, header: () => 'header' });
  const appending = file.append(Buffer.from('first\n'));
  expect(file.hasUnwritten).toBe(true);
  file.appendSync(Buffer.from('last\n'));
  expect(readFileSync(path, 'utf8')).toBe('\nheader\nfirst\nlast\n');
  await appending; // an exiting process would not await this
  expect(file.hasUnwritten).toBe(false);
  await file.close();
});

test('a process that exits while lines are written leaves each at least once', async () => {
  const path = join(folder, 'writes.jsonl');
  const file = new RotatingFile({ path, maxFileBytes: 1e6, maxFiles: 1, header: () => 'header' });
  await file.append(Buffer.from('first\n'));
  const appending = file.append(Buffer.from('second\n'));
  file.appendSync(Buffer.from('last\n'));
  expect(readFileSync(path, 'utf8')).toMatch(/^header\nfirst\n(second\n)+last\n(second\n)?$/);
  await appending;
  await file.close();
});
