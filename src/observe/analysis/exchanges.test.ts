import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import type { FlowDirection } from '../flow/event.ts';
import { FlowStore } from '../flow/store.ts';
import { latencyMs, workMs } from './exchange.ts';
import { Exchanges, type ExchangesOptions } from './exchanges.ts';

function setup(options: ExchangesOptions = {}) {
  const clock = new ManualClock();
  const store = new FlowStore({ clock });
  const exchanges = new Exchanges(options);
  store.subscribe((event) => exchanges.see(event));
  const source = store.begin('a');
  const say = (direction: FlowDirection, message: object, via = source) => {
    clock.advance(1);
    via.text(direction, JSON.stringify({ jsonrpc: '2.0', ...message }));
  };
  return { clock, store, source, exchanges, say, all: () => [...exchanges.all()] };
}

describe('exchanges', () => {
  it('pair a request with its answer', () => {
    const { say, clock, all, exchanges } = setup();
    say('toServer', { id: 1, method: 'tools/call', params: { name: 'add' } });
    clock.advance(9);
    say('fromServer', { id: 1, result: {} });
    const [exchange] = all();
    expect(exchange).toMatchObject({ method: 'tools/call', tool: 'add', outcome: 'ok', requestSeq: 1, answerSeq: 2 });
    expect(latencyMs(exchange!)).toBe(10);
    expect(exchanges.forSeq(1)).toEqual([exchange]);
    expect(exchanges.forSeq(2)).toEqual([exchange]);
  });

  it('leave the time of questions to a person out of the latency of a call, and count simultaneous ones once', () => {
    const { say, clock, exchanges, all } = setup();
    say('toServer', { id: 1, method: 'tools/call', params: { name: 'ask' } });
    say('fromServer', { id: 'q1', method: 'elicitation/create' });
    say('fromServer', { id: 'q2', method: 'elicitation/create' });
    clock.advance(60_000);
    say('toServer', { id: 'q1', result: { action: 'accept' } });
    say('toServer', { id: 'q2', result: { action: 'accept' } });
    say('fromServer', { id: 1, result: {} });
    expect(latencyMs(all()[0]!)).toBe(60_005);
    expect(workMs(all()[0]!)).toBe(2);
    expect(exchanges.latency.rows().find(({ tool }) => tool === 'ask')).toMatchObject({ p50Ms: 2 });
  });

  it('have the origin that the watching program names, until a client turns out to have caused them', () => {
    const { say, all } = setup({ originOf: ({ causes, method }) => (causes || method === 'a' ? undefined : 'lists') });
    say('toServer', { id: 1, method: 'a' });
    say('toServer', { id: 2, method: 'tools/list' });
    expect(all().map(({ origin }) => origin)).toEqual([undefined, 'lists']);
  });

  it('keep 1 and "1" apart, and the two directions', () => {
    const { say, all } = setup();
    say('toServer', { id: 1, method: 'a' });
    say('toServer', { id: '1', method: 'b' });
    say('fromServer', { id: 1, method: 'c' });
    say('fromServer', { id: '1', result: {} });
    say('toServer', { id: 1, error: { code: 5, message: 'no' } });
    expect(all().map(({ method, outcome }) => [method, outcome])).toEqual([
      ['a', 'pending'],
      ['b', 'ok'],
      ['c', 'error'],
    ]);
  });

  it('exchanges of a process that continues beside newer ones stay pending', () => {
    const { say, all, store, source } = setup();
    say('toServer', { id: 1, method: 'slow' });
    for (const pid of [2, 3, 4]) store.begin('a').spawned(pid, 'c');
    say('fromServer', { id: 1, result: {} }, source);
    expect(all()).toMatchObject([{ method: 'slow', life: 1, outcome: 'ok' }]);
  });

  it('pair an answer with its request if the id is a string', () => {
    const { say, all } = setup();
    say('toServer', { id: 1, method: 'a' });
    say('fromServer', { id: '1', result: {} });
    say('fromServer', { id: '01', result: {} });
    expect(all().map(({ method, outcome, answerSeq }) => [method, outcome, answerSeq])).toEqual([['a', 'ok', 2]]);
  });

  it('separate the processes of a server, and are lost if the process exits', () => {
    const { say, source, store, all } = setup();
    say('toServer', { id: 1, method: 'first' });
    source.add({ kind: 'exit', exitCode: 1, signal: null });
    say('toServer', { id: 1, method: 'second' }, store.begin('a'));
    expect(all().map(({ outcome }) => outcome)).toEqual(['lost', 'pending']);
  });

  it('include an answer that was still in the pipe when the process exited', () => {
    const { say, source, all } = setup();
    say('toServer', { id: 1, method: 'a' });
    source.add({ kind: 'exit', exitCode: 0, signal: null });
    say('fromServer', { id: 1, result: {} });
    expect(all()[0]).toMatchObject({ outcome: 'ok', answerSeq: 3 });
  });

  it('distinguish a tool error from a protocol error', () => {
    const { say, all } = setup();
    say('toServer', { id: 1, method: 'tools/call' });
    say('fromServer', { id: 1, result: { isError: true } });
    say('toServer', { id: 2, method: 'tools/call' });
    say('fromServer', { id: 2, error: { code: -32602, message: 'bad' } });
    expect(all().map(({ outcome, error }) => [outcome, error?.code])).toEqual([
      ['tool-error', undefined],
      ['error', -32602],
    ]);
  });

  it('record a cancellation, and ignore a late answer', () => {
    const { say, all, exchanges } = setup();
    say('toServer', { id: 1, method: 'slow' });
    say('toServer', { method: 'notifications/cancelled', params: { requestId: 1 } });
    say('fromServer', { id: 1, result: {} });
    expect(all()[0]).toMatchObject({ outcome: 'cancelled', cancelSeq: 2, answerSeq: 3, endMs: 2 });
    expect(exchanges.latency.rows()).toEqual([]);
    expect(exchanges.forSeq(2)).toEqual(all());
  });

  it('count progress for its request, by its token', () => {
    const { say, all, exchanges } = setup();
    say('toServer', { id: 1, method: 'slow', params: { _meta: { progressToken: 't' } } });
    for (let i = 0; i < 3; i++) say('fromServer', { method: 'notifications/progress', params: { progressToken: 't' } });
    say('fromServer', { method: 'notifications/progress', params: { progressToken: 'other' } });
    expect(all()[0]).toMatchObject({ progressCount: 3, lastProgressSeq: 4 });
    expect([2, 3, 4, 5].map((seq) => exchanges.forSeq(seq).length)).toEqual([0, 0, 1, 0]);
  });

  it('include the messages of batches', () => {
    const { store, source, all } = setup();
    source.text('toServer', '[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]');
    source.text('fromServer', '[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}]');
    expect(all().map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
    expect(store.size).toBe(2);
  });

  it('end if the answer was above the limit', () => {
    const { say, source, all } = setup();
    say('toServer', { id: 8, method: 'big' });
    const prefix = Buffer.from('{"jsonrpc":"2.0","id":8,"result":{"te');
    source.badFrame('fromServer', { code: 'FRAME_TOO_LONG', offset: 0, length: 1e9, prefix });
    expect(all()[0]).toMatchObject({ outcome: 'error', answerSeq: 2 });
  });

  it('include messages of LiteMCP', () => {
    const { source, all, exchanges } = setup();
    const lite = (id: unknown, type: string, data: object) => JSON.stringify({ version: [1, 0, 0], id, type, data });
    source.text('toServer', lite(1, 'call', { tool: 'Add' }));
    source.text('toServer', lite(2, 'call', { tool: 'Add' }));
    source.text('toServer', lite(3, 'get', {}));
    source.text('toServer', lite(undefined, 'get', {}));
    source.text('fromServer', lite(2, 'result', { response: { error: true } }));
    source.text('fromServer', lite(1, 'result', { response: { error: false } }));
    source.add({ kind: 'exit', exitCode: 1, signal: null });
    expect(all().map(({ id, tool, outcome, answerSeq }) => [id, tool, outcome, answerSeq])).toEqual([
      [1, 'Add', 'ok', 6],
      [2, 'Add', 'tool-error', 5],
      [3, undefined, 'lost', undefined],
    ]);
    expect(exchanges.latency.rows()).toMatchObject([{ method: 'call', tool: 'Add', count: 2, errors: 1 }]);
  });

  it('are limited in number: the oldest is forgotten, answered or not', () => {
    const { say, all, exchanges } = setup({ maxExchanges: 2 });
    for (let id = 1; id <= 5; id++) say('toServer', { id, method: `m${id}`, params: { _meta: { progressToken: id } } });
    expect(all().map(({ method }) => method)).toEqual(['m4', 'm5']);
    expect([exchanges.size, exchanges.forgotten]).toEqual([2, 3]);
    say('fromServer', { id: 1, result: {} });
    say('fromServer', { id: 5, result: {} });
    expect(all().map(({ outcome }) => outcome)).toEqual(['pending', 'ok']);
    expect(exchanges.forSeq(1)).toEqual([]);
  });

  it('yield latencies by method and tool', () => {
    const { say, clock, exchanges } = setup();
    for (let i = 1; i <= 100; i++) {
      say('toServer', { id: i, method: 'tools/call', params: { name: 'add' } });
      clock.advance(i - 1);
      say('fromServer', { id: i, result: { isError: i % 10 === 0 } });
    }
    say('toServer', { id: 1, method: 'ping' });
    say('fromServer', { id: 1, result: {} });
    expect(exchanges.latency.rows()).toEqual([
      {
        server: 'a',
        method: 'tools/call',
        tool: 'add',
        count: 100,
        errors: 10,
        p50Ms: 50,
        p95Ms: 95,
        p99Ms: 99,
      },
      { server: 'a', method: 'ping', tool: undefined, count: 1, errors: 0, p50Ms: 1, p95Ms: 1, p99Ms: 1 },
    ]);
  });
});
