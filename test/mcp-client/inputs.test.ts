// Questions of servers to their client: requests in the legacy era, results in the modern era. The same handlers answer
// both.

import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import type { ClientOptions, ElicitParams, ElicitResult, SampleParams } from '../../src/entry/client.ts';
import { ClientCall } from '../../src/mcp/client/client-call.ts';
import { newClient } from '../../src/mcp/service.ts';
import { Logged } from '../fixtures/mcp-client/logged.ts';
import { until } from '../fixtures/server.ts';
import { killed } from '../fixtures/windows.ts';

const sampled = { role: 'assistant', content: { type: 'text', text: 'hm' }, model: 'none' } as const;

function handlers(): ClientOptions {
  return {
    elicit: (params: ElicitParams) => ({ action: 'accept', content: { answer: params.message } }),
    sample: async (_: SampleParams) => sampled,
    roots: [{ uri: 'file:///here' }],
  };
}

const text = async (result: Promise<{ content: unknown[] }>) => ((await result).content[0] as { text: string }).text;

for (const era of ['legacy', 'modern'] as const) {
  test(`${era}: answers one question`, async () => {
    const client = await new Logged(era).connect(handlers());
    const answer = await text(client.callTool('ask'));
    expect(answer).toContain('{"action":"accept","content":{"answer":"Your name?"}}');
  });

  test(`${era}: answers several questions of each kind at once`, async () => {
    const client = await new Logged(era).connect(handlers());
    const answers = JSON.parse((await text(client.callTool('askMuch'))).replace(/ undefined$/, ''));
    const [a, b, c, d] = Object.values(answers);
    expect(a).toEqual({ action: 'accept', content: { answer: 'a?' } });
    expect(b).toEqual({ action: 'accept', content: { answer: 'b?' } });
    expect(c).toEqual(sampled);
    expect(d).toEqual({ roots: [{ uri: 'file:///here' }] });
  });

  test(`${era}: declares capabilities according to the handlers`, async () => {
    const server = new Logged(era);
    await server.connect({
      ...handlers(),
      elicitModes: ['url', 'form'],
      capabilities: { sampling: { tools: {} }, extensions: { 'a/b': {} } },
    });
    const [opening] = server.received.filter(
      ({ method }) => method === (era === 'legacy' ? 'initialize' : 'server/discover'),
    );
    const declared = JSON.stringify(opening);
    expect(declared).toContain('"elicitation":{"url":{},"form":{}}');
    expect(declared).toContain('"sampling":{"tools":{}}');
    const tasks = era === 'legacy' ? '' : '"io.modelcontextprotocol/tasks":{},';
    expect(declared).toContain(`"extensions":{${tasks}"a/b":{}}`);
    expect(declared).toContain(era === 'legacy' ? '"roots":{"listChanged":true}' : '"roots":{}');
  });
}

test('modern: returns the state of the server unchanged, with a new id and only in the retry', async () => {
  const server = new Logged('modern');
  const client = await server.connect(handlers());
  expect(await text(client.callTool('ask', { some: 'thing' }))).toContain('standpipe:a/état "1"\u2028🙂');
  const [first, second] = server.received.filter(({ method }) => method === 'tools/call');
  expect(second!.id).not.toBe(first!.id);
  expect(first!.params).not.toHaveProperty('requestState');
  expect(second!.params).toEqual({
    ...first!.params,
    inputResponses: { name: { action: 'accept', content: { answer: 'Your name?' } } },
    requestState: 'standpipe:a/état "1"\u2028🙂',
  });
});

test('modern: passes on a state of a server that looks like one of ours', async () => {
  const client = await new Logged('modern').connect(handlers());
  const facts = {
    identity: newClient(),
    revision: '2026-07-28',
    capabilities: { elicitation: {} },
    info: undefined,
    logLevel: undefined,
  } as const;
  const call = new ClientCall({ facts, handlers: handlers(), logged: () => undefined }, undefined);
  const caller = Object.assign(call, { asksInResult: true });
  const result = await client.service.request('tools/call', { name: 'ask', arguments: {} }, caller);
  expect(JSON.stringify(result)).toContain('accept');
});

test('modern: a question for an undeclared capability is an error that names the missing handler', async () => {
  const client = await new Logged('modern').connect();
  await expect(client.callTool('ask')).rejects.toMatchObject({
    code: 'CAPABILITY_NOT_DECLARED',
    message: expect.stringContaining('elicitation/create'),
    hint: expect.stringContaining('elicit'),
  });
  const formsOnly = await new Logged('modern').connect(handlers());
  await expect(formsOnly.callTool('askUrl')).rejects.toMatchObject({
    code: 'CAPABILITY_NOT_DECLARED',
    message: expect.stringContaining('"url"'),
  });
});

test('legacy: refuses a question for an undeclared capability with the code of the revision', async () => {
  const bare = await new Logged('legacy').connect();
  expect(JSON.parse(await text(bare.callTool('ask')))).toMatchObject({ code: -32601 });
  expect(JSON.parse(await text(bare.callTool('pingClient')))).toEqual({});
  const formsOnly = await new Logged('legacy').connect(handlers());
  expect(JSON.parse(await text(formsOnly.callTool('askUrl')))).toMatchObject({ code: -32602 });
  expect(JSON.parse(await text(formsOnly.callTool('askTools')))).toMatchObject({ code: -32602 });
  const urls = await new Logged('legacy').connect({ ...handlers(), elicitModes: ['url'] });
  expect(JSON.parse(await text(urls.callTool('askUrl')))).toMatchObject({ action: 'accept' });
  expect(JSON.parse(await text(urls.callTool('ask')))).toMatchObject({ code: -32602 });
});

test('modern: stops an endless series of questions', async () => {
  const server = new Logged('modern');
  const client = await server.connect({ ...handlers(), maxInputRounds: 3 });
  await expect(client.callTool('askForever')).rejects.toMatchObject({ code: 'INPUT_ROUNDS_EXCEEDED' });
  expect(server.methods.filter((method) => method === 'tools/call')).toHaveLength(4);
});

test('modern: repeats a call of a server that only requests a later retry, with increasing delays', async () => {
  const server = new Logged('modern');
  const clock = new ManualClock();
  const client = await server.connect({ clock });
  const calls = () => server.methods.filter((method) => method === 'tools/call').length;
  const answer = text(client.callTool('later'));
  for (const [round, pauseMs] of [250, 500, 1000].entries()) {
    const startedMs = clock.nowMs();
    await until(`retry ${round + 1}`, () => {
      if (calls() === round + 2) return true;
      clock.advance(10);
      return false;
    });
    expect(clock.nowMs() - startedMs).toBeGreaterThanOrEqual(pauseMs);
  }
  expect(await answer).toBe('done');
  const states = server.received.flatMap(({ method, params }) =>
    method === 'tools/call' ? [params?.requestState] : [],
  );
  expect(states).toEqual([undefined, '1', '2', '3']);
});

test('modern: "input required" without a question is an error', async () => {
  const client = await new Logged('modern').connect();
  await expect(client.callTool('nothing')).rejects.toMatchObject({ code: 'RESULT_INVALID' });
});

test('modern: a handler that fails fails the call and aborts the other handlers', async () => {
  const reasons: unknown[] = [];
  const client = await new Logged('modern').connect({
    ...handlers(),
    elicit: () => Promise.reject(new Error('nobody at home')),
    sample: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push('told');
          reject(signal.reason);
        });
      }),
  });
  await expect(client.callTool('askMuch')).rejects.toThrow('nobody at home');
  expect(reasons).toEqual(['told']);
  expect(await text(client.callTool('hello', { name: 'you' }))).toBe('Hello, you!');
});

test('legacy: the server receives the message of a handler that fails, without a stack', async () => {
  const client = await new Logged('legacy').connect({
    elicit: () => Promise.reject(new Error('nobody at home')),
  });
  expect(JSON.parse(await text(client.callTool('ask')))).toEqual({ code: -32603, message: 'nobody at home' });
});

test('modern: the caller and the total timeout end a wait for the user', async () => {
  for (const end of ['caller', 'timeout']) {
    const clock = new ManualClock();
    const abort = new AbortController();
    let seen: AbortSignal | undefined;
    const client = await new Logged('modern').connect({
      clock,
      elicit: (_, { signal }) => {
        seen = signal;
        if (end === 'caller') abort.abort(new Error('enough'));
        else setImmediate(() => clock.advance(1000));
        return new Promise(() => undefined);
      },
    });
    const call = client.callTool('ask', {}, { signal: abort.signal, totalTimeoutMs: 1000 });
    await expect(call).rejects.toThrow(end === 'caller' ? 'enough' : /within 1000 ms in total, including questions/);
    expect(seen!.aborted).toBe(true);
  }
});

test('modern: the request timeout does not run while the user answers', async () => {
  const clock = new ManualClock();
  const client = await new Logged('modern').connect({
    clock,
    elicit: async () => {
      clock.advance(3_600_000);
      return { action: 'decline' };
    },
  });
  expect(await text(client.callTool('ask', {}, { timeoutMs: 300 }))).toContain('decline');
});

test('legacy: a server that cancels its question aborts the handler', async () => {
  let aborted = false;
  const client = await new Logged('legacy').connect({
    elicit: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('never mind'));
        });
      }),
  });
  expect(await text(client.callTool('askAndCancel'))).toBe('cancelled');
  expect(aborted).toBe(true);
});

/** Reactions of a handler to the abort of its question. */
const onAbort = {
  'waits on': () => new Promise<never>(() => undefined),
  'rejects with the reason': (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  'rejects with its own error': (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('never mind')))),
};

describe.each(['legacy', 'modern'] as const)('%s: the connection ends while a question is pending', (era) => {
  describe.each(Object.keys(onAbort) as (keyof typeof onAbort)[])('and its handler %s', (way) => {
    async function asked(tool = 'ask') {
      const signals: AbortSignal[] = [];
      const held = (_: unknown, { signal }: { signal: AbortSignal }) => {
        signals.push(signal);
        return onAbort[way](signal);
      };
      const roots = (context: { signal: AbortSignal }) => held(undefined, context);
      const client = await new Logged(era).connect({ elicit: held, sample: held, roots });
      const call = client.callTool(tool).catch((error: Error) => error);
      await until('the questions', () => signals.length === (tool === 'ask' ? 1 : 4));
      return { client, call, signals };
    }

    test.each(['ask', 'askMuch'])('because the server was killed in %s: its outcome is unknown', async (tool) => {
      const { client, call, signals } = await asked(tool);
      process.kill(client.transport.pid!, 'SIGKILL');
      expect(await call).toMatchObject({
        code: 'OUTCOME_UNKNOWN',
        cause: { code: 'PROCESS_EXITED' },
        evidence: killed,
      });
      for (const signal of signals) expect(signal).toMatchObject({ aborted: true, reason: { code: 'PROCESS_EXITED' } });
      await client.close();
    });

    test('because we closed it: the call fails with that reason, and close succeeds', async () => {
      const { client, call, signals } = await asked();
      await client.close();
      expect(await call).toMatchObject({ code: 'CONNECTION_CLOSED' });
      expect(signals[0]).toMatchObject({ aborted: true, reason: { code: 'CONNECTION_CLOSED' } });
    });
  });
});

test('modern: the outcome is unknown if the connection ends before the retry of a call', async () => {
  const server = new Logged('modern');
  const client = await server.connect({ clock: new ManualClock() });
  const call = client.callTool('later').catch((error: Error) => error);
  await until('the call', () => server.methods.includes('tools/call'));
  await client.ping();
  process.kill(client.transport.pid!, 'SIGKILL');
  expect(await call).toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: { code: 'PROCESS_EXITED' } });
});

test('legacy: the question of one call suspends only its own timeout', async () => {
  const clock = new ManualClock();
  let answer: ((given: ElicitResult) => void) | undefined;
  const client = await new Logged('legacy').connect({
    clock,
    elicit: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  const asking = client.callTool('ask', {}, { timeoutMs: 500 });
  await until('the question', () => answer !== undefined);
  const other = client.callTool('never', {}, { timeoutMs: 500 }).catch((error) => error.code);
  clock.advance(500);
  expect(await other).toBe('REQUEST_TIMEOUT');
  clock.advance(60_000);
  answer!({ action: 'decline' });
  expect(await text(asking)).toContain('decline');
});

test('roots may be a function, and a change is announced only in the legacy era', async () => {
  for (const era of ['legacy', 'modern'] as const) {
    const server = new Logged(era);
    let asked = 0;
    const client = await server.connect({ ...handlers(), roots: async () => [{ uri: `file:///${++asked}` }] });
    expect(await text(client.callTool('askMuch'))).toContain('file:///1');
    await client.notifyRootsChanged();
    await client.ping();
    expect(server.methods.includes('notifications/roots/list_changed')).toBe(era === 'legacy');
  }
  const rootless = await new Logged('legacy').connect();
  await expect(rootless.notifyRootsChanged()).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
});
