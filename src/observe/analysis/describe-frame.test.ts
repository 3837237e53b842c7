import { describe, expect, it } from 'vitest';
import type { FlowDirection, FrameEvent } from '../flow/event.ts';
import { FlowStore } from '../flow/store.ts';
import { describeFrame } from './describe-frame.ts';

function frame(text: string, direction: FlowDirection = 'fromServer', keepFrameBytes?: number): FrameEvent {
  const store = new FlowStore({ keepFrameBytes });
  store.begin('a').frame(direction, Buffer.from(text), 0);
  return store.get(1) as FrameEvent;
}

describe('a frame is described as', () => {
  it.each([
    [
      'a request',
      '{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{"name":"add","_meta":{"progressToken":3}}}',
      { kind: 'request', id: '7', method: 'tools/call', tool: 'add', progressToken: 3 },
    ],
    [
      'a notification',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      { kind: 'notification', method: 'notifications/initialized' },
    ],
    [
      'a cancel',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}',
      { kind: 'notification', method: 'notifications/cancelled', cancels: 7 },
    ],
    [
      'progress',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}',
      { kind: 'notification', method: 'notifications/progress', progressToken: 't' },
    ],
    ['a result', '{"jsonrpc":"2.0","id":1,"result":{}}', { kind: 'response', id: 1 }],
    [
      "a tool's failure",
      '{"jsonrpc":"2.0","id":1,"result":{"isError":true}}',
      { kind: 'response', id: 1, toolError: true },
    ],
    [
      'an error',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}',
      { kind: 'response', id: 1, error: { code: -32601, message: 'no' } },
    ],
  ])('%s', (_, text, description) => {
    expect(describeFrame(frame(text))).toEqual({ kind: description.kind, messages: [description] });
  });

  it('stray output if it is not JSON-RPC and comes from the server', () => {
    expect(describeFrame(frame('Server started'))).toEqual({ kind: 'noise', messages: [], noise: 'Server started' });
  });

  it('an invalid message if such text goes to the server', () => {
    expect(describeFrame(frame('hello', 'toServer'))).toMatchObject({
      kind: 'invalid',
      messages: [{ kind: 'invalid' }],
    });
  });

  it('an invalid message if it is almost JSON-RPC', () => {
    expect(describeFrame(frame('{"jsonrpc":"1.0","id":4,"result":{}}'))).toMatchObject({
      kind: 'invalid',
      messages: [{ kind: 'invalid', id: 4, isResponse: true, problem: expect.stringContaining('2.0') }],
    });
  });

  it('an answer after stray output on one line', () => {
    expect(describeFrame(frame('Loading... {"jsonrpc":"2.0","id":1,"result":{}}'))).toEqual({
      kind: 'response',
      messages: [{ kind: 'response', id: 1 }],
      noise: 'Loading... ',
    });
  });

  it('a batch, with all its messages', () => {
    const batch = '[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"},3]';
    expect(describeFrame(frame(batch, 'toServer'))).toMatchObject({
      kind: 'batch',
      messages: [{ id: 1, method: 'a' }, { method: 'b' }, { kind: 'invalid' }],
    });
  });

  it.each([
    [`{"result":{"text":"${'x'.repeat(3000)}"},"jsonrpc":"2.0","id":"a\\"b"}`, { kind: 'response', id: 'a"b' }],
    [`{"jsonrpc":"2.0","id":12,"result":{"text":"${'x'.repeat(3000)}"}}`, { kind: 'response', id: 12 }],
    [
      `{"method":"tools/call","params":{"name":"put","arguments":{"text":"${'x'.repeat(3000)}"}},"jsonrpc":"2.0","id":5}`,
      { kind: 'request', id: 5, method: 'tools/call', tool: 'put' },
    ],
    [
      `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${'x'.repeat(3000)}"}}`,
      { kind: 'notification', method: 'notifications/message' },
    ],
  ])('the facts in its ends, if it was too long to keep: %.30s', (text, description) => {
    const { kind, messages } = describeFrame(frame(text, 'fromServer', 2000));
    expect({ kind, messages }).toEqual({ kind: description.kind, messages: [expect.objectContaining(description)] });
  });
});
