import { chmodSync, chownSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { lacks } from '../../../test/fixtures/windows.ts';
import { ensureRuntimeFolder, isTrusted } from './runtime-folder.ts';

const base = temporaryFolder('runtime-folder');

test.runIf(process.getuid?.() === 0)('refuses a folder of another user, with a fix that the user can apply', () => {
  const folder = join(base, 'squatted');
  mkdirSync(folder, { mode: 0o700 });
  chownSync(folder, 12_345, 12_345);
  expect(isTrusted(folder)).toBe(false);
  expect(() => ensureRuntimeFolder(folder)).toThrow(
    expect.objectContaining({
      code: 'RUNTIME_FOLDER_UNUSABLE',
      message: `The runtime folder ${folder} cannot be used: it belongs to the user with uid 12345`,
      hint: expect.stringMatching(/^Set XDG_RUNTIME_DIR to a folder of your own/),
    }),
  );
});

test.skipIf(lacks.fileModes)('refuses a link, and closes a folder that others can read', () => {
  const [folder, link] = [join(base, 'open'), join(base, 'link')];
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  symlinkSync(folder, link);
  expect([isTrusted(folder), isTrusted(link)]).toEqual([false, false]);
  expect(() => ensureRuntimeFolder(link)).toThrow('it is not a folder');
  ensureRuntimeFolder(folder);
  expect([lstatSync(folder).mode & 0o777, isTrusted(folder)]).toEqual([0o700, true]);
});
