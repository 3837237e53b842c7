// Results that cannot be written: a command must not end as if they had been.

import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cleanEnv, everything, everythingEntry, finished, folder, program, writeConfig } from './run-cli.ts';

const config = ['--config', writeConfig('lost-output.json', { everything: everythingEntry })];
const full = '/dev/full';

/** With its stdout, or its stderr, on a disk that is full. */
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
  ])('%s ends with a line about it, and 2', async (_what, args) => {
    const { code, stderr } = await onFullDisk(args);
    expect(stderr).toMatch(line);
    expect(code).toBe(2);
  });

  test('ls ends with 2, and has said what else there is to say', async () => {
    const { code, stderr } = await onFullDisk(['ls', ...config]);
    expect(stderr).toMatch(/^No host is running.*\nerror: Cannot write to stdout: ENOSPC/);
    expect(code).toBe(2);
  });

  test('what went wrong before keeps its exit code', async () => {
    const { code, stderr } = await onFullDisk(['call', 'fails', '--json', ...everything]);
    expect(stderr).toContain('The tool reports an error');
    expect(stderr).toContain('error: Cannot write to stdout');
    expect(code).toBe(1);
  });

  test('stderr that cannot be written is seen by the exit code at least', async () => {
    expect(await onFullDisk(['ls', ...config], 'stderr')).toMatchObject({ code: 2, stderr: '' });
  });
});
