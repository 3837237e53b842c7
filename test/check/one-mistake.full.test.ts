// A server with one mistake has one problem in the report: the rule that shows the mistake, with correct statements about its cause and
// effects.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkClient } from '../../src/check/client/check-client.ts';
import { problemsOf } from '../../src/check/report/problems.ts';
import { isViolated } from '../../src/check/report/rule-results.ts';
import { textOf } from '../../src/check/report/text.ts';
import { type CheckServerOptions, checkServer } from '../../src/check/server/check-server.ts';
import { serverRules } from '../../src/check/server/rules/index.ts';
import { revisionsOfMcp } from '../../src/mcp/revisions.ts';

const planted = join(import.meta.dirname, '../fixtures/check/planted.mjs');

async function problems(mistake: string, options: Partial<CheckServerOptions> = {}) {
  const report = await checkServer({
    command: process.execPath,
    args: [planted, mistake],
    revisions: ['2025-11-25'],
    only: ['jsonrpc', 'methods', 'lifecycle/declared-capabilities-work'],
    timeoutMs: 60_000,
    ...options,
  });
  const found = problemsOf(report).map(({ head, also }) => [head, ...also].map(({ rule }) => rule.id));
  return { report, found, text: textOf(report) };
}

const ofCodes = [
  'methods/invalid-cursors-are-refused',
  'jsonrpc/method-not-found-code',
  'jsonrpc/invalid-params',
  'methods/unknown-tools-are-refused',
];

test.concurrent.each([
  ['errors-as-text', '"there is one page" (without an integer code)'],
  ['codes-as-text', '"-32602" "there is one page" (without an integer code)'],
])(
  '%s: malformed errors are errors, and other violations are listed below the rule about the form',
  async (mistake, described) => {
    const { found, text } = await problems(mistake);
    expect(found).toEqual([['jsonrpc/error-members', ...ofCodes]]);
    expect(text).not.toContain('answered with a result');
    expect(text).toContain(`was refused with ${described}`);
  },
);

test.concurrent('errors without their ids are reported with the fix, and requests do not wait for the timeout', async () => {
  const { found, report, text } = await problems('errors-without-ids', {
    only: ['lifecycle', 'jsonrpc', 'methods'],
    timeoutMs: 3_600_000,
    limitMs: 120_000,
  });
  expect(found, text).toHaveLength(1);
  expect(found[0]!.slice(0, 2)).toEqual(['jsonrpc/error-ids-are-echoed', 'jsonrpc/unknown-methods-are-refused']);
  expect(text).toContain('The answer to a request with an unknown method is an error with the id null');
  expect(text).toMatch(/← .*"id":null,"error".*\n {2}fix: Copy the id of the request/);
  expect(report.outcomes.filter(({ untested }) => untested)).toEqual([]);
});

test.concurrent('an error about a notification is not treated as the answer to a later request', async () => {
  const { found } = await problems('refuses-a-notification-late', {
    only: ['jsonrpc/error*', 'jsonrpc/invalid-params'],
  });
  expect(found).toEqual([]);
});

const PINGS = ['lifecycle/ping-before-initialized', 'lifecycle/ping-before-initialize'];
const ALL = { revisions: revisionsOfMcp, only: ['lifecycle', 'wire', 'jsonrpc', 'methods'] };

test.concurrent.each([
  ['answers-pings-with-nothing', ['jsonrpc/result-or-error', ...PINGS], /has no `result` and no `error`/],
  ['ignores-pings', PINGS, /There was no answer to `ping` within 2 s\. It also fails after `initialized`/],
  ['reads-chunks', ['wire/split-writes'], /two messages in one write are not/],
  ['reads-first-lines', ['wire/split-writes'], /two messages in one write are not/],
])(
  '%s: the cause is the first problem, with its effects below it, and all rules are tested',
  async (mistake, ids, reason) => {
    const { found, report, text } = await problems(mistake, { ...ALL, timeoutMs: 2_000 });
    expect(found, text).toEqual([ids]);
    const [first] = problemsOf(report);
    expect(first!.head.first.reason).toMatch(reason);
    expect(report.outcomes.filter(({ untested }) => untested)).toEqual([]);
  },
);

test.concurrent('an exit without a request is not attributed to a call', async () => {
  const { report, text } = await problems('exits-by-itself', { only: ['lifecycle', 'methods'] });
  const [first] = problemsOf(report);
  // On a slow machine, the server may exit before it is open.
  expect(['lifecycle/keeps-running', 'lifecycle/opens']).toContain(first!.head.rule.id);
  expect(first!.head.first.reason).toMatch(/exited with code 3/);
  expect(text).not.toContain('ended the server');
});

// The exits are random: the affected rules differ between runs, and depend on the load of the machine.
const isLong = process.env.STANDPIPE_FULL_TESTS !== undefined;
test.runIf(isLong)('a server that exits at random times violates only rules about exits', async () => {
  const report = await checkServer({
    command: process.execPath,
    args: [join(import.meta.dirname, '../fixtures/check/exits-at-random.mjs')],
    longCall: { name: 'wait' },
    only: ['lifecycle', 'jsonrpc', 'methods', 'robustness'],
    skip: serverRules.filter(({ isHeavy }) => isHeavy).map(({ id }) => id),
  });
  const violated = report.outcomes.filter(isViolated);
  expect(violated).not.toEqual([]);
  expect(violated.filter(({ rule }) => !/^lifecycle\/(?:opens|keeps-running)$/.test(rule))).toEqual([]);
});

test.concurrent('an exit after the answer to a call is attributed to the call', async () => {
  const { report } = await problems('exits-later', { only: ['methods'] });
  const [first] = problemsOf(report);
  expect(first!.head.rule.id).toBe('methods/calls-keep-the-server-alive');
  expect(first!.head.first.reason).toBe(
    'The call of "add" ended the server. It was answered, and then the server exited with code 3.',
  );
});

const BATCHED: Partial<CheckServerOptions> = { revisions: ['2025-11-25', '2025-03-26'], only: ['wire', 'jsonrpc'] };
const TEXT_IDS = { only: ['wire', 'jsonrpc', 'robustness/slow-reader'] };
const SPLIT = { only: ['wire/split-writes', 'wire/large-message-in'], timeoutMs: 5_000 };
const NOTIFIED = ['jsonrpc/unknown-notifications-are-ignored', 'robustness/stray-notifications'];
const GARBAGE = { only: ['wire/blank-lines-are-taken', 'robustness/garbage-text', 'robustness/other-json'] };
const UNKNOWN = [
  'jsonrpc/unknown-methods-are-refused',
  'lifecycle/initialize-after-discover',
  'robustness/huge-method',
];
const LONG = ['wire/answers-at-once', 'wire/large-message-*', 'robustness/memory', 'robustness/odd-members'];
const TOLD = { only: ['lifecycle/capabilities', 'lifecycle/undeclared-capabilities-are-refused', 'methods'] };

test.concurrent.each([
  ['indents', ['wire/no-newline-inside'], BATCHED],
  ['writes-a-bom', ['wire/no-byte-order-mark'], BATCHED],
  ['answers-text-with-7', ['jsonrpc/string-ids-are-echoed'], TEXT_IDS],
  ['answers-text-with-null', ['jsonrpc/string-ids-are-echoed'], TEXT_IDS],
  ['writes-arrays', ['jsonrpc/no-batches', 'jsonrpc/empty-batch'], BATCHED],
  ['notifies-in-arrays', ['jsonrpc/no-batches'], { only: ['wire', 'jsonrpc'] }],
  ['reads-lines-of-chunks', ['wire/split-writes', 'wire/large-message-in'], SPLIT],
  ['exits-at-unknown-notifications', NOTIFIED, { only: NOTIFIED }],
  ['lists-twice', ['methods/tool-names-are-unique'], { revisions: revisionsOfMcp, only: ['methods'] }],
  ['exits-at-bad-json', ['robustness/garbage-text', 'wire/blank-lines-are-taken'], GARBAGE],
  ['prompts-with-text', ['methods/prompt-results', 'methods/content-blocks'], {}],
  [
    'lists-capabilities',
    ['lifecycle/capabilities', 'methods/capabilities-are-declared', 'lifecycle/undeclared-capabilities-are-refused'],
    TOLD,
  ],
  ['exits-at-unknown-methods', UNKNOWN, { only: UNKNOWN }],
  ['cuts-long-lines', ['wire/large-message-in'], { only: LONG, timeoutMs: 5_000 }],
  [
    'wraps-errors',
    [
      'jsonrpc/unknown-methods-are-refused',
      'methods/invalid-cursors-are-refused',
      'jsonrpc/invalid-params',
      'methods/unknown-tools-are-refused',
    ],
    {},
  ],
  ['accepts-all-tools', ['methods/unknown-tools-are-refused', 'jsonrpc/invalid-params'], {}],
] as [string, string[], Partial<CheckServerOptions>][])(
  '%s is one problem, and names each rule once',
  async (mistake, ids, options) => {
    const { found } = await problems(mistake, options);
    expect(found).toEqual([ids]);
  },
);

test.concurrent('an answer with the id of an earlier request is shown with its own request', async () => {
  const { text } = await problems('answers-text-with-7', { only: ['jsonrpc/string-ids-are-echoed'] });
  expect(text).toMatch(
    /The request with the id "" was answered with another id\.(?:.*\n)+? {4}→ .*"id":"".*\n {4}← .*"id":7,/,
  );
});

test.concurrent('a batch of notifications violates no rule in 2025-03-26', async () => {
  expect((await problems('notifies-in-arrays', { ...BATCHED, revisions: ['2025-03-26'] })).found).toEqual([]);
});

test.concurrent('capabilities in a list are reported as an array', async () => {
  const { text } = await problems('lists-capabilities', TOLD);
  expect(text).toContain('The answer to `initialize` has capabilities that are an array.');
});

test.concurrent('errors inside results are reported with their fix', async () => {
  const { text } = await problems('wraps-errors', { only: ['jsonrpc/unknown-methods-are-refused'] });
  expect(text).toContain('`standpipe/no-such-method` was answered with a result that contains the error');
  expect(text).toContain('fix: Send errors in the member `error` of the answer, instead of `result`.');
});

test.concurrent('a server that cuts long lines is not reported for buffered answers', async () => {
  const { report } = await problems('cuts-long-lines', { only: ['wire/answers-at-once'], timeoutMs: 5_000 });
  expect(report.outcomes[0]).toMatchObject({
    status: 'not applicable',
    reason: 'the server does not answer a request of 70000 bytes (wire/large-message-in)',
  });
});

test.concurrent('a server that refuses its own cursor gets a warning with both pages', async () => {
  const { found, text } = await problems('refuses-its-cursor');
  expect(found).toEqual([['methods/cursors-are-accepted']]);
  expect(text).toContain('The server refused the cursor "x", which it had returned itself');
  expect(text).toMatch(/← .*"nextCursor":"x".*\n {4}→ .*"cursor":"x".*\n {4}← .*-32602/);
});

test.concurrent('a list that ends with an empty cursor gets a warning if the server refuses the cursor', async () => {
  const { found, text } = await problems('ends-with-empty-cursor');
  expect(found).toEqual([['methods/cursors-are-accepted']]);
  expect(text).toContain('The server refused the cursor "", which it had returned itself');
});

test.concurrent('a declared capability without its methods is the only problem', async () => {
  expect((await problems('declares-more')).found).toEqual([['lifecycle/declared-capabilities-work']]);
});

test.concurrent('if each call ends the server, calls with invalid arguments are not judged', async () => {
  const { found, report } = await problems('exits');
  expect(found).toEqual([['methods/calls-keep-the-server-alive']]);
  const missing = report.outcomes.find(({ rule }) => rule === 'methods/missing-arguments-are-refused');
  expect(missing).toMatchObject({
    status: 'not applicable',
    reason: 'the call of "add" ended the server (methods/calls-keep-the-server-alive)',
  });
});

test.concurrent('the end of the report names a tool that answers each call with an error', async () => {
  const { found, text } = await problems('fails');
  expect(found).toEqual([]);
  expect(text).toMatch(
    /^Not tested: 2 rules, because the call of "add" was answered with the error "The disk is full": name the tool with/m,
  );
});

test.concurrent('a server without ping is not reported for losing its session', async () => {
  const { found } = await problems('has-no-ping', {
    only: ['lifecycle/ping-before-initialized', 'lifecycle/second-initialize'],
  });
  expect(found).toEqual([['lifecycle/ping-before-initialized']]);
});

test.concurrent('both answers to a request that was answered twice are shown', async () => {
  const { text } = await problems('answers-twice', { only: ['jsonrpc/answered-once'] });
  expect(text).toMatch(/→ .*"id":(\d+),.*\n {4}← .*"id":\1,.*\n {4}← .*"id":\1,/);
});

test.concurrent('the reason names a misspelt member', async () => {
  const { text } = await problems('misspells', { only: ['methods/tool-entries'] });
  expect(text).toContain('The tool "add" has no inputSchema, but `input_schema`.');
});

test.concurrent.each([
  ['misspells-is-error', 'has no isError, but `is_error`'],
  ['writes-is-error-as-text', 'has an isError that is a string'],
])('%s: an error that clients treat as a success is not reported as accepted', async (mistake, wrong) => {
  const { found, text } = await problems(mistake);
  expect(found).toEqual([['methods/missing-arguments-are-refused', 'methods/argument-types-are-checked']]);
  expect(text).toContain(`answered a call without the required argument "a" with a result that ${wrong}. Clients`);
  expect(text).toContain('fix: Write `"isError": true`');
  expect(text).not.toContain('accepted a call');
});

test.concurrent.each([
  ['Invalid input: expected object, received string', ['"2"']],
  ['content.0.text: Invalid input: expected string, received number', ['{"content":[{"type":"text","text":2}]}']],
  ['Tool give has an output schema but no structured content was provided', ['{"content":[]}', 'has a schema']],
])('a tool whose output the SDK refuses gets a warning: %s', async (said, words) => {
  const args = [join(import.meta.dirname, '../fixtures/check/sdk-1-returns.mjs'), ...words];
  const { found, text } = await problems('', { args, only: ['methods/tool-*', 'methods/structured-*'] });
  expect(found).toEqual([['methods/tool-output-is-accepted']]);
  expect(text).toContain(`The server refused the output of the tool "give": "${said}".`);
  expect(text).not.toContain('Not tested: ');
});

test.concurrent('the reason names a misspelt optional member and its correct spelling', async () => {
  const { found, text } = await problems('misspells-next-cursor');
  expect(found).toEqual([['methods/member-names']]);
  expect(text).toContain('fix: Rename `next_cursor` to `nextCursor`.');
});

test.concurrent('an answer to `initialize` with a misspelt version names both spellings', async () => {
  const { text } = await problems('misspells-version');
  expect(text).toContain('The answer to `initialize` has no protocolVersion, but `protocol_version`.');
  expect(text).toMatch(/fix: .*`protocolVersion`/);
});

test.concurrent('the frames of a client that reads one page of a list show the received cursor', async () => {
  const client = join(import.meta.dirname, '../fixtures/check/client/client.mjs');
  const report = await checkClient({
    command: process.execPath,
    args: [client, 'reads-the-first-page-only', '--', '{server}'],
    only: ['client-calls/follows-pages'],
    timeoutMs: 60_000,
  });
  expect(textOf(report)).toMatch(/← .*"tools\/list".*\n {4}→ .*"nextCursor"/);
  expect(textOf(report)).not.toMatch(/… \d+ lines/);
});
