// Output on a pseudo-terminal.

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

/** The last state of each line, without colours and cleared text. */
const plain = (shown: string) =>
  stripVTControlCharacters(
    shown
      .split('\n')
      .map((line) => line.slice(line.lastIndexOf('\x1b[2K') + 1))
      .join('\n'),
  ).replaceAll(/\r|^\[2K/gm, '');

describe.skipIf(!hasTerminal)('on a terminal', () => {
  test('tables are aligned, have a header, and never exceed the width', async () => {
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

  test('prints colours unless NO_COLOR is set, and in a pipe with FORCE_COLOR', async () => {
    expect((await runOnTerminal(['tools', ...everything])).stdout).toContain('\x1b[36mgreet');
    expect((await runOnTerminal(['tools', ...everything], { env: { NO_COLOR: '1' } })).stdout).not.toContain(
      '\x1b[36m',
    );
    expect((await runCli(['call', 'gret', ...everything])).stderr).not.toContain('\x1b');
    const forced = await runCli(['call', 'gret', ...everything], { env: { FORCE_COLOR: '1' } });
    expect(forced.stderr).toContain('\x1b[31merror:\x1b[39m');
  });

  test('escapes control characters in names, content, errors and stderr of a hostile server', async () => {
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
      const ours = stdout.replaceAll('\r\x1b[2K', ''); // the sequence that clears the line of activity
      expect(ours).toContain('owned');
      expect(dangerous(ours)).toEqual([]);
    }
  });

  test('shows progress during the call, and clears it at the end', async () => {
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

  test('asks the user the question of a server, and repeats it until the answer is valid', async () => {
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

  test('declines a question without a terminal, and reports it', async () => {
    const { stdout, stderr } = await runCli(['call', 'asks', ...everything]);
    expect(JSON.parse(stdout)).toMatchObject({ action: 'decline' });
    expect(stderr).toContain('everything asks: Who are you? — declined: there is no terminal to answer on');
  });
});
