// `standpipe up` twice at the same time, repeatedly, after a killed host that left its socket.

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { runCli, startCli, writeConfig } from '../cli/run-cli.ts';

const ROUNDS = 10;

/** Resolves with the first output: the start, or the reason of its failure. */
async function up(config: string) {
  const child = startCli(['up', '--config', config, '--no-inspector', '--json']);
  const closed = once(child, 'close');
  let said = '';
  for await (const line of createInterface({ input: child.stdout })) {
    said += line;
    if (/"event":"began"|"code": "/.test(line)) break;
  }
  return { child, closed, said };
}

test.skipIf(process.platform === 'win32')('one of two runs and is reachable, and the other reports that', async () => {
  const config = writeConfig('two-hosts.json', {});
  for (let round = 0; round < ROUNDS; round++) {
    const hosts = await Promise.all([up(config), up(config)]);
    try {
      const say = (text: string) => hosts.filter(({ said }) => said.includes(text)).length;
      expect([say('"began"'), say('HOST_ALREADY_RUNNING')], JSON.stringify(hosts.map(({ said }) => said))).toEqual([
        1, 1,
      ]);
      const { stdout } = await runCli(['ls', '--config', config, '--json']);
      expect(JSON.parse(stdout)).toMatchObject({ running: true });
    } finally {
      for (const { child } of hosts) child.kill('SIGKILL');
      await Promise.all(hosts.map(({ closed }) => closed));
    }
  }
});
