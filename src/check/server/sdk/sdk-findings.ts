// Violations that an SDK causes independently of the code of its user. Each row was verified with a minimal server on that SDK
// (test/check/sdks.full.test.ts); the rows of the Go SDK were derived from its source.

import type { Revision } from '../../../mcp/revisions.ts';
import type { Outcome } from '../../report/report.ts';
import type { Sdk, SdkName } from './recognise-sdk.ts';

interface SdkFinding {
  readonly sdk: SdkName;
  /** Versions of the SDK. Default: any. */
  readonly version?: RegExp;
  /** Part of the SDK. Default: any. */
  readonly part?: Sdk['part'];
  readonly rules: readonly string[];
  readonly reason: RegExp;
  /** Matches the last frame of the server: a sign of a part of the SDK that a user may replace. */
  readonly frame?: RegExp;
  /** A framework on the SDK. The script of the server must be able to import its package. Default: the SDK. */
  readonly by?: { readonly name: string; readonly package: string };
  readonly note: string;
  readonly issue?: string;
}

const fastmcp = { name: 'FastMCP for TypeScript', package: 'fastmcp' };
/** Verified with 2.3.0 and 4.0.10. */
const pythonSdk = { sdk: 'Python SDK', version: /^2\./ } as const;
const mcpServer = { ...pythonSdk, part: 'MCPServer' } as const;
const pythonFastmcp = { sdk: 'FastMCP for Python', version: /^4\./ } as const;

const REPLACED_CODE = 'Version 2.x sends -32602 in place of -32002, in all revisions.';

const issue = (number: number) => `https://github.com/modelcontextprotocol/typescript-sdk/issues/${number}`;

const findings: readonly SdkFinding[] = [
  {
    sdk: 'TypeScript SDK',
    rules: [
      'jsonrpc/parse-error',
      'jsonrpc/invalid-request',
      'jsonrpc/positional-params-are-answered',
      'jsonrpc/unknown-members-are-ignored',
    ],
    reason: /was not answered\.$/,
    note: 'Its stdio transport drops lines that do not conform to its message schema.',
    issue: issue(2247),
  },
  {
    sdk: 'TypeScript SDK',
    rules: ['jsonrpc/batches-are-answered'],
    reason: /^A batch was not answered\.$/,
    note: 'It accepts 2025-03-26, but does not support batches over stdio.',
    issue: issue(275),
  },
  {
    sdk: 'TypeScript SDK',
    rules: ['jsonrpc/invalid-params', 'methods/unknown-log-levels-are-refused'],
    reason: /-32603 "\[\\n/,
    note: 'It reports params that do not conform to its schemas as internal errors.',
    issue: issue(2284),
  },
  {
    sdk: 'TypeScript SDK',
    rules: ['methods/unknown-tools-are-refused'],
    reason: /was answered with a result/,
    frame: /"text":"MCP error -32602: Tool \S+ not found"/,
    note: 'McpServer of version 1.x reports an unknown tool as a tool result.',
    issue: issue(1510),
  },
  {
    sdk: 'TypeScript SDK',
    rules: ['methods/unknown-resources-are-not-found'],
    reason: /-32602 "MCP error -32602: Resource \S+ not found"/,
    note: 'McpServer of version 1.x refuses an unknown resource with -32602.',
  },
  {
    sdk: 'TypeScript SDK',
    version: /^2\./,
    rules: ['methods/unknown-resources-are-not-found'],
    reason: / with -32602 "/,
    note: REPLACED_CODE,
  },
  {
    sdk: 'TypeScript SDK',
    part: 'McpServer',
    rules: ['methods/unknown-resources-are-not-found'],
    reason: / with -32602 "Resource not found: /,
    note: REPLACED_CODE,
  },
  {
    sdk: 'TypeScript SDK',
    part: 'McpServer',
    rules: ['methods/invalid-cursors-are-refused'],
    reason: /was answered with a result/,
    note: 'McpServer has one page of each list and ignores cursors.',
  },
  {
    sdk: 'TypeScript SDK',
    rules: ['tasks/required-tools'],
    reason: /was answered with a result/,
    frame: /"text":"MCP error -32601: Tool \S+ requires task augmentation /,
    note: 'McpServer of version 1.x reports a call without `task` of a tool that requires tasks as a tool result.',
  },
  {
    sdk: 'TypeScript SDK',
    rules: ['tasks/forbidden-tools'],
    reason: /-32602 "MCP error -32602: Invalid task creation result: /,
    note: 'Version 1.x calls a tool without tasks, and then refuses its result because it is not a task.',
  },
  {
    sdk: 'TypeScript SDK',
    rules: ['modern/version-of-each-request'],
    reason: /a request in 1900-01-01 was served\.$/,
    note: 'serveStdio of version 2.x reads only the version of the first request.',
  },
  {
    sdk: 'TypeScript SDK',
    rules: ['modern/era-of-each-request'],
    reason: /was served by an earlier revision\.$/,
    note: 'serveStdio of version 2.x chooses the era by the first message.',
  },
  ...[pythonSdk, pythonFastmcp].flatMap((sdk): SdkFinding[] => [
    {
      ...sdk,
      rules: ['jsonrpc/parse-error', 'jsonrpc/invalid-request', 'jsonrpc/positional-params-are-answered'],
      reason: /was not answered\.$/,
      note: 'Its stdio transport does not answer lines that do not conform to its message model.',
    },
    {
      ...sdk,
      rules: ['jsonrpc/batches-are-answered'],
      reason: /^A batch was not answered\.$/,
      note: 'It accepts 2025-03-26, but does not support batches over stdio.',
    },
  ]),
  ...[mcpServer, pythonFastmcp].flatMap((sdk): SdkFinding[] => [
    {
      ...sdk,
      rules: ['methods/invalid-cursors-are-refused'],
      reason: /`tools\/list` .{0,200} was answered with a result/,
      note: 'It has one page of tools and ignores cursors.',
    },
    {
      ...sdk,
      rules: ['methods/unknown-tools-are-refused'],
      reason: /was answered with a result/,
      frame: /"text":"Unknown tool: '?standpipe_no_such_tool'?"/,
      note: 'It reports an unknown tool as a tool result.',
    },
    {
      ...sdk,
      rules: ['methods/unknown-resources-are-not-found'],
      reason: /-32602 "(?:Unknown resource: |Resource not found: ')/,
      note: 'It refuses an unknown resource with -32602 in all revisions.',
    },
    {
      ...sdk,
      rules: ['methods/missing-prompt-arguments-are-refused'],
      reason:
        /refused with (?:-32603 "Internal server error"|(?:0|-32603) "(?:Error rendering prompt .{0,200})?Missing required arguments: \{)/,
      note: 'It has no specific error code for missing arguments of a prompt.',
    },
  ]),
  {
    ...mcpServer,
    rules: ['methods/unknown-prompts-are-refused'],
    reason: /refused with (?:-32603 "Internal server error"|0 "Unknown prompt: )/,
    note: 'It has no specific error code for an unknown prompt.',
  },
  {
    sdk: 'Go SDK',
    rules: ['wire/json-in-any-form'],
    reason: /^There was no answer to a request with whitespace /,
    note: 'Its stdio transport closes the connection if anything other than a newline follows a message.',
  },
  {
    sdk: 'Go SDK',
    rules: ['modern/unsupported-version'],
    reason: /refused with -32601 instead of -32022\.$/,
    frame: /"method not found: \\"server\/discover\\""/,
    note: 'It treats a request in an unknown version as one of an earlier revision.',
  },
  {
    sdk: 'Go SDK',
    rules: ['modern/cancelled-subscription-is-silent'],
    reason: /^`subscriptions\/listen` was answered after it was cancelled\.$/,
    note: 'It answers a cancelled subscription like one that it ends itself.',
  },
  {
    sdk: 'TypeScript SDK',
    rules: ['methods/unknown-tools-are-refused'],
    reason: /-32601 "MCP error -32601: Unknown tool: /,
    by: fastmcp,
    note: 'It refuses unknown tools as unknown methods.',
  },
  {
    sdk: 'TypeScript SDK',
    rules: ['methods/invalid-cursors-are-refused'],
    reason: /`tools\/list` .* was answered with a result/,
    // Matches the order of the members in the source of the SDK, which is rare in code of users.
    frame:
      /"tools":\[\{(?:"annotations":\{[^}]*\},)?(?:"description":"(?:[^"\\]|\\.)*",)?"inputSchema":\{.*\},"name":"/,
    by: fastmcp,
    note: 'It has one page of each list and ignores cursors.',
  },
  {
    sdk: 'TypeScript SDK',
    rules: ['methods/unknown-completions-are-refused'],
    reason: /-32603 "Unknown prompt"/,
    by: fastmcp,
    note: 'It reports an unknown prompt as an internal error.',
  },
];

/** A violated MUST that the SDK causes is a warning, unless its revision was requested. `find`: looks up a package of the server. */
export function attributeToSdk(
  outcomes: readonly Outcome[],
  sdk: Sdk,
  asked: readonly Revision[] = [],
  find: (name: string) => { version?: string } | undefined = () => ({}),
): Outcome[] {
  return outcomes.map((outcome) => {
    const maker = ({ by }: SdkFinding) => {
      const found = by ? find(by.package) : sdk;
      return found && [by?.name ?? sdk.name, found.version].join(' ').trim();
    };
    const row = findings.find((each) => isOf(each, sdk) && fits(each, outcome) && maker(each));
    if (!row) return outcome;
    const { note, issue } = row;
    const name = maker(row)!;
    const isEased = outcome.status === 'failed' && !asked.includes(outcome.revision!);
    const status = isEased ? 'warning' : outcome.status;
    return { ...outcome, status, sdk: { name, note, ...(issue && { issue }) } };
  });
}

function isOf({ sdk: name, version = /^/, part }: SdkFinding, sdk: Sdk): boolean {
  return sdk.name === name && version.test(sdk.version ?? '') && (part === undefined || part === sdk.part);
}

/** Whether an SDK may cause one of the outcomes. Avoids starting a process otherwise. */
export function mayBeOfSdk(outcomes: readonly Outcome[]): boolean {
  return outcomes.some((outcome) => findings.some((row) => fits(row, outcome)));
}

/** All ids in the table, for a test. */
export const rulesOfSdks: readonly string[] = findings.flatMap(({ rules }) => rules);

function fits({ rules, reason, frame }: SdkFinding, outcome: Outcome): boolean {
  const isViolated = outcome.status !== 'passed' && outcome.status !== 'not applicable';
  if (!isViolated || !rules.includes(outcome.rule) || !reason.test(outcome.reason ?? '')) return false;
  const last = outcome.evidence?.findLast(({ kind }) => kind === 'received');
  return frame === undefined || frame.test(last?.text ?? '');
}
