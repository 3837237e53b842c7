import { expect, test } from 'vitest';
import { describeError, errorFrom, fromRpcError, outcomeData, toRpcError } from './error-json.ts';
import { PeerError, ProcessError, RpcError, UsageError } from './errors.ts';

const details = { hint: 'Do this.', evidence: { phase: 'running' as const, stderrTail: 'boom' } };
const copied = (error: RpcError) =>
  new RpcError(error.rpcCode, error.message, JSON.parse(JSON.stringify(error.data ?? null)) ?? undefined);

test.each([
  ['PeerError', new PeerError('OUTCOME_UNKNOWN', 'lost', details)],
  ['ProcessError', new ProcessError('PROCESS_EXITED', 'gone', details)],
  ['UsageError', new UsageError('NAME_UNKNOWN', 'no such', { hint: 'Do this.' })],
  ['RpcError with a hint', new RpcError(-32602, 'bad', { why: 1 }, details)],
  ['RpcError with a hint and no data', new RpcError(-32602, 'bad', undefined, details)],
  ['TypeError', new TypeError('our fault')],
])('%s passes through the wire unchanged', (_name, error) => {
  expect(describeError(fromRpcError(copied(toRpcError(error))))).toEqual(describeError(error));
  expect(describeError(errorFrom(describeError(error)))).toEqual(describeError(error));
});

test.each([undefined, null, 'text', 7, ['list'], { member: 1 }])(
  'an answer with the data %j passes unchanged',
  (data) => {
    const error = new RpcError(-32002, 'Resource not found', data);
    expect(toRpcError(error)).toBe(error);
    expect(fromRpcError(error)).toBe(error);
  },
);

test('a server cannot forge an error of ours in an answer', () => {
  const forged = { 'dev.standpipe/error': { kind: 'PeerError', code: 'NOT_SENT' } };
  expect(fromRpcError(toRpcError(new RpcError(-32000, 'oh', forged)))).toMatchObject({
    name: 'RpcError',
    rpcCode: -32000,
  });
});

test('any client is informed whether its call may have run, without other details of an error', () => {
  const ran = { server: 'notes', pid: 4711, generation: 2 };
  const lost = Object.assign(new PeerError('OUTCOME_UNKNOWN', 'lost', details), { ran });
  expect(outcomeData(lost)).toEqual({ 'dev.standpipe/error': { kind: 'PeerError', code: 'OUTCOME_UNKNOWN', ran } });
  for (const error of [
    new PeerError('NOT_SENT', 'not sent', details),
    new UsageError('SERVER_STOPPED', 'stopped before it was sent', details),
    new ProcessError('SERVER_FAILED', 'cannot be started', details),
    new PeerError('SERVER_UNREACHABLE', 'cannot be reached', details),
  ]) {
    expect(outcomeData(error)).toEqual({ 'dev.standpipe/error': { kind: error.name, code: error.code } });
  }
  expect(outcomeData(new PeerError('FRAME_TOO_LONG', 'long', details))).toBeUndefined();
});
