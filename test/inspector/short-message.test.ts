// The summary of a message in the view of the wire.

import { describe, expect, it } from 'vitest';
import { shortMessage } from '../../ui/src/text/short-message.ts';

describe('the summary of a message', () => {
  it('is the payload of the message, without its envelope', () => {
    for (const [whole, shown] of [
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"}}', '{"name":"add"}'],
      [
        '{"jsonrpc": "2.0", "id": "a-1", "result": {"content": [], "isError": false}}',
        '{"content": [], "isError": false}',
      ],
      ['{"method":"notifications/message","params":{"data":"}{"},"jsonrpc":"2.0"}', '{"data":"}{"}'],
      ['{"jsonrpc": "2.0", "method": "notifications/initialized"}', ''],
      [
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no \\"x\\""}}',
        '{"code":-32601,"message":"no \\"x\\""}',
      ],
      ['{"jsonrpc":"2.0","id":7,"result":5}', '5'],
      ['{"version":[1,0,0],"id":2,"type":"call","data":{"tool":"Calculator"}}', '{"tool":"Calculator"}'],
      ['{"jsonrpc":"2.0","id":1,"result":{},"extra":true}', '"result": {}, "extra": true'],
    ]) {
      expect(shortMessage(whole!)).toBe(shown);
    }
  });

  it('marks where it was cut off', () => {
    const whole = '{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "long"}}';
    expect(shortMessage(whole.slice(0, -7))).toBe('{"level": "info", "data": "…');
    expect(shortMessage(whole.slice(0, -1))).toBe('{"level": "info", "data": "long"}');
  });

  it('is the text itself if it is not an object', () => {
    for (const text of ['DEBUG: {"a":1}', '', 'batch of 2: a, b', '{not json']) expect(shortMessage(text)).toBe(text);
  });
});
