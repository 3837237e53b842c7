import { expect, test } from 'vitest';
import { traceMessage } from './recover-id.ts';

test('an id beyond the range of a double is not recovered: it could not be sent back', () => {
  expect(traceMessage('{"jsonrpc":"2.0","id":1e400,"method":"m"')).toEqual({
    isJsonRpc: true,
    isResponse: false,
    method: 'm',
  });
  expect(traceMessage('{"jsonrpc":"2.0","id":7,"method":"m"').id).toBe(7);
});
