// How SDKs are recognised, and which violations they cause. sdks.full.test.ts tests servers on SDKs.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json-object.ts';
import type { Outcome } from '../../src/check/report/report.ts';
import { serverRules } from '../../src/check/server/rules/index.ts';
import { importable, installedVersion } from '../../src/check/server/sdk/installed-version.ts';
import { isOfMcpServer, ofPythonSdk, type Sdk, type Signs, sdkOf } from '../../src/check/server/sdk/recognise-sdk.ts';
import { attributeToSdk, rulesOfSdks } from '../../src/check/server/sdk/sdk-findings.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

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

  test('a violation of the SDK is a warning, unless its revision was requested', () => {
    expect(attributeToSdk([parseError], typescript)).toMatchObject([
      { status: 'warning', sdk: { name: 'TypeScript SDK' } },
    ]);
    expect(attributeToSdk([parseError], typescript, ['2025-11-25'])).toMatchObject([{ status: 'failed', sdk: {} }]);
  });

  test('a violation of another kind, or of a server on another SDK, is attributed to the code of the user', () => {
    const others = [
      { ...parseError, reason: 'A line that is not JSON was answered with a result.' },
      { ...unknownTool, reason: 'The call of an unknown tool was answered with a result.', evidence: [] },
      { ...parseError, status: 'passed' as const },
    ];
    expect(attributeToSdk(others, typescript)).toEqual(others);
    expect(attributeToSdk([parseError], { name: 'Go SDK' })).toEqual([parseError]);
  });

  test('a violation of the Go SDK is recognised by its messages', () => {
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

  describe('of Python', () => {
    const outcome = (rule: string, reason: string, text = '{}'): Outcome => {
      return { ...parseError, rule, reason, evidence: [{ kind: 'received', text, bytes: text.length }] };
    };
    const transport = [
      parseError,
      outcome('jsonrpc/invalid-request', 'A request whose method is a number was not answered.'),
      outcome('jsonrpc/positional-params-are-answered', 'A request with the params [] was not answered.'),
      outcome('jsonrpc/batches-are-answered', 'A batch was not answered.'),
    ];
    const answers = [
      outcome(
        'methods/invalid-cursors-are-refused',
        '`tools/list` with an invalid cursor was answered with a result instead of the error -32602.',
      ),
      outcome(
        'methods/unknown-tools-are-refused',
        'The call of an unknown tool was answered with a result instead of the error -32602.',
        '{"result":{"content":[{"text":"Unknown tool: standpipe_no_such_tool","type":"text"}],"isError":true}}',
      ),
      outcome(
        'methods/unknown-resources-are-not-found',
        'Reading an unknown resource was refused with -32602 "Unknown resource: x://y" instead of the code -32002.',
      ),
      ...['-32603 "Internal server error"', '0 "Unknown prompt: standpipe_no_such_prompt"'].map((error) =>
        outcome(
          'methods/unknown-prompts-are-refused',
          `An unknown prompt was refused with ${error} instead of the code -32602.`,
        ),
      ),
      ...['-32603 "Internal server error"', `0 "Missing required arguments: {'name'}"`].map((error) =>
        outcome(
          'methods/missing-prompt-arguments-are-refused',
          `The prompt "greet" without its required arguments was refused with ${error} instead of the code -32602.`,
        ),
      ),
    ];
    const isAttributed = (outcomes: readonly Outcome[], sdk: Sdk) =>
      attributeToSdk(outcomes, sdk).map(({ sdk: found }) => found !== undefined);
    const all = (outcomes: readonly Outcome[], value: boolean) => outcomes.map(() => value);

    test('is attributed for version 2.x, and for answers only with MCPServer', () => {
      const low: Sdk = { name: 'Python SDK', version: '2.x' };
      expect(isAttributed(transport, low)).toEqual(all(transport, true));
      expect(isAttributed(answers, low)).toEqual(all(answers, false));
      expect(isAttributed(answers, { ...low, part: 'MCPServer' })).toEqual(all(answers, true));
      expect(isAttributed([...transport, ...answers], { name: 'Python SDK', part: 'MCPServer' })).not.toContain(true);
    });

    test('is attributed for version 4.x of FastMCP', () => {
      const [cursors] = answers;
      const ofFastMcp = [
        ...transport,
        cursors!,
        outcome(
          'methods/unknown-tools-are-refused',
          'The call of an unknown tool was answered with a result instead of the error -32602.',
          `{"result":{"content":[{"text":"Unknown tool: 'standpipe_no_such_tool'","type":"text"}],"isError":true}}`,
        ),
        outcome(
          'methods/unknown-resources-are-not-found',
          'Reading an unknown resource was refused with -32602 "Resource not found: \'x://y\'" instead of the code -32002.',
        ),
        outcome(
          'methods/missing-prompt-arguments-are-refused',
          `The prompt "greet" without its required arguments was refused with -32603 "Error rendering prompt 'greet': Missing required arguments: {'name'}" instead of the code -32602.`,
        ),
      ];
      expect(isAttributed(ofFastMcp, { name: 'FastMCP for Python', version: '4.0.10' })).toEqual(all(ofFastMcp, true));
      expect(isAttributed(ofFastMcp, { name: 'FastMCP for Python', version: '2.12.4' })).not.toContain(true);
    });

    test('the major version is derived from the revision, and MCPServer from the titles of its schemas', () => {
      const sdk: Sdk = { name: 'Python SDK' };
      const tool = (title: string) => ({ name: 'add', inputSchema: { type: 'object', title } });
      expect(ofPythonSdk(sdk, true, [tool('addArguments')])).toEqual({ ...sdk, version: '2.x', part: 'MCPServer' });
      expect(ofPythonSdk(sdk, false, [tool('Add'), { name: 'other' }])).toEqual(sdk);
    });
  });

  test.each<[string, object, boolean]>([
    [
      '1.x',
      { result: { isError: true, content: [{ text: 'MCP error -32602: Tool standpipe/which-sdk not found' }] } },
      true,
    ],
    ['2.x', { error: { message: 'Tool standpipe/which-sdk not found' } }, true],
    ['1.x, prompts', { error: { message: 'MCP error -32602: Prompt standpipe/which-sdk not found' } }, true],
    ['2.x, resources', { error: { message: 'Resource not found: standpipe-unknown://which-sdk' } }, true],
    ['code of the author', { error: { message: 'Unknown tool: standpipe/which-sdk' } }, false],
    ['no answer', {}, false],
    ['an answer without content', { result: { content: 'x' } }, false],
  ])('McpServer is recognised by its message for an unknown entry: %s', (_what, answer, isFound) => {
    expect(isOfMcpServer(answer as JsonObject)).toBe(isFound);
  });

  test('a list that ignores cursors is attributed to McpServer, not to the SDK without it', () => {
    const reason = '`prompts/list` with an invalid cursor was answered with a result instead of the error -32602.';
    const ignored = { ...parseError, rule: 'methods/invalid-cursors-are-refused', reason };
    expect(attributeToSdk([ignored], { ...typescript, part: 'McpServer' })[0]!.sdk).toBeDefined();
    expect(attributeToSdk([ignored], typescript)).toEqual([ignored]);
  });

  test('a violation of FastMCP for TypeScript is recognised by its messages', () => {
    const refused =
      'The call of an unknown tool was refused with -32601 "MCP error -32601: Unknown tool: x" instead of -32602.';
    const [attributed] = attributeToSdk([{ ...unknownTool, reason: refused }], typescript);
    expect(attributed!.sdk).toMatchObject({ name: 'FastMCP for TypeScript' });
    expect(attributeToSdk([{ ...unknownTool, reason: refused }], typescript, [], () => undefined)[0]!.sdk).toBe(
      undefined,
    );
  });

  test('a violation of FastMCP for TypeScript, which ignores cursors, is recognised by the order of members in its lists', () => {
    const listed = (tool: object): Outcome => {
      const text = JSON.stringify({ result: { tools: [tool] }, jsonrpc: '2.0', id: 4 });
      return {
        ...parseError,
        rule: 'methods/invalid-cursors-are-refused',
        reason: '`tools/list` with an invalid cursor was answered with a result instead of the error -32602.',
        evidence: [{ kind: 'received', text, bytes: text.length }],
      };
    };
    const inputSchema = { type: 'object', properties: { a: { type: 'number' } } };
    const ofFastMcp = listed({ annotations: { readOnlyHint: true }, description: 'a "b"', inputSchema, name: 'add' });
    const find = () => ({ version: '4.20.16' });
    expect(attributeToSdk([ofFastMcp], typescript, [], find)[0]!.sdk!.name).toBe('FastMCP for TypeScript 4.20.16');
    const byHand = listed({ name: 'add', description: 'a "b"', inputSchema });
    expect(attributeToSdk([byHand], typescript, [], find)[0]!.sdk).toBe(undefined);
  });
});

describe('the version of the TypeScript SDK', () => {
  const folder = temporaryFolder('sdk versions');
  const file = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const install = (path: string, version: string, dependencies = {}) =>
    file(join(path, 'package.json'), JSON.stringify({ version, dependencies }));
  install('node_modules/@modelcontextprotocol/sdk', '1.32.2');
  install('node_modules/@modelcontextprotocol/server', '2.4.0');
  install('node_modules/fastmcp', '4.20.16', { '@modelcontextprotocol/sdk': '^1.24.3' });
  install('node_modules/fastmcp/node_modules/@modelcontextprotocol/sdk', '1.24.3');

  test.each([
    ["import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';", '1.32.2'],
    ['const { McpServer } = require("@modelcontextprotocol/server");', '2.4.0'],
    ["import {\n  FastMCP,\n} from 'fastmcp';", '1.24.3'],
    ["import './server.js';", undefined],
  ])('is that of the package that the script imports: %s', (text, version) => {
    file('server.mjs', text);
    const target = { command: 'node', args: [join(folder, 'server.mjs')] };
    expect(installedVersion(target, false)).toBe(version);
    expect(importable(target, 'fastmcp')).toEqual({ version: '4.20.16' });
    expect(importable(target, 'other')).toBe(undefined);
    expect(importable({ command: 'npx', args: ['server'] }, 'fastmcp')).toEqual({});
  });
});
