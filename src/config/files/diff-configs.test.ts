import { expect, test } from 'vitest';
import type { ConfigFile } from '../config-file.ts';
import { read } from '../read-text.contract.ts';
import { diffConfigs, isEmptyDiff, keepLastGood } from './diff-configs.ts';

const config = (servers: object) => read(JSON.stringify({ mcpServers: servers }));
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);

async function diff(before: object, after: object) {
  const { added, removed, changed, unchanged } = diffConfigs(await config(before), await config(after));
  return {
    added: names(added),
    removed: names(removed),
    changed: changed.map((each) => each.after.name),
    unchanged: names(unchanged),
  };
}

test('each entry is added, removed, changed or unchanged', async () => {
  const before = { gone: { command: 'x' }, same: { command: 'x' }, other: { command: 'x' } };
  const after = { other: { command: 'y' }, same: { command: 'x' }, fresh: { command: 'x' } };
  expect(await diff(before, after)).toEqual({
    added: ['fresh'],
    removed: ['gone'],
    changed: ['other'],
    unchanged: ['same'],
  });
});

test.each<[what: string, after: object, before?: object]>([
  ['args', { args: ['a'] }],
  ['the order of args', { args: ['b', 'a'] }, { args: ['a', 'b'] }],
  ['a value of env', { env: { A: '1' } }],
  ['cwd', { cwd: 'sub' }],
  ['enabled', { enabled: false }],
  ['a limit of restart', { restart: { maxRestarts: 1 } }],
  ['a wait of stop', { stop: { stdinMs: 1 } }],
  ['a tool', { tools: { deny: ['x'] } }],
  ['framing', { framing: 'newline' }],
  ['era', { era: 'legacy' }],
  ['revision', { revision: '2025-06-18' }],
])('%s is a change', async (_, after, before = {}) => {
  expect(await diff({ a: { command: 'x', ...before } }, { a: { command: 'x', ...after } })).toMatchObject({
    changed: ['a'],
  });
});

test.each<[what: string, after: object, before?: object]>([
  ['a default written out', { autoStart: true, args: [], restart: 'always' }],
  ['the order of keys in env', { env: { B: '2', A: '1' } }, { env: { A: '1', B: '2' } }],
  ['a variable instead of its value', { env: { A: '${NO:-1}' } }, { env: { A: '1' } }],
  ['a key that is not read', { description: 'x' }],
])('%s is no change', async (_, after, before = {}) => {
  expect(await diff({ a: { command: 'x', ...before } }, { a: { command: 'x', ...after } })).toMatchObject({
    unchanged: ['a'],
  });
});

test('comments, blank lines and the order of entries are no change', async () => {
  const before = await read('{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}');
  const after = await read('// new\n{"servers": {\n\n"b": {"command": "y"}, "a": {"command": "x"}}}');
  expect(isEmptyDiff(diffConfigs(before, after))).toBe(true);
});

const keep = (before: ConfigFile, after: ConfigFile) => keepLastGood([before], [after])[0]!;

test('a file that is temporarily not JSON keeps its servers and reports the problem', async () => {
  const before = await config({ a: { command: 'x' } });
  const kept = keep(before, await read('{"mcpServers": {'));
  expect(kept.servers).toEqual(before.servers);
  expect(kept.problems).toMatchObject([{ severity: 'error' }]);
});

test('a temporarily invalid entry keeps its settings, while others change', async () => {
  const before = await config({ a: { command: 'x' }, b: { command: 'y' }, c: { command: 'z' } });
  const kept = keep(before, await config({ a: {}, b: { command: 'new' } }));
  expect(Object.fromEntries(kept.servers.map(({ name, command }) => [name, command]))).toEqual({ a: 'x', b: 'new' });
  expect(kept.rejected).toEqual([]);
  expect(kept.problems).toMatchObject([{ server: 'a', severity: 'error' }]);
});

test('an entry that was never valid is omitted', async () => {
  const kept = keep(await config({ a: {} }), await config({ a: { args: [] } }));
  expect(kept).toMatchObject({ servers: [], rejected: [{ name: 'a' }] });
});

test('an entry that became a remote one is changed, not kept', async () => {
  const kept = keep(await config({ a: { command: 'x' } }), await config({ a: { url: 'https://x.test' } }));
  expect(kept).toMatchObject({ servers: [{ url: 'https://x.test' }], rejected: [] });
});
