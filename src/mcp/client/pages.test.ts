import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RpcError } from '../../base/errors.ts';
import { type ListSource, readAllPages } from './pages.ts';

const list = { method: 'tools/list', member: 'tools', nameKey: 'name' };
const limits = { maxPages: 100, maxItems: 1000, maxListBytes: 1_000_000 };

type Page = { tools: { name: string }[]; nextCursor?: unknown; ttlMs?: unknown };

/** A server whose answers depend on the cursor and on the number of requests so far. */
function sessionOf(answer: (cursor: string | undefined, time: number) => Page) {
  let asked = 0;
  return {
    server: { era: 'modern' as const, capabilities: {} },
    request: async (_method: string, params: Record<string, unknown>) => answer(params.cursor as string, ++asked),
    get asked() {
      return asked;
    },
  };
}

const read = (session: ListSource, warn: (topic: string) => void = () => undefined) =>
  readAllPages<{ name: string }>(session, list, limits, warn);

test('returns all entries of a list in order for any division into pages, including empty cursors', async () => {
  const cuts = fc.array(fc.array(fc.string(), { maxLength: 4 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(cuts, fc.uniqueArray(fc.string(), { minLength: 20, maxLength: 20 }), async (pages, cursors) => {
      const session = sessionOf((cursor) => {
        const index = cursor === undefined ? 0 : cursors.indexOf(cursor) + 1;
        const tools = pages[index]!.map((name) => ({ name }));
        return index + 1 < pages.length ? { tools, nextCursor: cursors[index] } : { tools };
      });
      const { items } = await read(session);
      expect(items.map(({ name }) => name)).toEqual(pages.flat());
    }),
  );
});

test('the TTL of a list is that of its shortest page, and 0 if one has none', async () => {
  const ttl = async (...ttls: unknown[]) => {
    const session = sessionOf((cursor = '0') => ({
      tools: [],
      ttlMs: ttls[Number(cursor)],
      ...(Number(cursor) + 1 < ttls.length && { nextCursor: String(Number(cursor) + 1) }),
    }));
    return (await read(session)).ttlMs;
  };
  expect(await ttl(300, 100, 200)).toBe(100);
  expect(await ttl(300, -5)).toBe(0);
  expect(await ttl(300, undefined)).toBeUndefined();
  expect(await ttl('300')).toBeUndefined();
});

test('an unknown cursor restarts the list once', async () => {
  const invalid = () => {
    throw new RpcError(-32602, 'Invalid cursor');
  };
  const once = sessionOf((cursor, time) => {
    if (time === 2) invalid();
    return cursor ? { tools: [{ name: 'b' }] } : { tools: [{ name: 'a' }], nextCursor: 'x' };
  });
  expect((await read(once)).items).toEqual([{ name: 'a' }, { name: 'b' }]);
  const always = sessionOf((cursor) => (cursor ? invalid() : { tools: [], nextCursor: 'x' }));
  await expect(read(always)).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
    message: 'The server refused its own cursor for page 2 of tools/list: Invalid cursor',
    hint: expect.stringContaining('nextCursor'),
  });
  expect(always.asked).toBe(4);
  const first = sessionOf(() => invalid());
  await expect(read(first)).rejects.toMatchObject({ code: 'INVALID_PARAMS', message: 'Invalid cursor' });
  expect(first.asked).toBe(1);
});

test('repeated cursors end the list, with a warning', async () => {
  const topics: string[] = [];
  const session = sessionOf(() => ({ tools: [{ name: 'a' }], nextCursor: '' }));
  expect((await read(session, (topic) => topics.push(topic))).items).toHaveLength(2);
  expect(topics).toEqual(['cursor-repeated']);
});

test('an endless list is an error', async () => {
  const byPages = sessionOf((cursor = '0') => ({ tools: [], nextCursor: String(Number(cursor) + 1) }));
  await expect(read(byPages)).rejects.toMatchObject({ code: 'LIST_TOO_LONG' });
  expect(byPages.asked).toBe(limits.maxPages);
  const byItems = sessionOf(() => ({ tools: Array.from({ length: 1001 }, () => ({ name: 'a' })) }));
  await expect(read(byItems)).rejects.toMatchObject({ code: 'LIST_TOO_LONG' });
});

test('limits the bytes of a list of a few long pages', async () => {
  const long = (cursor = '0') => ({ tools: [{ name: 'x'.repeat(400_000) }], nextCursor: String(Number(cursor) + 1) });
  const session = sessionOf(long);
  await expect(read(session)).rejects.toMatchObject({
    code: 'LIST_TOO_LONG',
    message: 'The list of tools/list has more than 1000000 bytes',
    hint: expect.stringContaining('maxListBytes'),
  });
  expect(session.asked).toBe(3);
  const cursors = sessionOf((cursor = '') => ({ tools: [], nextCursor: `${cursor}${'x'.repeat(300_000)}` }));
  await expect(read(cursors)).rejects.toMatchObject({ code: 'LIST_TOO_LONG' });
});
