// A hand-written report with difficult content for all formats: every status, text of a server in several languages, and special characters
// of terminals, XML and HTML.

import { type CheckReport, countStatuses, type Outcome } from '../../src/check/report/report.ts';

export const HOSTILE =
  '</script><img src=x onerror="alert(1)">]]>&amp;\u0000\u001b[2J\u009b\u202e\ud800 漢字 עברית 👩‍👩‍👧 grüße';

const passed = (rule: string, revision: Outcome['revision'], title = 'what is right is done'): Outcome => ({
  rule,
  level: 'MUST',
  title,
  ...(revision && { revision }),
  status: 'passed',
  durationMs: 5,
});

const outcomes: Outcome[] = [
  passed('lifecycle/opens', '2026-07-28', 'the server answers its first request'),
  passed('lifecycle/opens', '2025-11-25', 'the server answers its first request'),
  {
    ...passed('lifecycle/obeys-cancellation', '2025-11-25', 'a cancelled call ends'),
    status: 'not applicable',
    reason: 'no long call is known: name one with --long-call',
  },
  {
    ...passed('wire/only-messages', '2026-07-28', 'stdout carries only messages'),
    status: 'failed',
    reason: `The server wrote "${HOSTILE}" to stdout.`,
    says: 'A server writes nothing to stdout that is not a message.',
    link: 'https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio',
    fix: 'Log with console.error.',
    evidence: [
      { kind: 'event', text: 'started: node server.mjs', bytes: 24 },
      { kind: 'sent', text: '{"jsonrpc":"2.0","id":1,"method":"ping"}', bytes: 40 },
      { kind: 'received', text: HOSTILE, bytes: 90 },
      { kind: 'stderr', text: `${'x'.repeat(1_600)}\nsecond line`, bytes: 1612 },
    ],
  },
  passed('wire/only-messages', '2025-11-25', 'stdout carries only messages'),
  {
    ...passed('jsonrpc/unknown-method', '2026-07-28', 'an unknown method is an error'),
    level: 'SHOULD',
    status: 'warning',
    reason: 'The server did not answer.',
    says: 'An unknown method is answered with the error -32601.',
    link: 'https://www.jsonrpc.org/specification#error_object',
    fix: 'Answer every request.',
    evidence: [],
  },
  {
    ...passed('robustness/garbage-text', '2026-07-28', 'text that is not JSON should not end the conversation'),
    level: 'ADVICE',
    status: 'advice',
    reason: 'The server exited.',
    says: 'One line that is not a message costs this line, not the connection.',
    link: 'docs/check.md#robustnessgarbage-text',
    fix: 'Report an error and continue with the next line.',
    evidence: [],
  },
  { ...passed('modern/meta', '2026-07-28'), status: 'not applicable', reason: 'the server has no tools' },
];

export const madeReport: CheckReport = {
  role: 'server',
  protocol: 'mcp',
  command: 'node server.mjs',
  name: `weather ${HOSTILE}`,
  version: '1.0.0',
  revisions: ['2026-07-28', '2025-11-25'],
  outcomes,
  counts: countStatuses(outcomes),
  durationMs: 1234,
};
