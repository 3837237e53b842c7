// A recorded server is changed in one way at a time: the verification reports exactly that change.

import { beforeAll, expect, test } from 'vitest';
import {
  isVerifyFailure,
  type VerifyOptions,
  type VerifyReport,
  type VerifyResult,
  verify,
} from '../../src/entry/recording.ts';
import { cleanEnv } from '../cli/run-cli.ts';
import { recordedVolatile, volatile } from './volatile.ts';

let file: string;
const run = (change: string | undefined, options: VerifyOptions = {}) => {
  const [command, ...args] = volatile(change);
  const target = { command: command!, args, env: cleanEnv as Record<string, string>, stderr: 'ignore' as const };
  // A test must not depend on the speed of the machine: only the change that takes 3 s longer counts as slower.
  return verify(file, target, { allowCalls: ['create'], slowerByMs: 2900, slowerFactor: 2, ...options });
};

beforeAll(async () => {
  file = await recordedVolatile();
  const { counts } = await run(undefined, { learn: true });
  expect(counts).toMatchObject({ same: 15, different: 0, failing: 0 });
}, 60_000);

const nameOf = ({ method, target, status }: VerifyResult) => `${status} ${target ?? method}`;
const found = ({ results }: VerifyReport) => results.filter(({ status }) => status !== 'same');
const at = (result: VerifyResult) => result.differences.map(({ path }) => path);
const changesOf = (result: VerifyResult) =>
  (result.changes ?? []).flatMap(({ what, name, kind, changes }) =>
    kind === 'changed'
      ? changes.map(({ path, effect }) => [what, name, path, effect].filter((word) => word !== '').join(' '))
      : `${what} ${name} ${kind}`,
  );

test('nothing is reported about the same server', async () => {
  const report = await run(undefined);
  expect(found(report)).toEqual([]);
  expect(report.results.some((result) => isVerifyFailure(result, true))).toBe(false);
});

test('another version number of the server is not a difference', async () => {
  expect(found(await run('version'))).toEqual([]);
});

test.each([
  ['description', ['tool forecast description wording']],
  ['added tool', ['tool further added']],
])('definitions: %s', async (change, changes) => {
  const [list, ...others] = found(await run(change));
  expect(nameOf(list!)).toBe('different tools/list');
  expect(changesOf(list!)).toEqual(changes);
  expect(list!.differences).toEqual([]);
  expect(others).toEqual([]);
});

test('a renamed argument changes the definition, and the call fails', async () => {
  const report = await run('renamed argument');
  const [list, call, ...others] = found(report);
  expect(changesOf(list!)).toEqual([
    'tool forecast inputSchema.city breaking',
    'tool forecast inputSchema.town breaking',
  ]);
  expect(nameOf(call!)).toBe('failing forecast');
  expect(call!.reason).toMatch(/town/);
  expect(others).toEqual([]);
});

test('a removed tool changes the list, and its call counts as failing', async () => {
  const [list, call, ...others] = found(await run('removed tool'));
  expect(changesOf(list!)).toEqual(['tool last removed']);
  expect([nameOf(call!), call!.reason]).toEqual([
    'failing last',
    'The server no longer has this tool; the call was not sent',
  ]);
  expect(others).toEqual([]);
});

test('a removed resource changes the list, and reading it fails', async () => {
  const [list, read, ...others] = found(await run('removed resource'));
  expect([nameOf(list!), changesOf(list!)]).toEqual(['different resources/list', ['resource mem://readme removed']]);
  expect(nameOf(read!)).toBe('failing mem://readme');
  expect(others).toEqual([]);
});

test.each([
  ['text', 'forecast', ['result.content[0].text']],
  ['lost field', 'record', ['result.content[0].text.json().unit', 'result.structuredContent.unit']],
  ['new field', 'record', ['result.content[0].text.json().more', 'result.structuredContent.more']],
  ['type', 'record', ['result.content[0].text.json().count', 'result.structuredContent.count']],
  ['order', 'record', ['result.content[0].text.json().names', 'result.structuredContent.names']],
  ['prompt', 'greet', ['result.messages[0].content.text']],
  ['question', 'ask', ['questions[0].params.message']],
])('%s', async (change, target, paths) => {
  const report = await run(change);
  expect(found(report).map(nameOf)).toEqual([`different ${target}`]);
  expect(at(found(report)[0]!)).toEqual(paths);
  expect(
    found(report)[0]!.differences.every(({ isOrder }) => isOrder === (change === 'order' ? true : undefined)),
  ).toBe(true);
});

test('instructions', async () => {
  const report = await run('instructions');
  expect(found(report).map(({ number, status }) => [number, status])).toEqual([[0, 'different']]);
  expect(changesOf(found(report)[0]!)).toEqual(['server instructions wording']);
});

test('a new error is newly failing', async () => {
  const report = await run('error');
  expect(found(report).map(nameOf)).toEqual(['failing steady']);
  expect(found(report)[0]).toMatchObject({
    reason: 'The tool failed: The database is locked',
    before: { outcome: 'ok' },
    after: { outcome: 'tool-error' },
  });
});

test('an error that is gone is fixed, which fails only with strict', async () => {
  const report = await run('fixed');
  const [result, ...others] = found(report);
  expect([nameOf(result!), others]).toEqual(['fixed broken', []]);
  expect([isVerifyFailure(result!), isVerifyFailure(result!, true)]).toEqual([false, true]);
});

test('a slower answer is reported, which fails only with strict', async () => {
  const report = await run('slower');
  expect(found(report)).toEqual([]);
  const slower = report.results.filter(({ isSlower }) => isSlower);
  expect(slower.map(({ target }) => target)).toEqual(['steady']);
  expect(report.counts.slower).toBe(1);
  expect([isVerifyFailure(slower[0]!), isVerifyFailure(slower[0]!, true)]).toEqual([false, true]);
});

test('a crash is newly failing, and the rest runs in a new process', async () => {
  const report = await run('crash');
  expect(found(report).map(nameOf)).toEqual(['failing steady']);
  expect(found(report)[0]).toMatchObject({
    after: { outcome: 'lost' },
    stderr: expect.stringContaining('out of memory'),
  });
  expect(report.restarts).toBe(1);
});
