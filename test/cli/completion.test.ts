// Completion: suggestions, and their use by real shells. Completion never starts a server.

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

// src/app/cli/completion/candidates.test.ts tests all suggestions.
test('suggests servers and options before a server was asked for its tools', async () => {
  expect(await complete('call', '')).toEqual(['everything', 'calculator']);
  expect(await complete('call', 'everything', '')).toEqual([]);
  expect(await complete('call', '--protocol', '')).toEqual(['mcp', 'litemcp']);
  expect(await complete('--config', 'mc')).toEqual([':files ']);
  expect(pidsIn(pidFile)).toEqual([]);
});

describe('completion after the tools were listed', () => {
  beforeAll(async () => {
    await runCli(['tools']);
  });

  test('suggests tools, names of arguments, and their values', async () => {
    const started = pidsIn(pidFile).length;
    expect(await complete('call', 'everything', 'gr')).toEqual(['greet']);
    expect(await complete('call', 'everything', 'typed', 'mode=')).toEqual(['mode=fast', 'mode=slow', 'mode=3']);
    expect(pidsIn(pidFile)).toHaveLength(started);
  });

  test('prints nothing for an invalid config', async () => {
    writeFileSync(join(folder, 'broken.json'), '{');
    const ran = await runCli(['__complete', 'call', '--config', 'broken.json', '']);
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

test('accepts the words of PowerShell as one argument', async () => {
  const hex = (...words: string[]) => `--hex=${Buffer.from(words.join('\0')).toString('hex').toUpperCase()}`;
  expect(await complete(hex('call', ''))).toEqual(['everything', 'calculator']);
  expect(await complete(hex('call', '--protocol', 'm'))).toEqual(['mcp']);
  expect(await complete(hex(''))).toContain('call');
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

  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    test(`prints the script for ${shell}, also as JSON, and ${shell} accepts it if it is installed`, async () => {
      const { code, stdout } = await runCli(['completion', shell]);
      expect(code).toBe(0);
      expect(JSON.parse((await runCli(['completion', shell, '--json'])).stdout)).toEqual({ shell, script: stdout });
      if (shell !== 'powershell' && installed(shell))
        execFileSync(shell, [shell === 'fish' ? '--no-execute' : '-n'], { input: stdout });
    });
  }

  test.skipIf(!installed('pwsh'))('PowerShell completes commands, servers and files', () => {
    const suggested = (line: string) =>
      `(TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText -join ' '`;
    const lines = ['standpipe comp', 'standpipe call ', 'standpipe call --protocol '].map(suggested);
    const script = `standpipe completion powershell | Out-String | Invoke-Expression\n${lines.join('\n')}`;
    const stdout = execFileSync('pwsh', ['-NoProfile', '-Command', script], {
      cwd: folder,
      env: env(),
      encoding: 'utf8',
    });
    expect(stdout.trim().split(/\r?\n/)).toEqual(['completion', 'everything calculator', 'mcp litemcp']);
  });

  /** Suggestions for each line, from one bash process. */
  const inBash = (lines: readonly string[]) => {
    const completing = lines.map(
      (line) => `
      COMP_LINE=${JSON.stringify(line)} COMP_POINT=${line.length} COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
      COMPREPLY=()
      _standpipe
      printf '%s\\n' "\${COMPREPLY[@]}" --`,
    );
    const script = `source <(standpipe completion bash)\n${completing.join('\n')}`;
    const stdout = execFileSync('bash', ['--norc', '-c', script], { cwd: folder, env: env(), encoding: 'utf8' });
    const answers = stdout.split('--\n').map((answer) => answer.split('\n').filter(Boolean));
    return Object.fromEntries(lines.map((line, at) => [line, answers[at]]));
  };

  test.skipIf(!installed('bash'))('bash completes commands, servers, tools, names, values and files', () => {
    writeFileSync(join(folder, 'notes.md'), '');
    const expected = {
      'standpipe comp': ['completion'],
      'standpipe call every': ['everything'],
      'standpipe call everything wea': ['weather'],
      'standpipe call everything greet ': ['name='],
      // Bash replaces only the text after the last = of a word.
      'standpipe call everything typed mode=': ['fast', 'slow', '3'],
      'standpipe call everything typed text=@note': ['@notes.md'],
      'standpipe ls --config mcp': ['mcp.json'],
    };
    expect(inBash(Object.keys(expected))).toEqual(expected);
  });

  test.skipIf(!installed('bash'))('in an interactive bash, Tab completes the word', () => {
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
