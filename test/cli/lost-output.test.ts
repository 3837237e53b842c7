// Results that cannot be written: the exit code must report the failure.

import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cleanEnv, everything, everythingEntry, finished, folder, program, writeConfig } from './run-cli.ts';

const config = ['--config', writeConfig('lost-output.json', { everything: everythingEntry })];
const full = '/dev/full';

/** Runs a command whose stdout or stderr is on a full disk. */
function onFullDisk(args: readonly string[], which: 'stdout' | 'stderr' = 'stdout') {
  const fd = openSync(full, 'w');
  const command = which === 'stdout' ? 'exec "$@" >&3' : 'exec "$@" 2>&3';
  const child = spawn('sh', ['-c', command, 'sh', process.execPath, program, ...args], {
    cwd: folder,
    env: cleanEnv,
    stdio: ['pipe', 'pipe', 'pipe', fd],
  });
  closeSync(fd);
  child.stdin!.end();
  return finished(child as Parameters<typeof finished>[0]);
}

describe.skipIf(!existsSync(full))('on a full disk', () => {
  const line = /^error: Cannot write to stdout: ENOSPC: .*\n$/;

  test.each([
    ['call', ['call', 'greet', 'name=you', ...everything]],
    ['call --json', ['call', 'greet', 'name=you', '--json', ...everything]],
    ['tools', ['tools', ...config]],
    ['config --json', ['config', '--json', ...config]],
    ['completion', ['completion', 'bash']],
    ['help', ['--help']],
    ['up', ['up', '--no-inspector', ...config]],
  ])('%s reports the failure, and exits with 2', async (_what, args) => {
    const { code, stderr } = await onFullDisk(args);
    expect(stderr).toMatch(line);
    expect(code).toBe(2);
  });

  test('ls exits with 2 after it has printed its other messages', async () => {
    const { code, stderr } = await onFullDisk(['ls', ...config]);
    expect(stderr).toMatch(/^No host is running.*\nerror: Cannot write to stdout: ENOSPC/);
    expect(code).toBe(2);
  });

  test('an earlier failure keeps its exit code', async () => {
    const { code, stderr } = await onFullDisk(['call', 'fails', '--json', ...everything]);
    expect(stderr).toContain('The tool reports an error');
    expect(stderr).toContain('error: Cannot write to stdout');
    expect(code).toBe(1);
  });

  test('the exit code reports that stderr cannot be written', async () => {
    expect(await onFullDisk(['ls', ...config], 'stderr')).toMatchObject({ code: 2, stderr: '' });
  });
});
