// A server with questions: on a terminal, the user can read and answer them; otherwise, a message reports them.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasTerminal } from '../fixtures/python.ts';
import { until } from '../fixtures/server.ts';
import {
  everythingEntry,
  folder,
  runCli,
  runOnTerminal,
  startCli,
  startHost,
  stopHost,
  writeConfig,
} from './run-cli.ts';

/**
 * A server whose tool asks a question, and prints a line to stderr while it is open. With a folder as argument, the tool asks and ends when
 * files exist.
 */
const slowAsker = join(folder, 'asker.mjs');
writeFileSync(
  slowAsker,
  `
  import { existsSync } from 'node:fs';
  import { join } from 'node:path';
  import { Server, serveStdio } from ${JSON.stringify(new URL('../../dist/entry/server.js', import.meta.url).href)};
  const [folder] = process.argv.slice(2);
  const isThere = (name) => folder === undefined || existsSync(join(folder, name));
  const until = async (name) => {
    while (!isThere(name)) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const server = new Server({ name: 'asker', version: '1.0.0' });
  server.tool('book', {}, async (_args, call) => {
    await until('ask');
    setTimeout(() => console.error('a second has passed'), 1000);
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const { action } = await call.elicit({ message: 'For whom?', requestedSchema });
    await until('end');
    return 'It was: ' + action;
  });
  await serveStdio(server);
`,
);

describe.skipIf(!hasTerminal)('on a terminal', () => {
  test('the line of activity is hidden while a question is open', async () => {
    const server = [process.execPath, slowAsker, folder];
    const { stdout } = await runOnTerminal(['call', 'book', '--verbose', '--', ...server], {
      env: { NO_COLOR: '1' },
      steps: [
        { wait: 'calling asker/book', write: join(folder, 'ask') },
        { wait: 'name <string>: ' },
        { wait: 'a second has passed', type: 'Ada\r' },
        { wait: 'Send this? [y/N] ', type: 'y\r' },
        { wait: 'calling asker/book', write: join(folder, 'end') },
      ],
    });
    const [before, open, after] = stdout.split(/(?=asks: For whom\?)|(?<=Send this\? \[y\/N\] )/);
    expect(before).toContain('calling asker/book');
    expect(open).toContain('name <string>: ');
    expect(open).toContain('Send this? [y/N] ');
    expect(open).not.toContain('calling');
    expect(after).toContain('calling asker/book');
    expect(after).toContain('It was: accept');
  });
});

test('without a host and a terminal, a question is declined and reported in the document', async () => {
  const config = writeConfig('asking-alone.json', { everything: everythingEntry });
  const { stdout, stderr } = await runCli(['call', 'everything/asks', '--json', '--config', config]);
  expect(JSON.parse(stdout).unanswered).toEqual([{ server: 'everything', message: 'Who are you?', action: 'decline' }]);
  expect(stderr).toContain('— declined: there is no terminal to answer on.');
});

test.skipIf(!hasTerminal)('with a running host, a question goes to the terminal of the caller', async () => {
  const config = writeConfig('asking-host.json', {
    everything: everythingEntry,
    asker: { command: process.execPath, args: [slowAsker] },
  });
  const host = await startHost(['--config', config]);
  try {
    const { stdout } = await runOnTerminal(['call', 'asker', 'book', '--config', config], {
      env: { NO_COLOR: '1' },
      steps: [
        { wait: 'asker asks: For whom?' },
        { wait: 'name <', type: 'Ada\r' },
        { wait: 'Send this? [y/N] ', type: 'y\r' },
      ],
    });
    expect(stdout).toContain('It was: accept');
  } finally {
    await stopHost(host);
  }
});

test('up cancels an elicitation without an open Inspector, and logs where to answer, without the token', async () => {
  const config = writeConfig('asking.json', { everything: everythingEntry });
  const up = startCli(['up', '--config', config]);
  let log = '';
  up.stdout.on('data', (chunk) => (log += chunk));
  const ended = once(up, 'close');
  try {
    await until('the server is ready', () => log.includes('everything ready'));
    const { stdout, stderr } = await runCli(['call', 'everything/asks', '--json', '--config', config]);
    expect(JSON.parse(stdout)).toMatchObject({
      content: [{ type: 'text', text: '{"action":"cancel"}' }],
      unanswered: [{ server: 'everything', message: 'Who are you?', action: 'cancel' }],
    });
    expect(stderr).toContain('everything asks: Who are you? — cancelled: there is no terminal to answer on.');
    await until('it is told', () => log.includes('everything asks'));
    expect(log).toContain(
      'everything asks: Who are you? — cancelled: the Inspector is not open. Open it and call again.\n',
    );
  } finally {
    up.kill('SIGTERM');
    await ended;
  }
});
