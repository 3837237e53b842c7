// Random bytes sent to a server: it keeps running and answers the next request. Many times in memory, and once for each
// example server in a real process.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calculator, type RawEnd, rawClientOf } from '../../src/litemcp/memory.contract.ts';
import { type Command, canRun, node, python, startRaw } from './raw-process.ts';

const request =
  '{"version":[1,0,0],"id":3,"type":"call","data":{"version":[1,0,0],"tool":"Calculator","arguments":["2","3"]}}';
const encoder = new TextEncoder();

/** A valid message with a few bytes changed, removed or inserted. */
const damaged = fc
  .array(fc.tuple(fc.nat(request.length), fc.nat(4), fc.uint8Array({ maxLength: 4 })), { minLength: 1, maxLength: 5 })
  .map((edits) => {
    const bytes = [...encoder.encode(request)];
    for (const [at, removed, added] of edits) bytes.splice(at, removed, ...added);
    return Uint8Array.from(bytes);
  });
const pieces = [
  '{',
  '}',
  '"',
  '\n',
  '\n\n\n',
  '\r\n',
  '[',
  '"id":',
  '7',
  '"type":"get"',
  '"data":null',
  '"version":[1,0,0]',
  ',',
];
const almostJson = fc
  .array(fc.constantFrom(...pieces), { maxLength: 12 })
  .map((parts) => encoder.encode(parts.join('')));
const junk = fc.oneof(fc.uint8Array({ maxLength: 300 }), damaged, almostJson);

// Ids that do not occur in random input, which may contain small ones.
let id = 1_000_000_000;

async function expectAlive(raw: RawEnd): Promise<void> {
  id++;
  raw.write(`\n\n\n${request.replace('"id":3', `"id":${id}`)}\n\n\n`);
  for (;;) {
    const answer = await raw.nextJson();
    if (answer.id !== id) continue; // the error that answers the invalid input
    expect(answer).toMatchObject({ type: 'result', data: { response: { content: [{ data: '5' }], error: false } } });
    return;
  }
}

test('the next request is answered after any input', async () => {
  const { raw } = await rawClientOf(calculator());
  await fc.assert(
    fc.asyncProperty(fc.array(junk, { minLength: 1, maxLength: 5 }), async (chunks) => {
      for (const chunk of chunks) raw.write(chunk);
      await expectAlive(raw);
    }),
    { numRuns: 500 },
  );
});

const calculators: [string, Command][] = [
  ['calculator.mjs', node('examples/litemcp/calculator.mjs')],
  ['calculator.py', python('examples/litemcp/calculator.py')],
];

test.each(calculators.filter(canRun))('a real process survives random input too: %s', async (_name, command) => {
  const { raw, exited } = startRaw(command);
  for (const chunks of fc.sample(fc.array(junk, { minLength: 1, maxLength: 5 }), 200)) {
    for (const chunk of chunks) raw.write(chunk);
    await expectAlive(raw);
  }
  raw.stream.end();
  expect(await exited).toBe(0);
});
