// Which tool of which server a call means.

import { describe, expect, test } from 'vitest';
import { calculatorEntry, everythingEntry, runCli, writeConfig } from './run-cli.ts';

describe('servers of a config', () => {
  const config = writeConfig('call.json', {
    everything: everythingEntry,
    calculator: calculatorEntry,
    twin: { ...everythingEntry, tools: { allow: ['greet', 'weather'] } },
    broken: { command: 5 },
  });
  const call = (...words: string[]) => runCli(['call', ...words, '--config', config]);

  test('by server and tool, server/tool, the name at /mcp, and a name that only one server has', async () => {
    expect((await call('everything', 'greet', 'name=a')).stdout).toBe('Hello, a!\n');
    expect((await call('twin/greet', 'name=b')).stdout).toBe('Hello, b!\n');
    expect((await call('twin__greet', 'name=c')).stdout).toBe('Hello, c!\n');
    expect((await call('typed', 'whole=1')).stdout).toBe('{"whole":1}\n');
  });

  test('a name that two servers share is not guessed', async () => {
    const { code, stderr } = await call('greet', 'name=c');
    expect(code).toBe(2);
    expect(stderr).toContain('everything/greet, twin/greet');
  });

  test('LiteMCP takes values by position, by name, with and without the name of its tool', async () => {
    expect((await call('calculator', '2', '3')).stdout).toBe('5\n');
    expect((await call('calculator', '-2', '0.5')).stdout).toBe('-1.5\n');
    expect((await call('calculator', 'a=40', 'b=2')).stdout).toBe('42\n');
    expect((await call('calculator', 'Calculator', '1', '1')).stdout).toBe('2\n');
    const short = await call('calculator', '2');
    expect(short).toMatchObject({ code: 2, stdout: '' });
    expect(short.stderr).toContain('missing: "b"');
  });

  test('a misspelt server, a tool that is not allowed, and an entry that cannot be used are told apart', async () => {
    expect((await call('everythin', 'greet')).stderr).toContain('Did you mean "everything"?');
    expect((await call('twin', 'typed')).stderr).toContain('"twin" has no tool named "typed"');
    const broken = await runCli(['tools', 'broken', '--config', config]);
    expect(broken.code).toBe(3);
    expect(broken.stderr).toMatch(/call\.json:\d+:\d+: server "broken": "command" must be/);
  });
});
