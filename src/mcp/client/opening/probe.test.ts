import { expect, test } from 'vitest';
import { PeerError, RpcError } from '../../../base/errors.ts';
import { judgeProbe, revisionNamedIn } from './probe.ts';

const judge = (answer: Parameters<typeof judgeProbe>[0]) => judgeProbe(answer, '2026-07-28');
const refused = (code: number, data?: unknown) => judge({ error: new RpcError(code, 'no', data) });

test('a result that names our revision is modern, even if incomplete', () => {
  const result = { supportedVersions: ['2031-01-01', '2026-07-28'] };
  expect(judge({ result })).toEqual({ kind: 'modern', revision: '2026-07-28', result });
});

test('any other result is legacy', () => {
  for (const result of [{}, null, [], 'hello', { supportedVersions: '2026-07-28' }, { supportedVersions: [] }]) {
    expect(judge({ result }).kind).toBe('legacy');
  }
  expect(judge({ result: { supportedVersions: ['2031-01-01'] } })).toEqual({ kind: 'legacy' });
  expect(judge({ result: { supportedVersions: ['2025-06-18'] } })).toEqual({ kind: 'legacy', offer: '2025-06-18' });
});

test('errors are legacy, whatever their code', () => {
  for (const code of [-32700, -32600, -32601, -32602, -32603, -32000, -32001, -32002, -32020, 0, 1, 404]) {
    expect(refused(code, { supported: ['2031-01-01'] })).toEqual({ kind: 'legacy' });
  }
  expect(judge({ error: new PeerError('MESSAGE_INVALID', 'unreadable') })).toEqual({ kind: 'legacy' });
});

test('"unsupported version" selects from the supported versions', () => {
  expect(refused(-32022, { supported: ['2031-01-01', '2025-03-26'] })).toEqual({ kind: 'legacy', offer: '2025-03-26' });
  expect(refused(-32022, { supported: ['2031-01-01'] })).toMatchObject({ kind: 'unusable' });
  expect(refused(-32022, { supported: ['2025-11-25', '2026-07-28'] })).toEqual({
    kind: 'ask-again',
    revision: '2026-07-28',
  });
  for (const data of [undefined, null, {}, { supported: '2031-01-01' }, { supported: [] }]) {
    expect(refused(-32022, data)).toEqual({ kind: 'legacy' });
  }
});

test('"missing capability" is modern, and names it', () => {
  expect(refused(-32021, { requiredCapabilities: { elicitation: {} } })).toEqual({
    kind: 'unusable',
    why: 'it serves only clients that can handle elicitation',
  });
  expect(refused(-32021)).toEqual({ kind: 'legacy' });
});

test('a refusal of initialize may name the supported revision', () => {
  const error = new RpcError(-32602, 'Unsupported protocol version', { supported: ['1.0', '2024-11-05'] });
  expect(revisionNamedIn(error)).toBe('2024-11-05');
  expect(revisionNamedIn(new RpcError(-32602, 'no'))).toBeUndefined();
  expect(revisionNamedIn(new Error('no'))).toBeUndefined();
});
