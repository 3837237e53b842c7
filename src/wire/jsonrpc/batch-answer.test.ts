import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BatchAnswers } from './batch-answer.ts';
import type { JsonRpcRequest, JsonRpcResponse } from './message.ts';

const request = (id: number): JsonRpcRequest => ({ jsonrpc: '2.0', id, method: 'm' });
const answer = (id: number, chars = 0): JsonRpcResponse => ({
  jsonrpc: '2.0',
  id,
  result: { text: 'x'.repeat(chars) },
});
const idsOf = (answers: JsonRpcResponse[]) => answers.map(({ id }) => id);

test('sends a batch that waits for its last answer in parts when too much data waits with it', () => {
  const batches = new BatchAnswers(10_000);
  const sent: unknown[][] = [];
  const requests = Array.from({ length: 6 }, (_, id) => request(id));
  batches.open(requests, [], (answers) => sent.push(idsOf(answers)));
  for (const id of [0, 1, 2, 3]) batches.add(requests[id]!, answer(id, 4000));
  expect(sent).toEqual([[0, 1, 2]]);
  batches.add(requests[4]!, undefined);
  batches.add(requests[5]!, answer(5));
  expect(sent).toEqual([
    [0, 1, 2],
    [3, 5],
  ]);
});

test('limits the data of many batches that wait for one answer', () => {
  const batches = new BatchAnswers(10_000);
  const sent: unknown[][] = [];
  for (let n = 0; n < 1000; n++) {
    const waits = request(2 * n);
    const ends = request(2 * n + 1);
    batches.open([waits, ends], [], (answers) => sent.push(idsOf(answers)));
    batches.add(ends, answer(2 * n + 1, 900));
  }
  expect(sent.length).toBeGreaterThan(980);
});

test('sends every answer once in any order of arrival, and in one array if there is space', () => {
  const step = fc.record({ batch: fc.nat(3), chars: fc.nat(300), isCancelled: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(500, Number.MAX_SAFE_INTEGER), (steps, limit) => {
      const batches = new BatchAnswers(limit);
      const sent: JsonRpcResponse[][] = [];
      const requests = steps.map((_, id) => request(id));
      for (const batch of [0, 1, 2, 3]) {
        const own = requests.filter((_, id) => steps[id]!.batch === batch);
        batches.open(own, [], (answers) => sent.push(answers));
      }
      for (const [id, { chars, isCancelled }] of steps.entries()) {
        expect(batches.add(requests[id]!, isCancelled ? undefined : answer(id, chars))).toBe(true);
        expect(batches.add(requests[id]!, answer(id))).toBe(false);
      }
      const expected = steps.flatMap(({ isCancelled }, id) => (isCancelled ? [] : [id]));
      expect(sent.flatMap(idsOf).sort((a, b) => Number(a) - Number(b))).toEqual(expected);
      if (limit > 500) expect(sent).toHaveLength(new Set(expected.map((id) => steps[id]!.batch)).size);
    }),
  );
});
