import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { open, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../../test/fixtures/server.ts';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { lacks } from '../../../test/fixtures/windows.ts';
import { ManualClock } from '../../base/clock.ts';
import { fromDisk } from './disk.ts';

const folder = temporaryFolder('disk');
let files = 0;

function fifo(): string {
  const path = join(folder, `${++files}.json`);
  execFileSync('mkfifo', [path]);
  return path;
}

test.skipIf(lacks.posixPrograms)(
  'a FIFO without a writer, or with a silent writer, is an error after 10 s',
  async () => {
    for (const hasWriter of [false, true]) {
      const clock = new ManualClock();
      const path = fifo();
      const writer = hasWriter ? await open(path, constants.O_RDWR) : undefined;
      const read = expect(fromDisk(path, clock)).rejects.toThrow(
        'it is not a regular file, and nothing was written to it for 10 s',
      );
      for (let ms = 0; ms < 10_000; ms += 2500) {
        await until('it waits', () => clock.pending > 0);
        clock.advance(2500);
      }
      await read;
      await writer?.close();
    }
  },
);

test.skipIf(lacks.posixPrograms)('reads a FIFO from its writer, in any number of parts', async () => {
  const path = fifo();
  const read = fromDisk(path);
  await writeFile(path, 'x'.repeat(200_000));
  expect((await read).toString()).toBe('x'.repeat(200_000));
});

test.skipIf(lacks.posixPrograms)('an endless device is an error, and an empty one is an empty file', async () => {
  const link = join(folder, 'zero.json');
  await symlink('/dev/zero', link);
  await expect(fromDisk(link)).rejects.toThrow('it is not a regular file, and has more than 16777216 bytes');
  expect(await fromDisk('/dev/null')).toEqual(Buffer.alloc(0));
});
