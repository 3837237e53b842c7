import { expect, test } from 'vitest';
import type { Exchange } from './exchange.ts';
import { loadedOnce, schemaViolations } from './schema-check.ts';

const answerTo = (method: string, result: unknown) =>
  schemaViolations({ jsonrpc: '2.0', id: 1, result }, [{ id: 1, method } as Exchange]);

test('valid messages of both eras have no violations', async () => {
  const text = { type: 'text', text: 'x' };
  expect(await answerTo('tools/call', { content: [text] })).toEqual([]);
  expect(await answerTo('tools/call', { resultType: 'complete', content: [text] })).toEqual([]);
  expect(await answerTo('tools/call', { resultType: 'input_required', inputRequests: {} })).toEqual([]);
  expect(await answerTo('tools/list', { tools: [{ name: 'a', inputSchema: { type: 'object' } }] })).toEqual([]);
  expect(await schemaViolations({ jsonrpc: '2.0', method: 'notifications/initialized' }, [])).toEqual([]);
});

test('a violation is reported with its path', async () => {
  expect(await answerTo('tools/list', { tools: [{ name: 1, inputSchema: { type: 'object' } }] })).toEqual([
    'Violates the schema of the result of tools/list at tools.0.name: Invalid input: expected string, received number',
  ]);
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1 } };
  expect(await schemaViolations(progress, [])).toEqual([expect.stringContaining('at params.progress')]);
});

test('for a union, the closest variant is explained', async () => {
  const [violation] = await answerTo('tools/call', { content: [{ type: 'image', data: 5, mimeType: 'image/png' }] });
  expect(violation).toContain('at content.0.data');
});

test('checks all messages of a batch', async () => {
  const broken = { jsonrpc: '2.0', method: 'notifications/progress', params: {} };
  const violations = await schemaViolations([broken, broken], []);
  expect(violations.length).toBeGreaterThanOrEqual(2);
});

test('methods without a schema are not checked', async () => {
  expect(await answerTo('x/unknown', { any: 1 })).toEqual([]);
  expect(await schemaViolations({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'm' } }, [])).toEqual([]);
  for (const odd of [undefined, null, 5, 'text', {}, []]) expect(await schemaViolations(odd, [])).toEqual([]);
});

test('limits the list of violations', async () => {
  const tools = Array.from({ length: 500 }, () => ({ name: 1 }));
  expect(await answerTo('tools/list', { tools })).toHaveLength(20);
});

test('a module is loaded once for all callers', async () => {
  let loads = 0;
  const get = loadedOnce(async () => ++loads);
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect(await get()).toBe(1);
});

test('a failed load rejects for all waiting callers, and the next call retries it', async () => {
  let loads = 0;
  const get = loadedOnce(async () => {
    if (++loads === 1) throw new Error('not now');
    return loads;
  });
  const both = await Promise.allSettled([get(), get()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await get()).toBe(2);
  expect(await get()).toBe(2);
});
