import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageFault, parseMessage } from './parse.ts';
import { traceMessage } from './recover-id.ts';

const parse = (text: string, batches = false) =>
  parseMessage(text, { batches, arrayParams: false, maxFrameValues: 100 });
const faultOf = (text: string, batches = false) => {
  const parsed = parse(text, batches);
  expect(parsed).toBeInstanceOf(MessageFault);
  return parsed as MessageFault;
};

describe('a message', () => {
  test.each([
    ['a request', '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}'],
    ['a request whose id is 0', '{"jsonrpc":"2.0","id":0,"method":"m"}'],
    ['a request whose params are null', '{"jsonrpc":"2.0","id":0,"method":"m","params":null}'],
    ['a notification', '{"jsonrpc":"2.0","method":"m"}'],
    ['a result', '{"jsonrpc":"2.0","id":"x","result":{}}'],
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}'],
    ['an error without an id', '{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}'],
    ['an error with the id null', '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}'],
  ])('is returned unchanged: %s', (_name, text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  test('keeps the type of its id', () => {
    expect(parse('{"jsonrpc":"2.0","id":1,"result":{}}')).toMatchObject({ id: 1 });
    expect(parse('{"jsonrpc":"2.0","id":"1","result":{}}')).toMatchObject({ id: '1' });
  });

  test('a message with the member __proto__ does not pollute prototypes', () => {
    parse(
      '{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":{"polluted":true}},"__proto__":{"polluted":true}}',
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('a message that is nested 100,000 deep is parsed', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(parse(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"deep":${deep}}}`)).toMatchObject({ id: 1 });
  });
});

describe('a fault', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":', 7],
    ['{"jsonrpc":"2.0","id":"abc","method":"m" oops}', 'abc'],
    ['{"jsonrpc":"2.0","params":{"id":99,"x":[{"id":98}]},"id":5,"method":}', 5],
    ['{"jsonrpc":"2.0","method":"m","params":{"id":99', undefined],
    ['hello', undefined],
    ['{"id', undefined],
    ['', undefined],
  ])('is −32700 for broken JSON, with the id if it is readable: %s', (text, id) => {
    expect(faultOf(text)).toMatchObject({ rpcCode: -32700, id });
  });

  test.each([
    ['{"id":4,"method":"m"}', 4, '"jsonrpc"'],
    ['{"jsonrpc":"1.0","id":4,"method":"m"}', 4, '"jsonrpc"'],
    ['{"jsonrpc":"2.0","id":4,"method":12}', 4, '"method" must be a string, not a number'],
    ['{"jsonrpc":"2.0","id":1e400,"method":"m"}', undefined, 'not a number beyond the range of a double'],
    ['{"jsonrpc":"2.0","id":null,"method":"m"}', undefined, '"id" must be a string or number, not null'],
    ['{"jsonrpc":"2.0","id":{},"method":"m"}', undefined, 'not an object'],
    ['{"jsonrpc":"2.0","id":4,"method":"m","params":[1]}', 4, '"params" must be an object, not an array'],
    ['{"jsonrpc":"2.0","id":4}', 4, 'needs "method", "result" or "error"'],
    ['{"jsonrpc":"2.0","result":{}}', undefined, '"id" of a result'],
    ['{"jsonrpc":"2.0","id":4,"error":"no"}', 4, 'numeric "code"'],
    ['42', undefined, 'must be a JSON object, not a number'],
    ['null', undefined, 'not null'],
  ])('is −32600 for the wrong shape, with the reason: %s', (text, id, words) => {
    const fault = faultOf(text);
    expect(fault).toMatchObject({ rpcCode: -32600, id });
    expect(fault.message).toContain(words);
  });
});

describe('a batch', () => {
  test('is refused in revisions without batches', () => {
    expect(faultOf('[{"jsonrpc":"2.0","method":"m"}]')).toMatchObject({ rpcCode: -32600 });
  });
  test('is returned in order, with its faults in place', () => {
    const parsed = parse('[{"jsonrpc":"2.0","id":1,"method":"m"},3]', true) as unknown[];
    expect(parsed[0]).toMatchObject({ id: 1 });
    expect(parsed[1]).toBeInstanceOf(MessageFault);
  });
  test('must not be empty', () => {
    expect(faultOf('[]', true)).toMatchObject({ rpcCode: -32600 });
  });
});

describe('the traces of a truncated message', () => {
  test('never contain another id than that of the message', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer(), fc.string()),
        fc.jsonValue(),
        fc.boolean(),
        fc.nat(),
        (id, value, idFirst, cut) => {
          const body = { jsonrpc: '2.0', ...(idFirst ? { id, result: value } : { result: value, id }) };
          const text = JSON.stringify(body);
          const traces = traceMessage(text.slice(0, cut % (text.length + 1)));
          if (traces.id !== undefined) expect(traces.id).toBe(id);
          expect(traceMessage(text)).toMatchObject({ id, isJsonRpc: true, isResponse: true });
        },
      ),
      { numRuns: 500 },
    );
  });
  test('are found after a string of twenty million characters', () => {
    const text = `{"jsonrpc":"2.0","result":{"text":"${'\\n'.repeat(10_000_000)}"},"id":7,oops`;
    expect(faultOf(text)).toMatchObject({ rpcCode: -32700, id: 7, isResponse: true });
  });
  test('are found in any bytes without throwing', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', 'id', '1', ' ') }),
        (text) => {
          traceMessage(text);
          parseMessage(text, { batches: true, arrayParams: false, maxFrameValues: 1000 });
        },
      ),
      { numRuns: 2000 },
    );
  });
});
