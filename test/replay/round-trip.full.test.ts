// Real servers are recorded through a tap with an official client, and replayed to the official clients of both SDK lines: every answer
// is equal, in every revision.

import { describe, expect, test } from 'vitest';
import { clientOf } from '../../src/entry/client.ts';
import { legacyRevisions } from '../../src/mcp/revisions.ts';
import { startHttpTap } from '../../src/observe/tap/http/http-tap.ts';
import { program, spawnCli } from '../cli/run-cli.ts';
import { serveOfficial1, serveOfficial2, serveOurs } from '../fixtures/interop/serve.mjs';
import { later } from '../fixtures/later.ts';
import type { ServerTarget } from '../interop/our-client.ts';
import {
  freshFolder,
  installed,
  type Line,
  MODERN,
  missing,
  NEWEST_OF_1,
  newFile,
  node,
  path,
  type Recorded,
  recordStdio,
  servers,
  walked,
} from './record-tour.ts';
import type { Tour } from './tour.ts';
import { replayed } from './written-recording.ts';

const replaying = (file: string): ServerTarget => ({ command: node, args: [program, 'replay', file] });

/** Every answer is equal for a client of the same revision, whatever its SDK. */
async function expectEqual({ file, answers }: Recorded, tour: Tour, place: string, revisions: [Line, string][]) {
  for (const [line, revision] of revisions) {
    const replay = await walked(replaying(file), line, revision, tour, place);
    expect(replay, `client ${line} in ${revision}`).toEqual(answers);
  }
}

describe.each(Object.entries(servers))('%s', (_, { tour, command }) => {
  const [first] = command('');
  test.skipIf(missing(first!))('is replayed to both lines as it answered each of them', async () => {
    for (const line of [1, 2] as const) {
      const place = freshFolder();
      const recorded = await recordStdio(command(place), tour, place, line, NEWEST_OF_1);
      await expectEqual(recorded, tour, place, [[line, NEWEST_OF_1]]);
      // The other line checks and prints some things differently: it gets what it got from the server itself.
      const other = line === 1 ? 2 : 1;
      const again = await walked(replaying(recorded.file), other, NEWEST_OF_1, tour, place);
      expect(again).toHaveLength(recorded.answers.length);
      expect(unequal(again, recorded.answers)).toEqual([]);
    }
  });
});

const isError = (answer: unknown) => typeof answer === 'string';
/** The line 2.x does not ask a server without the capability. */
const isUnasked = (answer: unknown, other: unknown) =>
  JSON.stringify(answer) === '[]' && String(other).includes('-32601');

/** The answers that differ. Errors of clients have their own words, so only their being errors counts. */
function unequal(found: unknown[], expected: unknown[]): unknown[] {
  return found.flatMap((each, index) => {
    const other = expected[index];
    if ((isError(each) && isError(other)) || isUnasked(each, other) || isUnasked(other, each)) return [];
    return JSON.stringify(sorted(each)) === JSON.stringify(sorted(other)) ? [] : [[each, other]];
  });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort()
      .map(([name, each]) => [name, sorted(each)]),
  );
}

test.each(['our-server', 'official-2-server'])(
  '%s of 2026-07-28 is replayed to its revision and to older ones',
  async (name) => {
    const place = freshFolder();
    const command = [node, path(`test/fixtures/interop/${name}.mjs`)];
    const recorded = await recordStdio(command, 'standard', place, 2, MODERN);
    await expectEqual(recorded, 'standard', place, [[2, MODERN]]);
    for (const [line, revision] of [
      [2, NEWEST_OF_1],
      [1, NEWEST_OF_1],
    ] as const) {
      const older = await walked(replaying(recorded.file), line, revision, 'standard', place);
      expect(unequal(older.slice(5), recorded.answers.slice(5))).toEqual([]);
    }
  },
);

test.each(legacyRevisions)(
  'a recording of %s answers a client of its revision and one of 2026-07-28',
  async (revision) => {
    const place = freshFolder();
    const command = [node, path('test/fixtures/interop/our-server.mjs')];
    const recorded = await recordStdio(command, 'standard', place, 1, revision);
    await expectEqual(recorded, 'standard', place, [[1, revision]]);
    const modern = await walked(replaying(recorded.file), 2, MODERN, 'standard', place);
    expect(modern).toHaveLength(recorded.answers.length);
  },
);

test.each([
  ['our server', serveOurs, 2, MODERN],
  ['our server', serveOurs, 1, NEWEST_OF_1],
  ['the official server of the 1.x line', serveOfficial1, 1, NEWEST_OF_1],
  ['the official server of the 2.x line', () => serveOfficial2('modern'), 2, MODERN],
] as const)('%s over HTTP (%#) is replayed over stdio and over HTTP', async (_, serve, line, revision) => {
  const { url, close } = await serve();
  later(async () => void (await close()));
  const place = freshFolder();
  const file = newFile();
  const tap = await startHttpTap({ url, record: file, announce: false, name: 'remote' }, () => undefined);
  later(() => tap.close());
  const answers = await walked({ url: tap.address, transport: 'http' }, line, revision, 'standard', place);
  await tap.close();
  await expectEqual({ file, answers }, 'standard', place, [[line, revision]]);
});

test('a program gets the same answers without a process', async () => {
  const place = freshFolder();
  const { file } = await recordStdio([node, installed('everything'), 'stdio'], 'everything', place, 1, NEWEST_OF_1);
  const client = await clientOf(replayed(file));
  expect((await client.callTool('echo', { message: 'again' })).content).toEqual([
    { type: 'text', text: 'Echo: again' },
  ]);
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(5);
});

test('`check` finds nothing in a replayed server that the recorded one did not have', async () => {
  const place = freshFolder();
  const command = [node, path('test/fixtures/interop/our-server.mjs')];
  const { file } = await recordStdio(command, 'standard', place, 1, NEWEST_OF_1);
  const { code, stdout } = await spawnCli(['check', '--rule', 'lifecycle/*', '--', node, program, 'replay', file]);
  expect(stdout).toMatch(/^MCP server: /m);
  expect(code).toBe(0);
});
