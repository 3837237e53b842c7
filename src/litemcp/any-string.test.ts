import { duplexPair } from 'node:stream';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { LiteMcpClient } from './client.ts';
import { RawEnd, wireOver } from './memory.contract.ts';
import { LiteMcpServer } from './server.ts';

// Arbitrary strings: newlines, runs of three, NUL, emoji, and lone surrogates, which JSON carries as escapes.
const lone = fc.constantFrom(
  '\ud800',
  '\udfff',
  '\ud83d',
  '\u2028',
  '\u0000',
  '\n\n\n',
  '\r\n\r\n\r\n',
  '😀',
  '"',
  '\\',
);
const anyString = fc
  .array(fc.oneof(fc.string({ unit: 'binary' }), lone), { maxLength: 6 })
  .map((parts) => parts.join(''));

const echo = new LiteMcpServer(
  {
    name: 'Echo',
    parameters: [
      { name: 'one', type: 'string' },
      { name: 'two', type: 'string' },
    ],
  },
  ({ one, two }) => [
    { type: one, data: two },
    { type: two, data: one },
  ],
);
const [near, far] = duplexPair();
const client = new LiteMcpClient(wireOver(near));
await echo.serve(wireOver(far));
await client.start();
afterAll(() => client.close());

test('any string passes to the server and back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(anyString, anyString, async (one, two) => {
      const { params, response } = await client.call({ one, two });
      expect(params).toEqual({ one, two });
      expect(response).toEqual({
        content: [
          { type: one, data: two },
          { type: two, data: one },
        ],
        error: false,
      });
    }),
    { numRuns: 300 },
  );
});

test('any string can be the name of a parameter or a tool', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyString,
      anyString,
      fc.uniqueArray(anyString, { maxLength: 4 }),
      async (name, argument, names) => {
        fc.pre(name !== '');
        const parameters = names.map((parameter) => ({ name: parameter, type: 'string' }));
        const server = new LiteMcpServer({ name, parameters }, (_values, call) => call.arguments.join());
        const [left, right] = duplexPair();
        await server.serve(wireOver(right));
        const user = new LiteMcpClient(wireOver(left));
        await user.start();
        const { params } = await user.call(Object.fromEntries(names.map((key) => [key, argument])));
        expect(Object.entries(params).sort()).toEqual(names.map((key) => [key, argument]).sort());
        await user.close();
      },
    ),
    { numRuns: 100 },
  );
});

test('a written message has newlines only at its end', async () => {
  const [left, right] = duplexPair();
  await echo.serve(wireOver(right));
  const raw = new RawEnd(left, left);
  let id = 0;
  await fc.assert(
    fc.asyncProperty(anyString, async (text) => {
      const data = { tool: 'Echo', arguments: [text, text] };
      raw.write(`${JSON.stringify({ version: [1, 0, 0], id: ++id, type: 'call', data }, null, 2)}\n\n\n`);
      expect(await raw.next()).toMatch(/^[^\n]+\n\n\n$/);
      expect(raw.unread).toBe('');
    }),
    { numRuns: 100 },
  );
});
