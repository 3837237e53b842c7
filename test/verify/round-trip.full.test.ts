// Real servers are recorded through a tap and verified against the same server: every answer is the same after learning.

import { describe, expect, test } from 'vitest';
import { type VerifyOptions, type VerifyTarget, verify } from '../../src/entry/recording.ts';
import { startHttpTap } from '../../src/observe/tap/http/http-tap.ts';
import { serveOfficial1, serveOfficial2, serveOurs } from '../fixtures/interop/serve.mjs';
import { later } from '../fixtures/later.ts';
import {
  freshFolder,
  MODERN,
  missing,
  NEWEST_OF_1,
  newFile,
  node,
  path,
  recordStdio,
  servers,
  walked,
} from '../replay/record-tour.ts';

/** Learns, and verifies again: the rules suffice for another run. */
async function expectSame(file: string, target: VerifyTarget, more: VerifyOptions = {}): Promise<void> {
  // A busy machine may take any time.
  const options = { allowCalls: ['*'], slowerFactor: 1e6, ...more };
  for (const learn of [true, false]) {
    const { results, counts, learned } = await verify(file, target, { ...options, learn });
    expect(results.filter(({ status }) => status !== 'same')).toEqual([]);
    expect(counts.same).toBeGreaterThan(5);
    expect(learned.filter(({ accept }) => accept === 'text' || accept === 'ignore')).toEqual([]);
  }
}

describe.each(Object.entries(servers))('%s', (_, { tour, command }) => {
  const [first] = command('');
  test.skipIf(missing(first!))('is the same when it is verified', async () => {
    const place = freshFolder();
    const words = command(place) as readonly string[];
    const { file } = await recordStdio([...words], tour, place, 1, NEWEST_OF_1);
    const env = { MEMORY_FILE_PATH: `${place}/memory.jsonl` };
    // server-everything asks for the roots some time after the handshake: whether this tool knows them is a matter of time.
    const rules = ['tools/call get-roots-list: ignore result'];
    await expectSame(file, { command: words[0]!, args: words.slice(1), env, stderr: 'ignore' }, { rules });
  });
});

test.each([
  ['our-server', 1, NEWEST_OF_1],
  ['our-server', 2, MODERN],
  ['official-2-server', 2, MODERN],
  ['official-1-server', 1, '2024-11-05'],
] as const)('%s is the same when it is verified (%#)', async (name, line, revision) => {
  const place = freshFolder();
  const args = [path(`test/fixtures/interop/${name}.mjs`)];
  const { file } = await recordStdio([node, ...args], 'standard', place, line, revision);
  await expectSame(file, { command: node, args, stderr: 'ignore' });
});

test.each([
  ['our server', serveOurs, 2, MODERN],
  ['our server', serveOurs, 1, NEWEST_OF_1],
  ['the official server of the 1.x line', serveOfficial1, 1, NEWEST_OF_1],
  ['the official server of the 2.x line', () => serveOfficial2('modern'), 2, MODERN],
] as const)('%s over HTTP (%#) is the same when it is verified', async (_, serve, line, revision) => {
  const { url, close } = await serve();
  later(async () => void (await close()));
  const file = newFile();
  const tap = await startHttpTap({ url, record: file, announce: false, name: 'remote' }, () => undefined);
  later(() => tap.close());
  await walked({ url: tap.address, transport: 'http' }, line, revision, 'standard', freshFolder());
  await tap.close();
  await expectSame(file, { url });
});
