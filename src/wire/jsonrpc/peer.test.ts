import { describe, expect, test } from 'vitest';
import { Cancellable } from '../../base/cancel-signal.ts';
import { ManualClock } from '../../base/clock.ts';
import { RpcError } from '../../base/errors.ts';
import { memoryPair } from '../transport/stream-transport.ts';
import type { JsonRpcMessage } from './message.ts';
import { Peer, type PeerOptions } from './peer.ts';

async function pair(options: { left?: PeerOptions; right?: PeerOptions } = {}) {
  const [leftEnd, rightEnd] = memoryPair();
  const sentByLeft: JsonRpcMessage[] = [];
  const send = leftEnd.send.bind(leftEnd);
  leftEnd.send = (message) => {
    sentByLeft.push(message);
    return send(message);
  };
  const left = new Peer(leftEnd, options.left);
  const right = new Peer(rightEnd, options.right);
  await Promise.all([left.start(), right.start()]);
  const cancels = () =>
    sentByLeft.filter((message) => 'method' in message && message.method === 'notifications/cancelled');
  return { left, right, leftEnd, rightEnd, sentByLeft, cancels };
}
const never = () => new Promise(() => undefined);
/** A promise that a test resolves. */
function gate<T = void>() {
  let open!: (value: T) => void;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test('a request fails with its error even if a secret in it is a number', async () => {
  const { left, right, leftEnd } = await pair();
  Object.assign(leftEnd, { mask: (text: string) => text.replaceAll('1234567', '[env PIN]') });
  right.handle('pay', () => {
    throw new RpcError(-32000, 'PIN 1234567 is wrong', { pin: 1234567, tried: ['1234567', 7, null] });
  });
  await expect(left.request('pay')).rejects.toMatchObject({
    message: 'PIN [env PIN] is wrong',
    data: { pin: '[env PIN]', tried: ['[env PIN]', 7, null] },
  });
});

describe('both ends', () => {
  test('send requests to each other at the same time', async () => {
    const { left, right } = await pair();
    left.handle('name', () => ({ name: 'left' }));
    right.handle('name', async () => ({ name: 'right', asked: await right.request('name') }));
    expect(await left.request('name')).toEqual({ name: 'right', asked: { name: 'left' } });
  });

  test('have many requests in flight, answered in any order', async () => {
    const { left, right } = await pair();
    const gates = Array.from({ length: 50 }, () => gate());
    const arrived = gate();
    let count = 0;
    right.handle('wait', async (params) => {
      if (++count === 50) arrived.open();
      await gates[params?.n as number]?.opened;
      return params;
    });
    const answers = gates.map((_, n) => left.request('wait', { n }));
    await arrived.opened;
    for (const { open } of gates.reverse()) open();
    expect(await Promise.all(answers)).toEqual(answers.map((_, n) => ({ n })));
  });
});

describe('an answer', () => {
  test('an error rejects with its code, message and data', async () => {
    const { left, right } = await pair();
    right.handle('fail', () => {
      throw new RpcError(-32602, 'bad name', { field: 'name' });
    });
    await expect(left.request('fail')).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      rpcCode: -32602,
      message: 'bad name',
      data: { field: 'name' },
    });
  });
  test('the answer to an unknown method is −32601', async () => {
    const { left } = await pair();
    await expect(left.request('nope')).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND', rpcCode: -32601 });
  });
  test('the answer of a handler that throws is −32603 without a stack', async () => {
    const { left, right } = await pair();
    right.handle('fail', async () => Promise.reject(new Error('disk full')));
    const error = await left.request('fail').catch((thrown) => thrown);
    expect(error).toMatchObject({ rpcCode: -32603, message: 'disk full', data: undefined });
  });
  test('an answer that cannot be written as JSON is still one answer', async () => {
    const { left, right } = await pair();
    right.handle('big', () => ({ value: 1n }));
    await expect(left.request('big')).rejects.toMatchObject({ rpcCode: -32603 });
  });
  test('an answer without a request is reported and has no effect', async () => {
    const { left, right, rightEnd } = await pair();
    const errors: Error[] = [];
    left.onerror = (error) => errors.push(error);
    await rightEnd.send({ jsonrpc: '2.0', id: 'stranger', result: {} });
    right.handle('ok', () => ({}));
    await left.request('ok');
    expect(errors).toMatchObject([{ code: 'MESSAGE_INVALID', message: expect.stringContaining('"stranger"') }]);
  });
});

describe('violations of the other end', () => {
  test('an answer with both a result and error: null is the result', async () => {
    const { left, right, rightEnd } = await pair();
    right.handle('m', async (_params, call) => {
      await rightEnd.send({ jsonrpc: '2.0', id: call.id, result: { fine: true }, error: null } as never);
      return never();
    });
    expect(await left.request('m')).toEqual({ fine: true });
  });
  test('a broken message is reported without its text, which may hold secrets', async () => {
    const { duplexPair } = await import('node:stream');
    const { StreamTransport } = await import('../transport/stream-transport.ts');
    const [near, far] = duplexPair();
    const peer = new Peer(StreamTransport.over(far, { toleratesNoise: true }));
    await peer.start();
    const answer = peer.request('m');
    near.write('{"jsonrpc":"2.0","id":1,"result":{"k":sk-secret}}\n');
    const error = await answer.then(
      () => expect.unreachable(),
      (thrown) => thrown,
    );
    expect(error.code).toBe('MESSAGE_INVALID');
    expect(error.message).not.toContain('sk-secret');
  });
});

describe('a handler', () => {
  test('may return a promise of any implementation', async () => {
    const { left, right } = await pair();
    class Deferred {
      // biome-ignore lint/suspicious/noThenProperty: a promise of another make is what is tested
      then(resolve: (value: object) => void) {
        resolve({ late: true });
      }
    }
    right.handle('m', () => new Deferred());
    expect(await left.request('m')).toEqual({ late: true });
  });
  test('the rejection of a handler of notifications is reported, not uncaught', async () => {
    const { left, right } = await pair();
    const reported = gate<Error>();
    right.onerror = reported.open;
    right.onNotification('n', async () => Promise.reject(new Error('async trouble')));
    await left.notify('n');
    expect((await reported.opened).message).toBe('async trouble');
  });
  test('receives an empty object if there are no parameters', async () => {
    const { left, right } = await pair();
    right.handle<{ a?: number }>('m', ({ a }) => ({ a: a ?? 'none' }));
    expect(await left.request('m')).toEqual({ a: 'none' });
  });
  test('is not called after the connection is closed', async () => {
    const { left, right, leftEnd } = await pair();
    let ran = 0;
    right.handle('m', () => ++ran);
    await right.close();
    void leftEnd.send({ jsonrpc: '2.0', id: 1, method: 'm' }).catch(() => undefined);
    await left.close();
    expect(ran).toBe(0);
  });
});

describe('a request that takes too long', () => {
  test('times out, sends exactly one cancel, and its late answer is dropped', async () => {
    const clock = new ManualClock();
    const { left, right, cancels } = await pair({ left: { clock } });
    const { open, opened } = gate();
    const cancelled = gate<unknown>();
    right.handle('slow', (_params, call) => {
      call.signal.addEventListener('abort', () => cancelled.open(call.signal.reason));
      return opened.then(() => ({}));
    });
    const answer = left.request('slow', {}, { timeoutMs: 1000 });
    clock.advance(999);
    expect(left.inFlight).toBe(1);
    clock.advance(1);
    await expect(answer).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT', hint: expect.stringContaining('timeoutMs') });
    expect(await cancelled.opened).toContain('1000 ms');
    open();
    await left.request('ping');
    expect(cancels()).toHaveLength(1);
    expect(left.lateAnswers).toBe(0); // the other end honoured the cancellation and did not answer
  });

  test('continues while progress arrives, up to its total limit', async () => {
    const clock = new ManualClock();
    const { left, right, cancels } = await pair({ left: { clock } });
    const started = gate();
    right.handle('slow', (_params, call) => {
      const meta = call.request.params?._meta as { progressToken: number };
      right.onNotification(
        'tick',
        () => void right.notify('notifications/progress', { ...meta, progress: clock.nowMs() }),
      );
      started.open();
      return never();
    });
    const seen: number[] = [];
    let reported = gate();
    const answer = left.request('slow', undefined, {
      timeoutMs: 1000,
      totalTimeoutMs: 2500,
      onProgress: ({ progress }) => {
        seen.push(progress);
        reported.open();
      },
    });
    const failed = expect(answer).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
      message: expect.stringContaining('2500 ms in total'),
    });
    await started.opened;
    for (const _ of [1, 2, 3]) {
      clock.advance(800);
      reported = gate();
      void left.notify('tick');
      await reported.opened;
    }
    expect(seen).toEqual([800, 1600, 2400]);
    clock.advance(100);
    await failed;
    expect(cancels()).toHaveLength(1);
  });

  test('gets no more time from progress that it did not request', async () => {
    const clock = new ManualClock();
    const { left, right } = await pair({ left: { clock } });
    right.handle('slow', async () => {
      for (const progressToken of [1, 2, 3, '1']) {
        await right.notify('notifications/progress', { progressToken, progress: 1 });
      }
      return never();
    });
    const noticed = gate();
    left.onNotification('notifications/progress', (params) => params?.progressToken === '1' && noticed.open());
    const answer = left.request('slow', {}, { timeoutMs: 1000 });
    const failed = expect(answer).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
    clock.advance(999);
    await noticed.opened;
    clock.advance(1);
    await failed;
  });

  test('gets progress after its result until a signal aborts, for at most 10,000 requests', async () => {
    const { left, right } = await pair();
    right.handle('begin', (params) => ({ ...params }));
    right.handle('refuse', () => {
      throw new RpcError(-32000, 'no');
    });
    const seen: number[] = [];
    const begin = (id: number, signal: Cancellable, method = 'begin') =>
      left.request(method, {}, { onProgress: () => seen.push(id), progressUntil: signal });
    const report = async (progressToken: number) => {
      await right.notify('notifications/progress', { progressToken, progress: 1 });
      await right.request('ping');
      return seen.splice(0);
    };
    const [first, second, others] = [new Cancellable(), new Cancellable(), new Cancellable()];
    await begin(1, first);
    await begin(2, second);
    await begin(3, others, 'refuse').catch(() => undefined);
    expect(await report(1)).toEqual([1]);
    expect(await report(1)).toEqual([1]);
    expect(await report(3)).toEqual([]);
    first.cancel('the end');
    expect(await report(1)).toEqual([]);
    for (let id = 4; id <= 10_002; id++) await begin(id, others);
    expect(await report(2)).toEqual([2]);
    await begin(10_003, others);
    expect(await report(2)).toEqual([]);
    expect(await report(4)).toEqual([4]);
    expect(await report(10_003)).toEqual([10_003]);
  });

  test('an answer that crosses the cancellation is counted as late and has no effect', async () => {
    const { left, right, rightEnd } = await pair();
    const abort = new AbortController();
    right.handle('m', async () => never());
    const answer = left.request('m', {}, { signal: abort.signal });
    abort.abort(new Error('changed my mind'));
    await expect(answer).rejects.toThrow('changed my mind');
    await rightEnd.send({ jsonrpc: '2.0', id: 1, result: {} });
    await left.request('ping');
    expect(left.lateAnswers).toBe(1);
  });
});

describe('an abort', () => {
  test('sends exactly one cancel with its reason', async () => {
    const { left, right, cancels } = await pair();
    const abort = new AbortController();
    right.handle('slow', never);
    const answer = left.request('slow', {}, { signal: abort.signal, timeoutMs: 5 });
    abort.abort(new Error('user pressed stop'));
    await expect(answer).rejects.toThrow('user pressed stop');
    await left.request('ping');
    expect(cancels()).toMatchObject([{ params: { requestId: 1, reason: 'user pressed stop' } }]);
  });
  test('before the request sends nothing at all', async () => {
    const { left, sentByLeft } = await pair();
    await expect(left.request('m', {}, { signal: AbortSignal.abort(new Error('too early')) })).rejects.toThrow(
      'too early',
    );
    expect(sentByLeft).toEqual([]);
  });
  test('the abort of a request that must not be cancelled sends nothing', async () => {
    const { left, right, cancels } = await pair();
    const abort = new AbortController();
    right.handle('initialize', never);
    const answer = left.request('initialize', {}, { signal: abort.signal, cancellable: false });
    abort.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    expect(cancels()).toEqual([]);
  });
});

describe('too many requests', () => {
  test('wait in order, and are refused with a reason above the limit of the queue', async () => {
    const { left, right } = await pair({ right: { maxConcurrent: 2, maxQueued: 3 } });
    const { open, opened } = gate();
    let running = 0;
    let most = 0;
    const order: unknown[] = [];
    right.handle('work', async (params) => {
      order.push(params?.n);
      most = Math.max(most, ++running);
      await opened;
      running--;
      return {};
    });
    const answers = Array.from({ length: 7 }, (_, n) => left.request('work', { n }));
    const refused = await Promise.allSettled(answers.slice(5));
    expect(refused.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect((refused[0] as PromiseRejectedResult).reason).toMatchObject({ code: 'SERVER_BUSY' });
    expect((refused[0] as PromiseRejectedResult).reason.message).toContain('2 running and 3 waiting');
    open();
    await Promise.all(answers.slice(0, 5));
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
  });

  test('do not block ping and cancellation', async () => {
    const { left, right } = await pair({ right: { maxConcurrent: 1, maxQueued: 10 } });
    const ran: unknown[] = [];
    const { open, opened } = gate();
    right.handle('work', async (params) => {
      ran.push(params?.n);
      await opened;
      return {};
    });
    const first = left.request('work', { n: 1 });
    const abort = new AbortController();
    const second = left.request('work', { n: 2 }, { signal: abort.signal });
    const third = left.request('work', { n: 3 });
    await left.request('ping');
    abort.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    await left.request('ping');
    expect(right.serving).toBe(2);
    open();
    await Promise.all([first, third]);
    expect(ran).toEqual([1, 3]);
  });

  test('requests that are answered at once do not overflow the stack', async () => {
    const { left, right } = await pair({ right: { maxConcurrent: 1, maxQueued: 100_000 } });
    const { open, opened } = gate();
    right.handle('first', () => opened);
    right.handle('next', () => ({}));
    const answers = [left.request('first'), ...Array.from({ length: 20_000 }, () => left.request('next'))];
    await left.request('ping');
    open();
    await Promise.all(answers);
  });

  test('requests with an id that is still running are refused', async () => {
    const { right, leftEnd } = await pair();
    right.handle('slow', never);
    const answered = gate<unknown>();
    leftEnd.onmessage = answered.open;
    await leftEnd.send({ jsonrpc: '2.0', id: 5, method: 'slow' });
    await leftEnd.send({ jsonrpc: '2.0', id: 5, method: 'slow' });
    expect(await answered.opened).toMatchObject({ id: 5, error: { code: -32600 } });
  });
});

describe('when the connection closes', () => {
  test('a request that was sent has an unknown outcome', async () => {
    const { left, right, rightEnd } = await pair();
    const arrived = gate();
    right.handle('m', () => {
      arrived.open();
      return never();
    });
    const answer = left.request('m');
    const failed = expect(answer).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      evidence: { phase: expect.any(String) },
    });
    await arrived.opened;
    await rightEnd.close();
    await failed;
  });
  test('a request afterwards was never sent', async () => {
    const { left } = await pair();
    await left.close();
    await expect(left.request('m')).rejects.toMatchObject({ code: 'NOT_SENT' });
  });
  test('if we close it, errors report that, and onclose is called once', async () => {
    const { left, right } = await pair();
    right.handle('m', never);
    let closes = 0;
    left.onclose = () => closes++;
    const answer = left.request('m');
    const failed = expect(answer).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    await left.close();
    await failed;
    await left.close();
    expect(closes).toBe(1);
  });
  test('aborts the signals of handlers at the other end', async () => {
    const { left, right } = await pair();
    const aborted = gate();
    const started = gate();
    right.handle('m', (_params, call) => {
      call.signal.addEventListener('abort', () => aborted.open());
      started.open();
      return never();
    });
    left.request('m').catch(() => undefined);
    await started.opened;
    await left.close();
    await aborted.opened;
  });
});

describe('malformed input', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":3,"method":', { id: 3, error: { code: -32700 } }],
    ['nonsense', { error: { code: -32700 } }],
    ['{"jsonrpc":"2.0","id":"a","method":5}', { id: 'a', error: { code: -32600 } }],
    ['[]', { error: { code: -32600 } }],
  ])('is answered, and the next request works: %s', async (line, expected) => {
    const { duplexPair } = await import('node:stream');
    const { StreamTransport } = await import('../transport/stream-transport.ts');
    const [near, far] = duplexPair();
    const server = new Peer(StreamTransport.over(far));
    await server.start();
    server.handle('hello', () => ({ hello: 'world' }));
    near.write(`${line}\n{"jsonrpc":"2.0","id":"next","method":"hello"}\n`);
    const lines: unknown[] = [];
    for await (const chunk of near) {
      lines.push(
        ...String(chunk)
          .trim()
          .split('\n')
          .map((text) => JSON.parse(text)),
      );
      if (lines.length >= 2) break;
    }
    expect(lines[0]).toMatchObject(expected);
    expect('id' in (lines[0] as object)).toBe('id' in expected);
    expect(lines[1]).toEqual({ jsonrpc: '2.0', id: 'next', result: { hello: 'world' } });
  });
});

describe('a batch, in the only revision that has them', () => {
  test('is answered by one batch, without notifications and cancelled requests', async () => {
    const [leftEnd, rightEnd] = memoryPair();
    const right = new Peer(rightEnd);
    right.handle('slow', never);
    right.handle('echo', (params) => params);
    const answered = gate<unknown>();
    leftEnd.onbatch = (messages) => answered.open(messages);
    await Promise.all([leftEnd.start(), right.start()]);
    leftEnd.setProtocolVersion('2025-03-26');
    rightEnd.setProtocolVersion('2025-03-26');
    await leftEnd.sendBatch([
      { jsonrpc: '2.0', id: 1, method: 'slow' },
      { jsonrpc: '2.0', id: 2, method: 'echo', params: { a: 1 } },
      { jsonrpc: '2.0', method: 'note' },
      { jsonrpc: '2.0', id: 'x', method: 'none' },
    ]);
    await leftEnd.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(await answered.opened).toMatchObject([
      { id: 2, result: { a: 1 } },
      { id: 'x', error: { code: -32601 } },
    ]);
  });
});

test('an idle peer keeps no timer that would keep the process running', async () => {
  const held: boolean[] = [];
  const clock = {
    nowMs: () => 0,
    after: () => ({ cancel: () => undefined, keepAlive: (yes: boolean) => void held.push(yes) }),
  };
  const { left } = await pair({ left: { clock } });
  await left.request('ping');
  await left.request('ping');
  expect(held).toEqual([false, true, false]);
});
