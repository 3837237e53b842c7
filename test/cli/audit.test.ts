// `up --audit` and `standpipe audit`: who called what, in a file whose changes can be found.

import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../fixtures/server.ts';
import { everythingEntry, folder, gatewayIn, runCli, startCli, writeConfig } from './run-cli.ts';

interface ShownCall {
  principal?: string;
  client?: string;
  node?: string;
  server: string;
  method: string;
  target?: string;
  digest?: string;
  arguments?: string;
  outcome: string;
}

async function shown(file: string, ...options: string[]): Promise<ShownCall[]> {
  const { stdout } = await runCli(['audit', 'show', file, '--json', ...options]);
  return (JSON.parse(stdout) as { calls: ShownCall[] }).calls;
}

interface Running {
  url: string;
  /** Of the owner; undefined if the host has other tokens. */
  token: string | undefined;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

async function startHost(...args: string[]): Promise<Running> {
  const up = startCli(['up', '--no-inspector', ...args]);
  let log = '';
  up.stdout.on('data', (chunk) => (log += chunk));
  up.stderr.on('data', (chunk) => (log += chunk));
  const ended = once(up, 'close');
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    up.kill(signal);
    await ended;
  };
  onTestFinished(() => stop());
  const served = /MCP over HTTP at (\S+) .*\n/;
  await until('it serves', () => served.test(log));
  return { url: served.exec(log)![1]!, token: gatewayIn(log)?.token, stop };
}

async function clientAt(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'official', version: '1.2.3' });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

test('records who called what through the gateway, also what was refused, and finds a change', async () => {
  const config = writeConfig('audit.json', { everything: everythingEntry });
  const [file, tokens] = [join(folder, 'audit.jsonl'), join(folder, 'audit-tokens.json')];
  const { stdout } = await runCli(['token', 'add', 'ci', '--tool', 'greet', '--tool', 'fails', '--tokens', tokens]);
  const { url, stop } = await startHost('--config', config, '--http', '0', '--tokens', tokens, '--audit', file);
  const one = await clientAt(`${url}/everything`, stdout.trim());
  await one.callTool({ name: 'greet', arguments: { name: 'Ada' } });
  await one.callTool({ name: 'fails' });
  await expect(one.callTool({ name: 'weather' })).rejects.toThrow();
  const all = await clientAt(url, stdout.trim());
  await all.callTool({ name: 'everything__greet', arguments: { name: 'Ada' } });
  await runCli(['call', 'weather', '--config', config]);
  await stop();

  const calls = await shown(file);
  expect(calls.map(({ principal, server, target, outcome }) => [principal, server, target, outcome])).toEqual([
    ['ci', 'everything', 'greet', 'ok'],
    ['ci', 'everything', 'fails', 'tool_error'],
    ['ci', 'everything', 'weather', 'refused'],
    ['ci', 'everything', 'greet', 'ok'],
    [expect.stringMatching(/^user:/), 'everything', 'weather', 'ok'],
  ]);
  const [direct, , , merged] = calls;
  expect(direct).toMatchObject({ client: 'official 1.2.3', method: 'tools/call', digest: merged!.digest });
  expect(direct!.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(readFileSync(file, 'utf8')).not.toContain('Ada');
  expect(await shown(file, '--principal', 'c*', '--outcome', 'refused')).toHaveLength(1);
  expect(await shown(file, '--tool', 'greet', '--last', '1')).toMatchObject([{ target: 'greet' }]);

  const right = await runCli(['audit', 'verify', file]);
  expect(right).toMatchObject({ code: 0, stderr: expect.stringContaining('the chain is complete') });
  writeFileSync(file, readFileSync(file, 'utf8').replace('"fails"', '"greet"'));
  const changed = await runCli(['audit', 'verify', file]);
  expect(changed).toMatchObject({ code: 1, stdout: expect.stringContaining(`${file}:`) });
});

test('keeps arguments without secrets on request, and calls that a killed host did not finish', async () => {
  const config = writeConfig('audit-kill.json', { everything: everythingEntry });
  const file = join(folder, 'kill.jsonl');
  const options = ['--audit', file, '--audit-arguments', '--audit-required'];
  const { url, token, stop } = await startHost('--config', config, '--http', '0', ...options);
  const client = await clientAt(`${url}/everything`, token!);
  await client.callTool({ name: 'typed', arguments: { text: 'kept', password: 'hunter2' } });
  void client.callTool({ name: 'works', arguments: { ms: 1e9 } }).catch(() => undefined);
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toContain('"works"');
  await stop('SIGKILL');
  const calls = await shown(file);
  expect(calls.map(({ target, outcome }) => `${target} ${outcome}`)).toEqual(['typed ok', 'works running']);
  expect(calls[0]!.arguments).toContain('kept');
  expect(readFileSync(file, 'utf8')).not.toContain('hunter2');
  expect((await runCli(['audit', 'verify', file])).code).toBe(0);
});

test('a host that other programs start in the background takes the file from STANDPIPE_AUDIT', async () => {
  const config = writeConfig('audit-background.json', { everything: everythingEntry });
  const file = join(folder, 'background.jsonl');
  const env = { STANDPIPE_AUDIT: file };
  expect(await runCli(['up', '--background', '--config', config, '--idle', '10m'], { env })).toMatchObject({ code: 0 });
  onTestFinished(() => runCli(['down', '--config', config]).then(() => undefined));
  await runCli(['call', 'weather', '--config', config]);
  await expect.poll(() => shown(file)).toMatchObject([{ server: 'everything', target: 'weather', outcome: 'ok' }]);
});

test('refuses options that have no effect without a file, and a file that cannot be written', async () => {
  const config = writeConfig('audit-wrong.json', { everything: everythingEntry });
  const up = ['up', '--config', config, '--no-inspector'];
  const without = await runCli([...up, '--audit-required']);
  expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('--audit audit.jsonl') });
  const unwritable = await runCli([...up, '--audit', folder]);
  expect(unwritable.code).not.toBe(0);
  expect(unwritable.stderr).toContain(folder);
});
