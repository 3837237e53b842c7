import { expect, test } from 'vitest';
import { renameOver, renameOverSync } from './rename-over.ts';

/** A rename that fails once with each of these codes, then succeeds. */
function failing(...codes: string[]) {
  const left = [...codes];
  let attempts = 0;
  const rename = () => {
    attempts++;
    const code = left.shift();
    if (code) throw Object.assign(new Error(code), { code });
  };
  return { rename, attempts: () => attempts };
}

const both = [
  ['renameOverSync', async (...args: Parameters<typeof renameOverSync>) => renameOverSync(...args)],
  ['renameOver', renameOver],
] as const;

for (const [name, renamed] of both) {
  test(`${name} retries while the target is open on Windows`, async () => {
    const { rename, attempts } = failing('EPERM', 'EBUSY', 'EACCES');
    await renamed('a', 'b', { platform: 'win32', rename });
    expect(attempts()).toBe(4);
  });

  test(`${name} gives up after a limit, with the error of the system`, async () => {
    const { rename, attempts } = failing(...Array<string>(50).fill('EPERM'));
    await expect(renamed('a', 'b', { platform: 'win32', rename })).rejects.toMatchObject({ code: 'EPERM' });
    expect(attempts()).toBe(10);
  });

  test.each([
    ['win32', 'ENOENT'],
    ['linux', 'EPERM'],
    ['darwin', 'EBUSY'],
  ] as const)(`${name} does not wait on %s for %s`, async (platform, code) => {
    const { rename, attempts } = failing(code);
    await expect(renamed('a', 'b', { platform, rename })).rejects.toMatchObject({ code });
    expect(attempts()).toBe(1);
  });
}
