// Names that select the tool of a call.

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

  test('are called by server and tool, server/tool, the name at /mcp, and an unambiguous tool name', async () => {
    expect((await call('everything', 'greet', 'name=a')).stdout).toBe('Hello, a!\n');
    expect((await call('twin/greet', 'name=b')).stdout).toBe('Hello, b!\n');
    expect((await call('twin__greet', 'name=c')).stdout).toBe('Hello, c!\n');
    expect((await call('typed', 'whole=1')).stdout).toBe('{"whole":1}\n');
  });

  test('refuse an ambiguous tool name with the choices', async () => {
    const { code, stderr } = await call('greet', 'name=c');
    expect(code).toBe(2);
    expect(stderr).toContain('everything/greet, twin/greet');
  });

  test('accept values by position and by name for LiteMCP, with and without the name of the tool', async () => {
    expect((await call('calculator', '2', '3')).stdout).toBe('5\n');
    expect((await call('calculator', '-2', '0.5')).stdout).toBe('-1.5\n');
    expect((await call('calculator', 'a=40', 'b=2')).stdout).toBe('42\n');
    expect((await call('calculator', 'Calculator', '1', '1')).stdout).toBe('2\n');
    const short = await call('calculator', '2');
    expect(short).toMatchObject({ code: 2, stdout: '' });
    expect(short.stderr).toContain('missing: "b"');
  });

  test('have distinct errors for a misspelt server, a tool that is not allowed, and an unusable entry', async () => {
    expect((await call('everythin', 'greet')).stderr).toContain('Did you mean "everything"?');
    expect((await call('twin', 'typed')).stderr).toContain('"twin" has no tool named "typed"');
    const broken = await runCli(['tools', 'broken', '--config', config]);
    expect(broken.code).toBe(3);
    expect(broken.stderr).toMatch(/call\.json:\d+:\d+: server "broken": "command" must be/);
  });
});
