// The check on real clients; with CHECK_ALL_RULES=1 also on those of the official SDKs.

import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkClient } from '../../src/check/client/check-client.ts';
import { isViolated } from '../../src/check/report/rule-results.ts';

const drivers = join(import.meta.dirname, '../fixtures/check/client/drivers');
const command = process.execPath;

/** Rules that do not apply: these clients neither request progress nor cancel calls. */
const notDone = [
  'client-calls/progress-tokens',
  'client-calls/cancels-its-own',
  'client-tasks/cancels-with-tasks-cancel',
];

async function check(driver: string) {
  const { outcomes, ...report } = await checkClient({ command, args: [join(drivers, driver), '{server}'] });
  const violations = outcomes.filter(isViolated);
  const notApplicable = outcomes.filter(({ status }) => status === 'not applicable').map(({ rule }) => rule);
  return { ...report, violations, notApplicable };
}

test('a client on our library violates no rule', async () => {
  const { violations, notApplicable } = await check('standpipe.mjs');
  expect(violations).toEqual([]);
  expect(notApplicable).toEqual(notDone);
});

test('the official client for tasks does not ask for the result of a task that needs input, which is recommended', async () => {
  const { violations } = await check('ext-tasks.mjs');
  expect(violations.map(({ rule, status }) => [rule, status])).toEqual([
    ['client-tasks/result-of-waiting-tasks', 'warning'],
  ]);
});

test.runIf(process.env.CHECK_ALL_RULES)('a client on the official SDK 1.x violates no rule', async () => {
  expect((await check('sdk-1.mjs')).violations).toEqual([]);
});

test.runIf(process.env.CHECK_ALL_RULES)(
  'a client on the official SDK 2.x waits a minute for server/discover',
  async () => {
    const { violations, notApplicable } = await check('sdk-2.mjs');
    expect(violations.map(({ rule }) => rule)).toEqual([
      'client-lifecycle/falls-back-on-silence',
      'client-tasks/required-tools',
    ]);
    expect(notApplicable.filter((rule) => !rule.startsWith('client-tasks/'))).toEqual(notDone.slice(0, 2));
  },
);

test('an aborted check leaves neither the client nor its folder behind', async () => {
  const aborted = new AbortController();
  const running = createServer();
  await new Promise<void>((resolve) => running.listen(0, '127.0.0.1', resolve));
  const { port } = running.address() as { port: number };
  const config = new Promise<string>((resolve) => {
    running.once('connection', (socket) => {
      socket.once('data', (bytes) => {
        socket.once('close', () => resolve(bytes.toString()));
        aborted.abort(new Error('enough'));
      });
      socket.on('error', () => undefined);
    });
  });
  const program = `require('node:net').connect(${port}, '127.0.0.1').write(process.argv[1])`;
  const checking = checkClient({ command, args: ['-e', program, '{config}'], signal: aborted.signal });
  await expect(checking).rejects.toThrow('enough');
  expect(existsSync(dirname(await config))).toBe(false);
  running.close();
});
