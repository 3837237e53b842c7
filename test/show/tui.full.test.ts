// `standpipe show --tui` and aligned lines on a real pseudo-terminal.

import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  dangerous,
  everythingEntry,
  folder,
  runCli,
  runOnTerminal,
  startHost,
  stopHost,
  writeConfig,
} from '../cli/run-cli.ts';
import { later } from '../fixtures/later.ts';
import { hasTerminal } from '../fixtures/python.ts';
import { until } from '../fixtures/server.ts';
import { WrittenRecording } from '../replay/written-recording.ts';

const env = { NO_COLOR: '1' };
const ENTER = '\x1b[?1049h';
const LEAVE = '\x1b[?1049l';

const conversation = () =>
  new WrittenRecording({ server: 'weather' })
    .initialize()
    .call(1, 'forecast', { city: 'Oslo' })
    .text(1, 'Sunny')
    .call(2, 'alert', { city: 'Bergen' })
    .came({ jsonrpc: '2.0', id: 2, error: { code: -32000, message: 'no rain gauge' } });

describe.skipIf(!hasTerminal)('on a terminal', () => {
  test('lines are aligned, fit into the width, and have the date once', async () => {
    const name = `weather\x1b[2J${'x'.repeat(50)}`;
    const file = new WrittenRecording({ server: name })
      .call(1, 'tool'.repeat(40))
      .text(1, 'x')
      .call(2, 'b')
      .stderr('bad \x1b]0;owned\x07')
      .write();
    for (const columns of [60, 100]) {
      const { stdout } = await runOnTerminal(['show', file], { columns, env });
      const lines = stdout.trimEnd().split('\r\n');
      expect(lines[0]).toMatch(/^19(?:69|70)-\d\d-\d\d$/);
      expect(lines).toHaveLength(4);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(Math.max(columns, 84));
      expect(dangerous(stdout)).toEqual([]);
    }
    expect((await runOnTerminal(['show', conversation().write()], {})).stdout).toContain('\x1b[31m');
  });

  test('lists, filters and opens entries, follows the size, and restores the terminal', async () => {
    const { code, stdout } = await runOnTerminal(['show', conversation().write(), '--tui'], {
      env,
      steps: [
        { wait: 'tools/call alert', type: '/' },
        { wait: '/_', type: 'tool:forecast\r' },
        { wait: '1 of 3 entries', type: '\r' },
        { wait: 'Esc back', type: 'G' },
        { wait: '"text": "Sunny"', columns: 100 },
        { wait: 'Esc back', type: '\x1b[D' },
        { wait: 'Enter details', type: 'r' },
        { wait: 'standpipe call forecast', type: '?' },
        { wait: 'Keys', type: 'x' },
        { wait: 'Enter details', type: 'q' },
      ],
    });
    expect(code).toBe(0);
    expect(stdout.startsWith(ENTER)).toBe(true);
    expect(stdout.trimEnd().endsWith(LEAVE)).toBe(true);
    expect(stdout).toContain('\x1b[?25h');
  });

  test('Ctrl-C and SIGTERM restore the terminal', async () => {
    const file = conversation().write();
    const byKey = await runOnTerminal(['show', file, '--tui'], { env, steps: [{ wait: 'alert', type: '\x03' }] });
    expect(byKey.code).toBe(0);
    expect(byKey.stdout).toContain(LEAVE);
    const bySignal = await runOnTerminal(['show', file, '--tui'], {
      env,
      steps: [{ wait: 'alert', signal: 'SIGTERM' }],
    });
    expect(bySignal.code).toBe(143);
    expect(bySignal.stdout).toContain(LEAVE);
  });

  test('text of a server cannot control the terminal', async () => {
    const evil = 'owned \x1b[2J\x1b]0;title\x07\u202e\u009b31m';
    const file = new WrittenRecording({ server: evil })
      .call(1, evil, { [evil]: evil })
      .text(1, evil)
      .stderr(evil)
      .write();
    const { stdout } = await runOnTerminal(['show', file, '--tui'], {
      env,
      steps: [
        { wait: 'owned', type: 'g\r' },
        { wait: 'Esc back', type: 'q' },
      ],
    });
    // The sequences of the view itself: screen, cursor, position, clearing, reverse video.
    const own = [
      '\x1b[?1049h',
      '\x1b[?25l',
      '\x1b[?25h',
      '\x1b[?1049l',
      '\x1b[H',
      '\x1b[K',
      '\x1b[0m',
      '\x1b[7m',
      '\x1b[27m',
    ];
    const rest = own.reduce((text, sequence) => text.replaceAll(sequence, ''), stdout).replaceAll('\r\n', '');
    expect(rest).toContain('owned');
    expect(dangerous(rest)).toEqual([]);
  });

  test('a recording that cannot be read ends the view with the error', async () => {
    const file = join(folder, 'not-a-recording.jsonl');
    appendFileSync(file, 'text\n');
    const { code, stdout } = await runOnTerminal(['show', file, '--tui'], { env });
    expect(code).toBe(2);
    expect(stdout.slice(stdout.indexOf(LEAVE))).toContain('Line 1 of');
  });

  test('shows a running host live, and sends a request to its server again after a yes', async () => {
    const calls = join(folder, 'resent.txt');
    const config = writeConfig('show-tui.json', { everything: everythingEntry });
    const host = await startHost(['--config', config, '--record', `${calls}.jsonl`]);
    later(() => stopHost(host));
    await runCli(['call', 'everything', 'greet', 'name=Ada', '--config', config]);
    const recorded = () => readFileSync(`${calls}.jsonl`, 'utf8').split('Hello, Ada!').length - 1;
    await until('the call is recorded', () => recorded() > 0);
    const before = recorded();
    const { code, stdout } = await runOnTerminal(
      ['show', 'everything', '--tui', '--tool', 'greet', '--config', config],
      {
        env,
        steps: [
          { wait: 'tools/call greet', type: 'r' },
          { wait: 'again? y/n', type: 'n' },
          { wait: 'Enter details', type: 'r' },
          { wait: 'again? y/n', type: 'y' },
          { wait: 'tools/call greet was answered', type: 'q' },
        ],
      },
    );
    expect({ code, shown: stdout.includes('was answered') }).toEqual({ code: 0, shown: true });
    await until('the second call is recorded', () => recorded() > before);
  });
});

test('--tui without a terminal says what to do', async () => {
  const { code, stderr } = await runCli(['show', conversation().write(), '--tui']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--tui needs a terminal') });
});
