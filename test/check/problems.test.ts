// How violations are grouped into problems, and which frames are shown. problems.full.test.ts tests real servers.

import { describe, expect, test } from 'vitest';
import { checks } from '../../src/check/checks.ts';
import { explains, isSameMistake, rulesWithCauses } from '../../src/check/report/causes.ts';
import { relevantFrames } from '../../src/check/report/relevant-frames.ts';
import type { EvidenceLine, Outcome } from '../../src/check/report/report.ts';
import { Transcript, withCauses } from '../../src/check/transcript.ts';

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

  test('does not treat lines of one indented message as the same stray output', () => {
    const withLine = (rule: string, text: string): Outcome => {
      return { ...made(rule), reason: rule, evidence: [{ kind: 'received', text, bytes: text.length }] };
    };
    expect(isSameMistake(withLine('a', '}'), withLine('b', '}'))).toBe(false);
    expect(isSameMistake(withLine('a', 'Ready'), withLine('b', 'Ready'))).toBe(true);
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

  test('contain the request and its answer, without the handshake, pings and repeated lines', () => {
    expect(relevantFrames([started, ...handshake, ...call, ...ping, call[1]!])).toEqual(call);
    const again = line('sent', { jsonrpc: '2.0', id: 4, method: 'tools/call' });
    expect(relevantFrames([...call, again, call[1]!])).toEqual(call);
  });

  test('contain all frames if there are no others', () => {
    expect(relevantFrames([started, ...handshake, ...ping])).toHaveLength(6);
  });

  test('contain a ping with a wrong, second or missing answer', () => {
    const [asked, answered] = ping as [EvidenceLine, EvidenceLine];
    const wrong = line('received', { jsonrpc: '2.0', id: '2', result: {} });
    const again = line('received', { jsonrpc: '2.0', id: 2, result: { again: true } });
    expect(relevantFrames([...handshake, asked, wrong])).toEqual([asked, wrong]);
    expect(relevantFrames([...handshake, asked, answered, again])).toEqual([asked, answered, again]);
    expect(relevantFrames([...handshake, asked])).toEqual([asked]);
    expect(relevantFrames([...handshake, asked, answered, answered])).toEqual([asked, answered, answered]);
  });
});

describe('the cause of an answer without an id', () => {
  const sent = (transcript: Transcript, message: unknown) =>
    transcript.add('sent', Buffer.from(`${JSON.stringify(message)}\n`));
  const received = (transcript: Transcript, json: unknown) => {
    const frame = { kind: 'received' as const, bytes: Buffer.from(JSON.stringify(json)), json };
    transcript.push(frame);
    return frame;
  };
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });

  test.each([
    ['a batch', [ping(2), ping(3)]],
    ['a message that is not a request', { jsonrpc: '2.0', id: 2, method: 7 }],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/cancelled' }],
  ])('is %s, not an answered request around it', (_what, message) => {
    const transcript = new Transcript();
    sent(transcript, { jsonrpc: '2.0', method: 'notifications/initialized' });
    const cause = sent(transcript, message);
    sent(transcript, ping(9));
    const refusal = received(transcript, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no' } });
    received(transcript, { jsonrpc: '2.0', id: 9, result: {} });
    expect(withCauses([refusal])).toEqual([cause, refusal]);
  });
});
