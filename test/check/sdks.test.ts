// How SDKs are recognised, and which violations come from them. With servers on SDKs: sdks.full.test.ts.

import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/check/report/report.ts';
import { serverRules } from '../../src/check/server/rules/index.ts';
import { type Sdk, type Signs, sdkOf } from '../../src/check/server/sdk/recognise-sdk.ts';
import { attributeToSdk, rulesOfSdks } from '../../src/check/server/sdk/sdk-findings.ts';

const typescript: Sdk = { name: 'TypeScript SDK' };

test('the table names rules that exist', () => {
  expect(rulesOfSdks.filter((id) => !serverRules.some((rule) => rule.id === id))).toEqual([]);
});

const notFound = { code: -32601, message: 'Method not found' };
const issues = (path: string) => ({
  code: -32603,
  message: JSON.stringify([{ code: 'invalid_type', path: ['params', path] }]),
});
const ofPython = { code: -32602, message: 'Invalid request parameters', data: '' };

test.each<[string, Partial<Signs>, Sdk | undefined]>([
  ['TypeScript SDK', { malformed: issues('protocolVersion'), unknown: notFound }, typescript],
  ['Python SDK', { malformed: ofPython, unknown: ofPython }, { name: 'Python SDK' }],
  [
    'FastMCP for Python',
    { malformed: ofPython, stderr: '│  FastMCP version: 2.12.4  │' },
    { name: 'FastMCP for Python', version: '2.12.4' },
  ],
  ['Go SDK', { unknown: { code: -32601, message: 'method not found: "standpipe/which-sdk"' } }, { name: 'Go SDK' }],
  [
    'C# SDK',
    { unknown: { code: -32601, message: "Method 'standpipe/which-sdk' is not available." } },
    { name: 'C# SDK' },
  ],
  [
    'a server by hand with the same message',
    { malformed: { code: -32602, message: 'x' }, unknown: notFound },
    undefined,
  ],
  ['a server with Zod of its own', { malformed: issues('name'), unknown: notFound }, undefined],
  ['a server that prints FastMCP', { unknown: notFound, stderr: 'FastMCP 2.12.4' }, undefined],
  ['a server that does not answer', {}, undefined],
])('recognises %s', (_what, signs, sdk) => {
  expect(sdkOf({ malformed: undefined, unknown: undefined, stderr: '', ...signs })).toEqual(sdk);
});

describe('a violation', () => {
  const parseError: Outcome = {
    rule: 'jsonrpc/parse-error',
    level: 'MUST',
    title: '',
    revision: '2025-11-25',
    status: 'failed',
    reason: 'A line that is not JSON was not answered.',
    durationMs: 0,
  };
  const unknownTool = { ...parseError, rule: 'methods/unknown-tools-are-refused' };

  test('of the SDK is a warning, unless its revision was asked for', () => {
    expect(attributeToSdk([parseError], typescript)).toMatchObject([
      { status: 'warning', sdk: { name: 'TypeScript SDK' } },
    ]);
    expect(attributeToSdk([parseError], typescript, ['2025-11-25'])).toMatchObject([{ status: 'failed', sdk: {} }]);
  });

  test('of another kind, or of a server on another SDK, comes from the code of the user', () => {
    const others = [
      { ...parseError, reason: 'A line that is not JSON was answered with a result.' },
      { ...unknownTool, reason: 'The call of an unknown tool was answered with a result.', evidence: [] },
      { ...parseError, status: 'passed' as const },
    ];
    expect(attributeToSdk(others, typescript)).toEqual(others);
    expect(attributeToSdk([parseError], { name: 'Go SDK' })).toEqual([parseError]);
  });

  test('of the Go SDK is known by its messages', () => {
    const received =
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: \\"server/discover\\""}}';
    const found = [
      [
        'wire/json-in-any-form',
        'There was no answer to a request with whitespace between its members: the server exited with code 1.',
      ],
      ['modern/unsupported-version', 'A request in 1900-01-01 was refused with -32601 instead of -32022.'],
      ['modern/cancelled-subscription-is-silent', '`subscriptions/listen` was answered after it was cancelled.'],
    ].map(([rule, reason]): Outcome => {
      const evidence = [{ kind: 'received' as const, text: received, bytes: received.length }];
      return { ...parseError, rule: rule!, reason: reason!, evidence };
    });
    const attributed = attributeToSdk(found, { name: 'Go SDK' });
    expect(attributed.map(({ status }) => status)).toEqual(['warning', 'warning', 'warning']);
    expect(attributeToSdk(found, typescript)).toEqual(found);
  });

  test('of FastMCP for TypeScript is known by its messages', () => {
    const refused =
      'The call of an unknown tool was refused with -32601 "MCP error -32601: Unknown tool: x" instead of -32602.';
    const [attributed] = attributeToSdk([{ ...unknownTool, reason: refused }], typescript);
    expect(attributed!.sdk).toMatchObject({ name: 'FastMCP for TypeScript' });
  });
});
