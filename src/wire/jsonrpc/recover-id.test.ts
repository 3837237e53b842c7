import { expect, test } from 'vitest';
import { traceMessage } from './recover-id.ts';

test('does not recover an id beyond the range of a double, which could not be returned', () => {
  expect(traceMessage('{"jsonrpc":"2.0","id":1e400,"method":"m"')).toEqual({
    isJsonRpc: true,
    isResponse: false,
    method: 'm',
  });
  expect(traceMessage('{"jsonrpc":"2.0","id":7,"method":"m"').id).toBe(7);
});
