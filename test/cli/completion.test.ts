// Completion: what is suggested, and that real shells make use of it. No server is ever started for it.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { calculatorEntry, cleanEnv, everythingEntry, folder, pidsIn, program, runCli, writeConfig } from './run-cli.ts';

const pidFile = join(folder, 'completion.pids');
writeConfig('mcp.json', {
  everything: { ...everythingEntry, env: { PID_FILE: pidFile } },
  calculator: calculatorEntry,
  'evil name $(touch x)': everythingEntry,
});
const complete = async (...words: string[]) => {
  const { stdout } = await runCli(['__complete', ...words]);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[0]);
};

test('commands, servers and options, before any server was ever asked', async () => {
  expect(await complete('re')).toEqual(['restart', 'read', 'remove']);
  expect(await complete('call', '')).toEqual(['everything', 'calculator']);
  expect(await complete('restart', 'ev')).toEqual(['everything']);
  expect(await complete('call', 'everything', '')).toEqual([]);
  expect(await complete('call', '--re')).toEqual(['--repeatable', '--revision']);
  expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(await complete('call', '--protocol', '')).toEqual(['mcp', 'litemcp']);
  expect(await complete('--config', 'mc')).toEqual([':files ']);
  expect(await complete('call', 'x', '--', 'no')).toEqual([':files ']);
  expect(await complete('nonsense', 'x')).toEqual([]);
  expect(await complete('check', '--rule', 'wire/only-m')).toEqual(['wire/only-messages']);
  expect(await complete('check', '--litemcp', '--only', 'litemcp-w')).toContain('litemcp-wire');
  expect(pidsIn(pidFile)).toEqual([]);
});

describe('once the tools were seen', () => {
  beforeAll(async () => {
    await runCli(['tools']);
  });

  test('tools, names of arguments, and their values', async () => {
    const started = pidsIn(pidFile).length;
    expect(await complete('call', 'everything', 'gr')).toEqual(['greet']);
    expect(await complete('call', 'everything/gr')).toEqual(['everything/greet']);
    expect(await complete('call', 'everything', 'greet', '')).toEqual(['name=']);
    expect(await complete('call', 'everything', 'greet', 'name=x', '')).toEqual([]);
    expect(await complete('call', 'everything', 'typed', 'm')).toEqual(['mode=', 'maybe=']);
    expect(await complete('call', 'everything', 'typed', 'mode=')).toEqual(['mode=fast', 'mode=slow', 'mode=3']);
    expect(await complete('call', 'everything/typed', 'flag=t')).toEqual(['flag=true']);
    expect(await complete('call', 'everything', 'typed', 'text=@no')).toEqual([':files text=@']);
    expect(pidsIn(pidFile)).toHaveLength(started);
  });

  test('a config that is broken suggests nothing and says nothing', async () => {
    writeFileSync(join(folder, 'broken.json'), '{');
    const ran = await runCli(['__complete', 'call', '--config', 'broken.json', '']);
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('in shells', () => {
  const bin = join(folder, 'bin');
  beforeAll(() => {
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'standpipe'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    chmodSync(join(bin, 'standpipe'), 0o755);
  });
  const env = () => ({ ...cleanEnv, PATH: `${bin}${delimiter}${process.env.PATH}` });
  const installed = (shell: string) => spawnSync(shell, ['--version']).error === undefined;

  test('the scripts are there, also as JSON', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, stdout } = await runCli(['completion', shell, '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toEqual({ shell, script: (await runCli(['completion', shell])).stdout });
    }
    expect((await runCli(['completion', 'tcsh'])).code).toBe(2);
  });

  for (const shell of ['bash', 'zsh', 'fish']) {
    test.skipIf(!installed(shell))(`${shell} can read its script (skipped where it is not installed)`, async () => {
      const { stdout } = await runCli(['completion', shell]);
      execFileSync(shell, [shell === 'fish' ? '--no-execute' : '-n'], { input: stdout });
    });
  }

  const inBash = (line: string) => {
    const script = `
      source <(standpipe completion bash)
      COMP_LINE=${JSON.stringify(line)} COMP_POINT=${line.length} COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
      _standpipe
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const stdout = execFileSync('bash', ['--norc', '-c', script], { cwd: folder, env: env(), encoding: 'utf8' });
    return stdout.split('\n').filter(Boolean);
  };

  test.skipIf(!installed('bash'))('bash completes commands, servers, tools, names, values and files', () => {
    writeFileSync(join(folder, 'notes.md'), '');
    expect(inBash('standpipe comp')).toEqual(['completion']);
    expect(inBash('standpipe call every')).toEqual(['everything']);
    expect(inBash('standpipe call everything wea')).toEqual(['weather']);
    expect(inBash('standpipe call everything greet ')).toEqual(['name=']);
    // Bash replaces only what stands behind the last = of a word.
    expect(inBash('standpipe call everything typed mode=')).toEqual(['fast', 'slow', '3']);
    expect(inBash('standpipe call everything typed text=@note')).toEqual(['@notes.md']);
    expect(inBash('standpipe ls --config mcp')).toEqual(['mcp.json']);
  });

  test.skipIf(!installed('bash'))('in an interactive bash, Tab writes the rest of the word', () => {
    const task = {
      command: ['bash', '--norc', '-i'],
      steps: [
        { wait: 'bash-', type: 'source <(standpipe completion bash)\n' },
        { wait: 'bash-', type: 'standpipe call everyth\t' },
        { wait: 'ing ', type: 'gree\t' },
        { wait: 't ', type: 'na\t' },
        { wait: 'me=', type: 'World\n' },
        { wait: 'Hello, World!', type: 'exit\n' },
      ],
    };
    const terminal = join(import.meta.dirname, '../fixtures/cli/on-a-terminal.py');
    const shown = spawnSync('python3', [terminal, JSON.stringify(task)], {
      cwd: folder,
      env: env(),
      encoding: 'utf8',
    });
    expect(shown.stdout).toContain('Hello, World!');
  });
});
