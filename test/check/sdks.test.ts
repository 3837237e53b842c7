// Servers without code of their own on official SDKs pass the check by default, and what their SDK violates is said to come from it.

import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CheckReport, isFailure, type Outcome } from '../../src/check/report/report.ts';
import { textOf } from '../../src/check/report/text.ts';
import { checkServer } from '../../src/check/server/check-server.ts';
import { serverRules } from '../../src/check/server/rules/index.ts';
import { type Sdk, type Signs, sdkOf } from '../../src/check/server/sdk/recognise-sdk.ts';
import { attributeToSdk, rulesOfSdks } from '../../src/check/server/sdk/sdk-findings.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/check/${name}`, import.meta.url));
const typescript: Sdk = { name: 'TypeScript SDK' };

describe('a server on the official TypeScript SDK', () => {
  const reports = new Map<string, CheckReport>();
  const causedBy = (name: string) => new Set(reports.get(name)!.outcomes.flatMap(({ rule, sdk }) => (sdk ? rule : [])));

  beforeAll(async () => {
    for (const name of ['sdk-1.mjs', 'sdk-2.mjs']) {
      const args = [fixture(name)];
      reports.set(name, await checkServer({ command: process.execPath, args, timeoutMs: 60_000 }));
    }
  }, 240_000);

  test.each(['sdk-1.mjs', 'sdk-2.mjs'])('passes by default: %s', (name) => {
    const { outcomes, sdk } = reports.get(name)!;
    expect(outcomes.filter((outcome) => isFailure(outcome, false))).toEqual([]);
    expect(sdk).toMatchObject(typescript);
  });

  test('every row of the table is reproduced by one of them', () => {
    const reproduced = new Set([...causedBy('sdk-1.mjs'), ...causedBy('sdk-2.mjs')]);
    const ofFastMcp = ['methods/unknown-completions-are-refused'];
    expect(rulesOfSdks.filter((id) => !reproduced.has(id) && !ofFastMcp.includes(id))).toEqual([]);
  });

  test('the report names the SDK, its issue and the rules', () => {
    expect(textOf(reports.get('sdk-1.mjs')!)).toMatch(
      /^From the SDK, not from your code: TypeScript SDK\n.* drops lines .*typescript-sdk\/issues\/2247\n(?: {2}[!i] .*\n)*? {2}i jsonrpc\/parse-error {2}A line/m,
    );
  });

  test('the version of the only line that can be meant is known', () => {
    expect(reports.get('sdk-2.mjs')!.sdk).toEqual({ ...typescript, version: expect.stringMatching(/^2\./) });
  });
});

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

  test('of FastMCP for TypeScript is known by its messages', () => {
    const refused =
      'The call of an unknown tool was refused with -32601 "MCP error -32601: Unknown tool: x" instead of -32602.';
    const [attributed] = attributeToSdk([{ ...unknownTool, reason: refused }], typescript);
    expect(attributed!.sdk).toMatchObject({ name: 'FastMCP for TypeScript' });
  });
});
