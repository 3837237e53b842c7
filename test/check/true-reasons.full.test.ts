// The first problem of a report names what the server did, and its fix repairs it. Each server has one mistake that was once mistaken for
// another.

import { expect, test } from 'vitest';
import { problemsOf } from '../../src/check/report/problems.ts';
import { textOf } from '../../src/check/report/text.ts';
import { type CheckServerOptions, checkServer } from '../../src/check/server/check-server.ts';

interface Mistake {
  /** Code for each message, with `message`, `id`, `method`, `params`, `send`, `result` and `error`. Returns true if the message is handled. */
  onMessage?: string;
  /** Code of the tool `add`, with `a` and `b`. Returns a result. */
  onCall?: string;
  /** Code that runs at the end of stdin. */
  onEnd?: string;
  /** Additional members of the tool. */
  tool?: object;
}

const number = { type: 'number', default: 1 };

function server({ onMessage = '', onCall = '', onEnd = '', tool = {} }: Mistake): string[] {
  const add = {
    name: 'add',
    inputSchema: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
    annotations: { readOnlyHint: true },
    ...tool,
  };
  const code = `
    const state = {};
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const block = (text) => ({ content: [{ type: 'text', text }] });
    const call = ({ a, b }, params) => {
      ${onCall}
      if (typeof a !== 'number' || typeof b !== 'number') return { ...block('not a number'), isError: true };
      return block(String(a + b));
    };
    const answer = (message) => {
      const { id, method, params = {} } = message;
      const result = (value) => send({ id, result: value });
      const error = (code, text) => send({ id, error: { code, message: text } });
      const isDone = (() => { ${onMessage} })();
      if (isDone || id === undefined) return;
      const { protocolVersion, cursor, name } = params;
      const serverInfo = { name: 'reasons', version: '1' };
      if (method === 'initialize') return result({ protocolVersion, capabilities: { tools: {} }, serverInfo });
      if (method === 'ping') return result({});
      if (method === 'tools/list' && cursor === undefined) return result({ tools: [${JSON.stringify(add)}] });
      if (method === 'tools/list') return error(-32602, 'one page');
      if (method === 'tools/call' && name === 'add') return result(call(params.arguments, params));
      if (method === 'tools/call') return error(-32602, 'no such tool');
      error(-32601, 'Method not found');
    };
    let rest = '';
    process.stdin.setEncoding('utf8').on('data', (chunk) => {
      const lines = (rest + chunk).split('\\n');
      rest = lines.pop();
      for (const line of lines) answer(JSON.parse(line));
    }).on('end', () => { ${onEnd} });`;
  return ['-e', code];
}

async function check(mistake: Mistake, only: string[], options: Partial<CheckServerOptions> = {}) {
  const report = await checkServer({
    command: process.execPath,
    args: server(mistake),
    revisions: ['2025-11-25'],
    timeoutMs: 60_000,
    only,
    ...options,
  });
  const text = textOf(report);
  const found = problemsOf(report).map(({ head, also }) => [head, ...also].map(({ rule }) => rule.id));
  const { reason = '', fix = '' } = problemsOf(report)[0]?.head.first ?? {};
  return { report, text, found, reason, fix };
}

test.concurrent('the correct server has no problem', async () => {
  const { found, text } = await check({}, ['methods', 'jsonrpc/*notifications*', 'robustness/stray-notifications']);
  expect(found, text).toEqual([]);
});

const ALIVE = 'methods/calls-keep-the-server-alive';
const ARGUMENTS = ['methods/missing-arguments-are-refused', 'methods/argument-types-are-checked'];

test.concurrent('an invalid call that ends the server fails the check, also if the argument has a default', async () => {
  const { found, reason, text } = await check({ onCall: 'a.toFixed(); b.toFixed();' }, [ALIVE, ...ARGUMENTS]);
  expect(found, text).toEqual([[ALIVE, ...ARGUMENTS]]);
  expect(reason).toMatch(/^A call of "add" without the required argument "a" ended the server\./);
  expect(text).toContain('TypeError: Cannot read properties of undefined');
});

test.concurrent('a server that fills in the default of a required argument violates no rule', async () => {
  const { report } = await check({ onCall: 'a ??= 1; b ??= 1;' }, [ALIVE, ...ARGUMENTS]);
  expect(report.outcomes.map(({ status }) => status)).toEqual(['not applicable', 'passed', 'passed']);
});

test.concurrent('a cancellation that ends the server is not reported as answered', async () => {
  const onMessage = `if (method === 'notifications/cancelled') setImmediate(() => { throw new TypeError('unknown') });`;
  const rules = ['jsonrpc/*notifications*', 'robustness/stray-notifications', 'methods/late-cancellations-are-ignored'];
  const { found, reason, text } = await check({ onMessage }, rules);
  expect(found[0]![0], text).toBe('robustness/stray-notifications');
  expect(reason).toMatch(/after a cancellation of an unknown request: the server exited with code 1\.$/);
  expect(text).not.toMatch(/notifications-are-not-answered/);
});

/** The check watches a server that starts slowly for longer. On a busy machine, an exit takes that time too. */
const SLOW_START = `if (method === 'initialize') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);`;
const LATE = `setTimeout(() => { throw new TypeError('late') }, 30);`;
const UNKNOWN = 'jsonrpc/unknown-methods-are-refused';

test.concurrent.each([
  [
    'an unknown notification',
    `if (method === 'notifications/standpipe/unknown') ${LATE}`,
    'jsonrpc/unknown-notifications-are-ignored',
    /after .*`notifications\/standpipe\/unknown`.* the server exited with code 1/i,
  ],
  [
    'a cancellation of an unknown request',
    `if (method === 'notifications/cancelled') ${LATE}`,
    'robustness/stray-notifications',
    /after a cancellation of an unknown request.* the server exited with code 1/i,
  ],
  [
    'a late cancellation',
    `if (method === 'notifications/cancelled') ${LATE}`,
    'methods/late-cancellations-are-ignored',
    /after .*cancel.* the server exited with code 1/i,
  ],
  [
    'the answer to an unknown method',
    `if (method === 'standpipe/no-such-method') ${LATE}`,
    UNKNOWN,
    /^After `standpipe\/no-such-method`, the server exited with code 1/,
  ],
])(
  'a server that exits 30 ms after %s violates the rule about it, alone and with other rules',
  async (_, code, id, reason) => {
    const all = ['jsonrpc', 'methods', 'robustness/stray-notifications'];
    for (const only of [[id], all]) {
      const { report, text } = await check({ onMessage: SLOW_START + code }, only);
      const outcome = report.outcomes.find(({ rule }) => rule === id)!;
      expect(outcome.status, text).toMatch(/^(?:failed|warning)$/);
      expect(outcome.reason).toMatch(reason);
      expect(outcome.evidence!.map(({ text: line }) => line).join('\n')).toContain('TypeError: late');
      if (id !== 'robustness/stray-notifications') expect(outcome.fix).toMatch(/catch the exception/);
      expect(text).not.toContain('The call of "add" ended the server');
    }
  },
);

test.concurrent('a slow server, as on a busy machine, may exit later after the message', async () => {
  const onMessage = `
    ${SLOW_START}
    if (method === 'notifications/standpipe/unknown') setTimeout(() => process.exit(1), 800);`;
  const rule = 'jsonrpc/unknown-notifications-are-ignored';
  const { found, text } = await check({ onMessage }, [rule]);
  expect(found, text).toEqual([[rule]]);
});

test.concurrent('text at the end of stdin is shown with its cause', async () => {
  const { text } = await check({ onEnd: `console.log('Shutting down');` }, ['wire/only-messages']);
  expect(text).toMatch(/^ {4}· stdin ended\n {4}← Shutting down$/m);
  expect(text).not.toContain('→');
});

const image = (data: string) => `return { content: [{ type: 'image', mimeType: 'image/png', data: '${data}' }] };`;
const progress = `send({ method: 'notifications/progress', params: { progressToken: params._meta?.progressToken, progress: '33%' } });`;

test.concurrent.each([
  [
    'data with the prefix of a URL',
    'methods/binary-data-is-base64',
    { onCall: image('data:image/png;base64,AAAA') },
    /^Leave out the prefix `data:image\/png;base64,`/,
  ],
  ['data in another alphabet', 'methods/binary-data-is-base64', { onCall: image('__-_') }, /^Use data\.toString/],
  ['progress as text', 'methods/progress-increases', { onCall: progress }, /^Write `progress` and `total` as numbers/],
  [
    'a list as output',
    'methods/output-schemas',
    { tool: { outputSchema: { type: 'array', items: {} } } },
    /^Wrap the list or the value in an object/,
  ],
])('%s: the fix matches the mistake', async (_what, rule, mistake, expected) => {
  const { fix, text } = await check(mistake, [rule]);
  expect(fix, text).toMatch(expected);
});

/** Writes a message and its newline separately, so that other writes get between them when many messages are pending. */
const TWO_WRITES = `
  if (method !== 'ping') return false;
  state.pending = (state.pending ?? 0) + 1;
  setImmediate(() => state.pending--);
  const newline = () => process.stdout.write('\\n');
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
  if (state.pending > 50) setImmediate(newline);
  else newline();
  return true;`;

test.concurrent('lines that are mixed up only under load violate the rules about lines', async () => {
  const { found, text } = await check({ onMessage: TWO_WRITES }, ['wire/one-message-per-line', 'wire/no-blank-lines']);
  expect(found, text).toEqual([['wire/one-message-per-line', 'wire/no-blank-lines']]);
  expect(text).toMatch(/← [^\n]*"result":\{\}\}\{"jsonrpc"/);
});

test.concurrent('the rule that sends a burst judges it', async () => {
  const onMessage = `
    if (params._meta?.padding !== 'x' || id % 2 === 0) return false;
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    return true;`;
  const { reason, fix } = await check({ onMessage }, ['robustness/thousand-requests']);
  expect(reason).toBe('The server wrote several messages on one line while it answered many requests at once.');
  expect(fix).toMatch(/^Write each message with its newline in one call/);
});

test.concurrent('answers with the id of another request are reported without waiting for the timeout', async () => {
  const onMessage = `
    state.id = id;
    if (method !== 'ping') return false;
    setImmediate(() => send({ id: state.id, result: {} }));
    return true;`;
  const rules = ['jsonrpc/requests-at-once-are-answered', 'jsonrpc/answered-once'];
  const { found, reason, text } = await check({ onMessage }, rules);
  expect(found, text).toEqual([rules]);
  expect(reason).toMatch(/of 10 requests .* were not answered, .*: some answers have the id of another request\.$/);
  expect(text).not.toMatch(/-{100}.* was answered/);
});

test.concurrent('the evidence begins with the request also if the answer has a byte order mark', async () => {
  const onMessage = `
    const { method: name } = message;
    if (typeof name !== 'number') return false;
    process.stdout.write('\\ufeff' + JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
    return true;`;
  const { text } = await check({ onMessage }, ['jsonrpc/invalid-request']);
  expect(text).toMatch(/→ [^\n]*"method":7[^\n]*\n {4}← [^\n]*-32601/);
});

test.concurrent('the fix for a result with an error inside is to send the error', async () => {
  const onMessage = `
    if (method !== 'standpipe/no-such-method') return false;
    return !send({ id, result: { error: 'Method not found' } });`;
  const { fix, reason } = await check({ onMessage }, ['jsonrpc/unknown-methods-are-refused']);
  expect(reason).toBe('`standpipe/no-such-method` was answered with a result.');
  expect(fix).toMatch(/in place of "result"\.$/);
});

test.concurrent('a list that ignores its cursor is one problem', async () => {
  const onMessage = `
    if (method !== 'tools/list') return false;
    return !send({ id, result: { tools: [{ name: 'add', inputSchema: { type: 'object' } }], nextCursor: 'next' } });`;
  const { found, text } = await check({ onMessage }, ['methods/lists-end', 'methods/pages-do-not-overlap']);
  expect(found, text).toEqual([['methods/lists-end', 'methods/pages-do-not-overlap']]);
});
