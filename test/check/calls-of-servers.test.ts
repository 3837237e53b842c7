// Results of the check about calls: calls that end the server, stay unanswered, fail, or may not be made.

import { expect, test } from 'vitest';
import type { CheckReport } from '../../src/check/report/report.ts';
import { textOf } from '../../src/check/report/text.ts';
import { type CheckServerOptions, checkServer } from '../../src/check/server/check-server.ts';

const ALIVE = 'methods/calls-keep-the-server-alive';

/**
 * A server with one read-only tool. `onCall`: code that uses `answer` and `fail`. `before`: code that runs before other requests are
 * answered.
 */
function server(
  onCall: string,
  { before = '', isReadOnly = true, a = {}, $defs = {}, tool: more = {} } = {},
): string[] {
  const tool = {
    name: 'add',
    inputSchema: { type: 'object', properties: { a: { type: 'number', ...a } }, required: ['a'], $defs },
    annotations: { readOnlyHint: isReadOnly },
    ...more,
  };
  const code = `
    let wasCalled = false;
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const send = (member, value) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, [member]: value }) + '\\n');
      const fail = (code, message) => send('error', { code, message });
      const answer = () => send('result', { content: [{ type: 'text', text: '1' }] });
      ${before}
      if (method === 'tools/call' && params.name === 'add') {
        wasCalled = true;
        ${onCall}
        return;
      }
      const { protocolVersion } = params ?? {};
      const results = {
        initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'calls', version: '1' } },
        ping: {},
        'tools/list': { tools: [${JSON.stringify(tool)}] },
      };
      if (results[method]) send('result', results[method]);
      else fail(-32601, 'Method not found');
    });`;
  return ['-e', code];
}

function check(args: string[], options: Partial<CheckServerOptions> = {}): Promise<CheckReport> {
  return checkServer({ command: process.execPath, args, revisions: ['2025-11-25'], timeoutMs: 60_000, ...options });
}

const crash = `process.stderr.write('at work\\n'.repeat(200) + 'Error: no disk\\n'); process.exit(3);`;

test.concurrent.each([
  [
    'during the call',
    server(crash),
    /There was no answer to `tools\/call`: the server exited with code 3\.$/,
    /^Catch the errors of a tool/,
  ],
  [
    'after its answer',
    server('answer();', { before: `if (wasCalled && method === 'ping') { ${crash} }` }),
    /It was answered, and then the server exited with code 3\.$/,
    /^Read stdin until its end/,
  ],
  [
    'after the answer to a later request',
    server('answer();', { before: `if (wasCalled && params?.name?.startsWith('standpipe')) { ${crash} }` }),
    /the server exited with code 3 by itself\.$/,
    /^Read stdin until its end/,
  ],
])(
  'a server that exits %s violates the rule, with its stderr and its exit as evidence',
  async (_when, args, reason, fix) => {
    const report = await check(args, { only: [ALIVE] });
    const texts = { reason: expect.stringMatching(reason), fix: expect.stringMatching(fix) };
    expect(report.outcomes).toMatchObject([{ status: 'failed', ...texts }]);
    expect(textOf(report)).toMatch(/→ [^\n]*"tools\/call".*stderr ….*Error: no disk.*· exited: code 3/s);
  },
);

const reasonsOf = ({ outcomes }: CheckReport) =>
  Object.fromEntries(outcomes.map(({ rule, reason }) => [rule, reason ?? 'passed']));
const ofResults = ['methods/tool-results', 'methods/content-blocks'];
const ofArguments = ['methods/missing-arguments-are-refused', 'methods/argument-types-are-checked'];

test.concurrent('the report lists rules that --allow-calls would test, if there are tools', async () => {
  const rules = [ALIVE, ...ofResults, ...ofArguments];
  const report = await check(server('answer();', { isReadOnly: false }), { only: rules });
  for (const reason of Object.values(reasonsOf(report)))
    expect(reason).toMatch(/^the check may not call any of these tools.*--allow-calls$/);
  expect(textOf(report)).toMatch(/^Not tested: 5 rules, because the check may not call any of these tools/m);
});

test.concurrent('the reason names a call that is not answered', async () => {
  const report = await check(server(''), { only: [ALIVE, ...ofResults], timeoutMs: 4_000 });
  const reason = 'the call of "add" was not answered within 2.5 s: raise --timeout, or name the tool with --long-call';
  expect(new Set(Object.values(reasonsOf(report)))).toEqual(new Set([reason]));
});

const wrongContent = `send('result', { content: '1' });`;

test.concurrent.each<[string, Partial<CheckServerOptions>]>([
  ['is read-only', {}],
  ['is allowed with other arguments', { allowCalls: [{ name: 'add', arguments: { a: 2 } }] }],
  ['is allowed with the same arguments', { allowCalls: [{ name: 'add', arguments: { a: 1 } }] }],
])('the tool of the long call is judged if it %s', async (_when, options) => {
  const longCall = { name: 'add', arguments: { a: 1 } };
  const args = server(wrongContent, { a: { default: 7 }, isReadOnly: !options.allowCalls });
  const report = await check(args, { only: ofResults, longCall, ...options });
  expect(report.outcomes[0]).toMatchObject({ rule: 'methods/tool-results', status: 'failed' });
});

test.concurrent('the reason names the long call if it is the only one of the tool', async () => {
  const longCall = { name: 'add', arguments: { a: 1 } };
  for (const isReadOnly of [true, false]) {
    const args = server('answer();', { a: { default: 1 }, isReadOnly });
    const report = await check(args, { only: [ALIVE, ...ofResults], longCall });
    const reason =
      'the check knows only the long call of "add", whose result is not awaited: name a short call of the tool with arguments in --allow-calls';
    expect(new Set(Object.values(reasonsOf(report)))).toEqual(new Set([reason]));
  }
});

test.concurrent('a slow tool that --long-call names is not reported as slow', async () => {
  const longCall = { name: 'add', arguments: { a: 9 } };
  const report = await check(server(''), {
    only: ['methods/calls-are-answered', ...ofResults],
    longCall,
    timeoutMs: 4_000,
  });
  const reason =
    'the call of "add" was not answered within 2.5 s: name a short call of the tool with arguments in --allow-calls';
  expect(Object.values(reasonsOf(report)).toSorted()).toEqual(['passed', reason, reason].toSorted());
});

test.concurrent('the reason does not ask for other arguments of a tool that runs only as a task', async () => {
  const tool = { execution: { taskSupport: 'required' } };
  const report = await check(server(`fail(-32601, 'as a task');`, { tool }), { only: ofResults });
  const reason = 'the tools that may be called run only as tasks: name another tool with --allow-calls';
  expect(new Set(Object.values(reasonsOf(report)))).toEqual(new Set([reason]));
});

test.concurrent('the reason names a call that is answered with an error', async () => {
  const report = await check(server(`fail(-32602, 'n'.repeat(9000));`), { only: [ALIVE, ...ofResults] });
  const reason = `the call of "add" was answered with the error -32602 "${'n'.repeat(80)}…": name the tool with other arguments in --allow-calls`;
  expect(reasonsOf(report)).toEqual({ [ALIVE]: 'passed', [ofResults[0]!]: reason, [ofResults[1]!]: reason });
});

test.concurrent('a call has arguments that follow the references of the schema', async () => {
  const onCall = `params.arguments?.a === 'desc' ? answer() : fail(-32602, 'a must be desc');`;
  const schema = {
    a: { type: undefined, $ref: '#/$defs/Order' },
    $defs: { Order: { type: 'string', enum: ['desc'] } },
  };
  const report = await check(server(onCall, schema), { only: [ALIVE, ...ofResults, ...ofArguments] });
  expect(new Set(Object.values(reasonsOf(report)))).toEqual(new Set(['passed']));
});

test.concurrent('a tool without arguments that its schema accepts is not called', async () => {
  const report = await check(server(crash, { a: { minimum: 2, maximum: 1 } }), {
    only: [ALIVE, ...ofResults, ...ofArguments],
  });
  const reason =
    'the check found no arguments that the `inputSchema` of "add" accepts: name the tool with arguments in --allow-calls';
  expect(new Set(Object.values(reasonsOf(report)))).toEqual(new Set([reason]));
  expect(textOf(report)).toContain('Not tested: 5 rules, because the check found no arguments');
});

test.concurrent('a call that lacks a capability of the client is not said to need other arguments', async () => {
  const report = await check(server(`fail(-32021, 'Missing capability');`), { only: ofResults });
  const reason =
    'the tool "add" requires a capability that the check does not declare as a client: its call was answered with the error -32021 "Missing capability"';
  expect(new Set(Object.values(reasonsOf(report)))).toEqual(new Set([reason]));
});

test.concurrent.each([
  ['allowCalls', { allowCalls: [{ name: 'addd' }] }],
  ['longCall', { longCall: { name: 'addd' } }],
])('a misspelt tool of %s is a usage error with a suggestion', async (_, options) => {
  await expect(check(server('answer();'), { only: [ALIVE], ...options })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: 'The server has no tool "addd"',
    hint: expect.stringContaining('Did you mean "add"?'),
  });
});

test.concurrent('a pattern that matches no tool allows nothing', async () => {
  const report = await check(server('answer();'), { only: [ALIVE], allowCalls: [{ name: 'list_*' }] });
  expect(reasonsOf(report)).toEqual({ [ALIVE]: 'passed' });
});
