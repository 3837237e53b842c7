// What makes one problem of several violations, and which of their frames are shown. With real servers: problems.full.test.ts.

import { describe, expect, test } from 'vitest';
import { checks } from '../../src/check/checks.ts';
import { explains, rulesWithCauses } from '../../src/check/report/causes.ts';
import { relevantFrames } from '../../src/check/report/relevant-frames.ts';
import type { EvidenceLine, Outcome } from '../../src/check/report/report.ts';

describe('the table of causes', () => {
  const made = (rule: string): Outcome => {
    return { rule, level: 'MUST', title: '', status: 'failed', reason: '', durationMs: 0 };
  };

  test('names rules that exist', () => {
    const known = new Set(
      Object.values(checks)
        .flatMap((ofRole) => Object.values(ofRole).flatMap(({ rules }) => rules))
        .map(({ id }) => id),
    );
    expect(rulesWithCauses.filter((id) => !known.has(id))).toEqual([]);
  });

  test('has no two rules that explain each other', () => {
    const rules = [...new Set(rulesWithCauses)].map(made);
    const mutual = rules.flatMap((a) =>
      rules.filter((b) => explains(a, b) && explains(b, a)).map((b) => [a.rule, b.rule]),
    );
    expect(mutual).toEqual([]);
  });
});

describe('frames without padding', () => {
  const line = (kind: EvidenceLine['kind'], value: unknown): EvidenceLine => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return { kind, text, bytes: text.length };
  };
  const started = line('event', 'started: node server.mjs');
  const handshake = [
    line('sent', { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }),
    line('received', { jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-11-25' } }),
    line('sent', { jsonrpc: '2.0', method: 'notifications/initialized' }),
  ];
  const ping = [
    line('sent', { jsonrpc: '2.0', id: 2, method: 'ping' }),
    line('received', { jsonrpc: '2.0', id: 2, result: {} }),
  ];
  const call = [line('sent', { jsonrpc: '2.0', id: 3, method: 'tools/call' }), line('received', 'not a message')];

  test('are the request and its answer, without the handshake, pings and repeated lines', () => {
    expect(relevantFrames([started, ...handshake, ...call, ...ping, call[1]!])).toEqual(call);
    const again = line('sent', { jsonrpc: '2.0', id: 4, method: 'tools/call' });
    expect(relevantFrames([...call, again, call[1]!])).toEqual(call);
  });

  test('are all of them if there is nothing else', () => {
    expect(relevantFrames([started, ...handshake, ...ping])).toHaveLength(6);
  });

  test('have a ping that is answered wrongly, twice or not at all', () => {
    const [asked, answered] = ping as [EvidenceLine, EvidenceLine];
    const wrong = line('received', { jsonrpc: '2.0', id: '2', result: {} });
    const again = line('received', { jsonrpc: '2.0', id: 2, result: { again: true } });
    expect(relevantFrames([...handshake, asked, wrong])).toEqual([asked, wrong]);
    expect(relevantFrames([...handshake, asked, answered, again])).toEqual([asked, answered, again]);
    expect(relevantFrames([...handshake, asked])).toEqual([asked]);
  });
});
