// Invalid entries of a config: each command that uses one reports the reason, whether or not a host runs.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everythingEntry, runCli, startHost, stopHost, writeConfig } from './run-cli.ts';

const servers = { everything: everythingEntry, typo: { comand: 'x' } };
const reason = /rejected\S*\.json:\d+:\d+: server "typo": There is no "command"/;
const suggestion = 'Did you mean "command" instead of "comand"?';

function listsTheRejected(config: string): void {
  test('ls --json prints the state and the reason of a rejected entry', async () => {
    const { servers } = JSON.parse((await runCli(['ls', '--json', '--config', config])).stdout);
    expect(servers.find(({ name }: { name: string }) => name === 'typo')).toMatchObject({
      state: 'rejected',
      lastError: expect.stringContaining('There is no "command"'),
      source: { file: config },
    });
  });
}

describe('without a host', () => {
  const config = writeConfig('rejected-alone.json', servers);

  test.each([
    ['ls', 0],
    ['tools', 3],
  ])('%s reports the rejected entry', async (command, expected) => {
    const { code, stdout, stderr } = await runCli([command, '--config', config]);
    expect(code).toBe(expected);
    expect(stderr).toMatch(reason);
    expect(stderr).toContain(suggestion);
    if (command === 'ls') expect(stdout).toMatch(/^typo\trejected\t/m);
  });

  listsTheRejected(config);
});

describe('with a host', () => {
  const config = writeConfig('rejected-up.json', servers);
  let host: Awaited<ReturnType<typeof startHost>>;
  beforeAll(async () => {
    host = await startHost(['--config', config]);
  });
  afterAll(() => stopHost(host));

  test.each([
    ['call', 'typo', 'x'],
    ['call', 'typo/x'],
    ['start', 'typo'],
    ['stop', 'typo'],
    ['tools', 'typo'],
  ])('%s %s reports why the server was rejected', async (...words) => {
    const { code, stderr } = await runCli([...words, '--config', config]);
    expect(code).toBe(3);
    expect(stderr).toMatch(reason);
    expect(stderr).toContain(suggestion);
  });

  test.each([
    ['ls', 0],
    ['tools', 3],
  ])('%s reports the rejected entry', async (command, expected) => {
    const { code, stdout, stderr } = await runCli([command, '--config', config]);
    expect(code).toBe(expected);
    expect(stderr).toMatch(reason);
    if (command === 'ls') expect(stdout).toMatch(/^typo\trejected\t.*There is no "command"/m);
  });

  listsTheRejected(config);

  test('a second host reports the process of the first', async () => {
    const { code, stderr } = await runCli(['up', '--config', config, '--no-inspector']);
    expect(code).toBe(2);
    expect(stderr).toContain(`pid ${host.pid}`);
  });

  test('a call of a stopped server prints how to start it, and a misspelled name gets a suggestion', async () => {
    expect((await runCli(['start', 'everythin', '--config', config])).stderr).toContain('Did you mean "everything"?');
    await runCli(['stop', 'everything', '--config', config]);
    const { stderr } = await runCli(['call', 'everything', 'greet', 'name=x', '--config', config]);
    expect(stderr).toContain('standpipe start everything');
  });
});
