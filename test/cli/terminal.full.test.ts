// What people see: on a real pseudo-terminal.

import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { hasTerminal } from '../fixtures/python.ts';
import {
  dangerous,
  everything,
  everythingEntry,
  folder,
  hostile,
  runCli,
  runOnTerminal,
  startHost,
  stopHost,
  writeConfig,
} from './run-cli.ts';

/** Python's `pty` makes the terminal. Windows has none. */

/** The last state of each line, without colours: what was cleared is not there any more. */
const plain = (shown: string) =>
  stripVTControlCharacters(
    shown
      .split('\n')
      .map((line) => line.slice(line.lastIndexOf('\x1b[2K') + 1))
      .join('\n'),
  ).replaceAll(/\r|^\[2K/gm, '');

describe.skipIf(!hasTerminal)('on a terminal', () => {
  test('tables are aligned, have a header, and never pass the width', async () => {
    for (const columns of [40, 80, 120]) {
      const { stdout } = await runOnTerminal(['tools', ...everything], { columns });
      const table = plain(stdout).slice(plain(stdout).indexOf('TOOL'));
      const lines = table.split('\n').filter((line) => /^\w/.test(line));
      expect(lines.length).toBeGreaterThan(8);
      expect(lines[0]).toMatch(/^TOOL +ARGUM/);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      const column = lines[0]!.indexOf('ARGUM');
      expect(lines.filter((line) => line[column - 1] !== ' ')).toEqual([]);
    }
  });

  test('ls and config show whole reasons and paths at 80 and 120 columns, and in a pipe', async () => {
    const script = "console.error('a reason that is too long for a column of a table'); process.exit(3)";
    const crash = { command: process.execPath, args: ['-e', script], restart: 'never' };
    const far = { command: process.execPath, args: ['-e', ''], framing: 'none-of-the-known-framings', env: { A: 'b' } };
    const file = writeConfig('with-reasons.json', { everything: everythingEntry, crash, far });
    const host = await startHost(['--config', file]);
    const reason = 'exited with code 3 before its first message: a reason that is too long for a column of a table';
    try {
      const status = async () => JSON.parse((await runCli(['ls', '--json', '--config', file])).stdout).servers[1].state;
      await expect.poll(status, { timeout: 30_000 }).toBe('failed');
      for (const columns of [80, 120]) {
        const env = { NO_COLOR: '1' };
        const { stdout } = await runOnTerminal(['ls', '--config', file], { columns, env });
        const table = plain(stdout).slice(plain(stdout).indexOf('SERVER'));
        expect(table.replaceAll(/\n +/g, ' ')).toContain(reason);
        expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
        const config = await runOnTerminal(['config', '--config', file], { columns, env });
        expect(plain(config.stdout)).toContain('~/with-reasons.json');
        expect(config.stdout).not.toContain('…');
      }
      const { stdout } = await runCli(['ls', '--config', file]);
      expect(stdout.split('\n')[1]!.split('\t').at(-1)).toContain(reason);
      expect((await runCli(['config', '--config', file])).stdout).toContain(`${file}:`);
    } finally {
      await stopHost(host);
    }
  });

  test('colours are there unless NO_COLOR; FORCE_COLOR brings them to a pipe', async () => {
    expect((await runOnTerminal(['tools', ...everything])).stdout).toContain('\x1b[36mgreet');
    expect((await runOnTerminal(['tools', ...everything], { env: { NO_COLOR: '1' } })).stdout).not.toContain(
      '\x1b[36m',
    );
    expect((await runCli(['call', 'gret', ...everything])).stderr).not.toContain('\x1b');
    const forced = await runCli(['call', 'gret', ...everything], { env: { FORCE_COLOR: '1' } });
    expect(forced.stderr).toContain('\x1b[31merror:\x1b[39m');
  });

  test('a hostile server cannot reach the terminal: not with names, content, errors or stderr', async () => {
    const env = { NO_COLOR: '1' };
    const runs = [
      ['tools', ...hostile],
      ['call', 'says', ...hostile],
      ['call', 'says', '--json', ...hostile],
      ['call', 'says', '--verbose', ...hostile],
      ['call', 'fails', ...hostile],
      ['call', 'refuses', ...hostile],
    ];
    for (const args of runs) {
      const { stdout } = await runOnTerminal(args, { env });
      const ours = stdout.replaceAll('\r\x1b[2K', ''); // how the line of activity is cleared
      expect(ours).toContain('owned');
      expect(dangerous(ours)).toEqual([]);
    }
  });

  test('progress shows while it lasts, and is gone from the last line', async () => {
    const seen = join(folder, 'progress-is-seen');
    const { stdout } = await runOnTerminal(['call', 'works', 'ms=0', `until=${seen}`, ...everything], {
      env: { NO_COLOR: '1' },
      steps: [{ wait: '% step 5', write: seen }],
    });
    expect(stdout).toMatch(/calling everything\/works \[█+░+\] 50% step 5/);
    expect(stdout.slice(stdout.lastIndexOf('\x1b[2K'))).toBe('\x1b[2Kdone\r\n');
    const piped = await runCli(['call', 'works', 'ms=700', ...everything]);
    expect(piped).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
  });

  test('a server that asks is answered by the person, who is asked again until it fits', async () => {
    const { code, stdout } = await runOnTerminal(['call', 'asks', ...everything], {
      steps: [
        { wait: 'name <string>', type: 'Ada\r' },
        { wait: 'age <integer>', type: 'old\r' },
        { wait: 'must be integer', type: '' },
        { wait: 'age <integer>', type: '36\r' },
        { wait: 'fast <true or false', type: '\r' },
        { wait: 'Send this?', type: 'y\r' },
      ],
    });
    expect(code).toBe(0);
    expect(stdout).toContain('everything asks: Who are you?');
    expect(stdout).toContain('{"action":"accept","content":{"name":"Ada","age":36}}');
  });

  test('lines that are pasted at once answer one question each', async () => {
    const { code, stdout } = await runOnTerminal(['call', 'asks', ...everything], {
      steps: [{ wait: 'name <string>', type: 'Ada\r36\r\ry\r' }],
    });
    expect(code).toBe(0);
    expect(plain(stdout)).toContain('age <integer>: 36\n');
    expect(stdout).toContain('{"action":"accept","content":{"name":"Ada","age":36}}');
  });

  test.each([
    ['at the first question', '\x04'],
    ['behind pasted lines', 'Ada\r36\r\x04'],
  ])('the end of the input %s cancels it', async (_where, type) => {
    const { code, stdout } = await runOnTerminal(['call', 'asks', ...everything], {
      steps: [{ wait: 'name <string>', type }],
    });
    expect(code).toBe(0);
    expect(stdout).toContain('{"action":"cancel"}');
  });

  test('Ctrl-C at a question ends the command', async () => {
    const { code } = await runOnTerminal(['call', 'asks', ...everything], {
      steps: [{ wait: 'name <string>', type: '\x03' }],
    });
    expect(code).toBe(130);
  });

  test('where nobody can answer, it is declined with a word', async () => {
    const { stdout, stderr } = await runCli(['call', 'asks', ...everything]);
    expect(JSON.parse(stdout)).toMatchObject({ action: 'decline' });
    expect(stderr).toContain('everything asks: Who are you? — declined: there is no terminal to answer on');
  });
});
