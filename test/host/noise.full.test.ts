// A host reports accidental output of servers on stdout, once for each start.

import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { until } from '../fixtures/server.ts';
import { lacks } from '../fixtures/windows.ts';
import { openHost, serverFile } from './run-host.ts';

const prints = (before: string, more: object = {}) => ({
  command: process.execPath,
  args: [
    '--input-type=module',
    '-e',
    `${before}; await import(${JSON.stringify(pathToFileURL(serverFile('counts')).href)});`,
  ],
  ...more,
});

test('a banner is reported once, without secrets, however much follows', async () => {
  const told: { server: string; text: string; count: number }[] = [];
  const print = 'console.log("hello", process.env.KEY); for (let i = 0; i < 100; i++) console.log("again", i)';
  const host = await openHost(
    { loud: prints(print, { env: { KEY: 'sk-1234567' } }) },
    { onNoise: (n) => n.count === 1 && told.push(n) },
  );
  await host.start();
  await host.restartServer('loud');
  expect(told).toHaveLength(2);
  expect(told[0]).toEqual({ server: 'loud', text: expect.stringMatching(/^hello (?!sk-)/), count: 1 });
});

test.skipIf(lacks.signals)('later output is reported when it is printed', async () => {
  const told: string[] = [];
  // Uses the original write function, because the runtime of the server redirects other output from stdout.
  const later = 'const { writeSync } = await import("node:fs"); process.on("SIGUSR2", () => writeSync(1, "late\\n"))';
  const host = await openHost({ late: prints(later) }, { onNoise: ({ text }) => told.push(text) });
  const [server] = await host.start();
  expect(told).toEqual([]);
  process.kill(server!.pid!, 'SIGUSR2');
  await until('it is reported', () => told.length > 0);
  expect(told).toEqual(['late']);
});

test('nothing is reported for a server that prints only protocol messages', async () => {
  const told: unknown[] = [];
  const host = await openHost({ quiet: prints('0') }, { onNoise: (noise) => told.push(noise) });
  await host.start();
  await host.stop();
  expect(told).toEqual([]);
});

test.each([
  ['MCP', {}],
  ['LiteMCP', { protocol: 'litemcp' }],
])('reports the stray output of a server that never connects, and its error names stdout (%s)', async (_, more) => {
  const told: { text: string; count: number }[] = [];
  const floods =
    'console.log("noise", process.env.KEY); for (let i = 1; i < 10; i++) console.log("more"); setInterval(() => 0, 1000)';
  const entry = {
    command: process.execPath,
    args: ['-e', floods],
    env: { KEY: 'sk-1234567' },
    startupTimeoutMs: 5_000,
    restart: 'never',
  };
  const host = await openHost(
    { loud: { ...entry, ...more } },
    { onNoise: ({ text, count }) => told.push({ text, count }) },
  );
  const failed = await host.use('loud', (client) => client.ping()).catch((error: unknown) => error);
  expect(told.slice(0, 2)).toEqual([
    { text: expect.stringMatching(/^noise (?!sk-)/), count: 1 },
    { text: expect.stringMatching(/^noise (?!sk-)/), count: 10 },
  ]);
  expect(failed).toMatchObject({ hint: expect.stringMatching(/^It prints other text to stdout.*stderr/) });
});
