import { describe, expect, test } from 'vitest';
import { ManualClock } from '../base/clock.ts';
import { calculator, calculatorTool, connected, gate, rawServerOf } from './memory.contract.ts';
import { LiteMcpServer } from './server.ts';

const version = [1, 0, 0];
const envelope = (id: unknown, type: string, data: unknown) => JSON.stringify({ version, id, type, data });
const info = (id: unknown) => `${envelope(id, 'info', { version, ...calculatorTool })}\n\n\n`;
const result = (id: unknown, data: string) =>
  `${envelope(id, 'result', { version, params: {}, response: { content: [{ type: 'number', data }], error: false } })}\n\n\n`;
const echo = new LiteMcpServer({ name: 'Echo', parameters: [{ name: 'text', type: 'string' }] }, ({ text }) => text);

/** A client that already has its tool, so that the next request is a call. */
async function readyClient(options: Parameters<typeof rawServerOf>[0] = {}) {
  const ends = await rawServerOf(options);
  const asked = ends.client.info();
  await ends.raw.next();
  ends.raw.write(info(1));
  await asked;
  return ends;
}

describe('a call', () => {
  test('is sent by position or by name, with values as text', async () => {
    const { client } = await connected(calculator());
    for (const args of [['2', '3'], [2, 3], { b: 3, a: '2' }]) {
      expect(await client.call(args)).toEqual({
        version,
        params: { a: '2', b: '3' },
        response: { content: [{ type: 'number', data: '5' }], error: false },
      });
    }
  });
  test('a call with invalid arguments is refused before it is sent', async () => {
    const { client, raw } = await readyClient();
    for (const args of [['1'], { a: 1 }, { a: 1, b: 2, c: 3 }]) {
      await expect(client.call(args)).rejects.toMatchObject({ name: 'UsageError', code: 'INVALID_OPTION' });
    }
    expect(raw.unread).toBe('');
  });
  test('resolves when the tool reports an error', async () => {
    const { client } = await connected(calculator());
    const { response } = await client.call(['2', 'x']);
    expect(response).toMatchObject({
      error: true,
      content: [{ data: expect.stringContaining('"x" is not a number') }],
    });
  });
  test('is one of many in flight, answered in any order', async () => {
    const gates = Array.from({ length: 50 }, () => gate());
    const arrived = gate();
    let count = 0;
    const server = new LiteMcpServer({ name: 'Wait', parameters: [{ name: 'n', type: 'int' }] }, async ({ n }) => {
      if (++count === 50) arrived.open();
      await gates[n]!.opened;
      return n;
    });
    const { client } = await connected(server);
    const calls = gates.map((_, n) => client.call([n]));
    await arrived.opened;
    for (const { open } of gates.toReversed()) open();
    const results = await Promise.all(calls);
    expect(results.map(({ response }) => response.content[0]!.data)).toEqual(gates.map((_, n) => String(n)));
  });
  test('has its own id', async () => {
    const { client, raw } = await readyClient();
    const calls = [1, 2, 3].map((n) => client.call([n, n]));
    const ids = [await raw.nextJson(), await raw.nextJson(), await raw.nextJson()].map(({ id }) => id);
    expect(new Set([1, ...ids]).size).toBe(4);
    for (const id of ids) raw.write(result(id, String(id)));
    expect((await Promise.all(calls)).map(({ response }) => response.content[0]!.data)).toEqual(ids.map(String));
  });
});

describe('information', () => {
  test('is requested once for several callers, and again on demand', async () => {
    const { client, raw } = await rawServerOf();
    const asked = [client.info(), client.info(), client.call([2, 3])];
    expect(await raw.nextJson()).toEqual({ version, id: 1, type: 'get', data: {} });
    raw.write(info(1));
    expect(await asked[0]).toEqual({ version, ...calculatorTool });
    expect(await raw.nextJson()).toMatchObject({ id: 2, type: 'call' });
    raw.write(result(2, '5'));
    await Promise.all(asked);
    expect(await client.info()).toBe(client.tool);
    const again = client.info({ refresh: true });
    expect(await raw.nextJson()).toMatchObject({ id: 3, type: 'get' });
    raw.write(info(3).replace('A simple calculator', 'Now better'));
    expect(await again).toMatchObject({ description: 'Now better' });
    expect(client.tool).toMatchObject({ description: 'Now better' });
  });
  test.each([
    [
      'of another shape',
      envelope(1, 'info', { version }),
      'The server did not send "info": data.name must be a string, not absent',
    ],
    ['of another version', JSON.stringify({ version: [2, 0, 0], id: 1, type: 'info' }), 'version is 2.0.0'],
    ['of another type', result(1, '5').trim(), 'The server did not send "info": the server refused: 5'],
    ['without a version', JSON.stringify({ id: 1, type: 'info', data: {} }), 'version must be an array'],
    ['with broken JSON', '{"version":[1,0,0],"id":1,"type":"info","data":{},}', 'it is not valid JSON'],
    ['with its id as a string', envelope('1', 'info', { name: 'T' }), 'id must be an integer, not a string'],
  ])('%s is refused with a reason, and requested again the next time', async (_how, answer, message) => {
    const { client, raw } = await rawServerOf();
    const asked = client.info();
    await raw.next();
    raw.write(`${answer}\n\n\n`);
    await expect(asked).rejects.toMatchObject({ code: 'MESSAGE_INVALID', message: expect.stringContaining(message) });
    const again = client.info();
    expect(await raw.nextJson()).toMatchObject({ id: 2, type: 'get' });
    raw.write(info(2));
    expect(await again).toMatchObject({ name: 'Calculator' });
  });
});

describe('a wait', () => {
  test('ends with the timeout, and the late answer is dropped', async () => {
    const clock = new ManualClock();
    const { client, raw } = await readyClient({ clock, timeoutMs: 1_000 });
    const call = client.call([2, 3]);
    await raw.next();
    clock.advance(999);
    expect(client.inFlight).toBe(1);
    clock.advance(1);
    await expect(call).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
      hint: 'Raise timeoutMs.',
      message: 'call was not answered within 1000 ms',
      evidence: { phase: 'running' },
    });
    const next = client.call([2, 3], { timeoutMs: 50 });
    await raw.next();
    raw.write(result(2, 'late') + result(3, 'in time'));
    expect((await next).response.content[0]!.data).toBe('in time');
    expect(client.lateAnswers).toBe(1);
    expect(raw.unread).toBe('');
  });
  test('the wait of a first call includes the time for the description of the tool', async () => {
    const clock = new ManualClock();
    const { client, raw } = await rawServerOf({ clock });
    const call = client.call([2, 3], { timeoutMs: 1_000 });
    await raw.next();
    clock.advance(600);
    raw.write(info(1));
    await raw.next();
    clock.advance(400);
    await expect(call).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
      message: 'call was not answered within 400 ms',
    });
  });
  test('ends with the signal, and an aborted call is not sent', async () => {
    const { client, raw } = await readyClient();
    const abort = new AbortController();
    const call = client.call([2, 3], { signal: abort.signal });
    await raw.next();
    abort.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await expect(client.call([2, 3], { signal: abort.signal })).rejects.toThrow('enough');
    expect(raw.unread).toBe('');
  });
});

describe('the end of the connection', () => {
  test('leaves the outcome of sent calls unknown', async () => {
    const { client, raw } = await readyClient();
    const closed = gate<unknown>();
    client.onclose = closed.open;
    const call = client.call([2, 3]);
    await raw.next();
    raw.stream.end();
    await expect(call).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', hint: expect.stringContaining('took effect') });
    await closed.opened;
    await expect(client.call([2, 3])).rejects.toMatchObject({ code: 'NOT_SENT', hint: 'Connect again.' });
  });
  test('a connection that we close has its own error', async () => {
    const { client, raw } = await readyClient();
    const call = client.call([2, 3]);
    await raw.next();
    await Promise.all([client.close(), expect(call).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })]);
  });
});

describe('stray output', () => {
  test('before, between and after answers is counted and kept, and no answer is lost', async () => {
    const { client, raw, wire } = await rawServerOf();
    const noise: string[] = [];
    client.onnoise = ({ text }) => noise.push(text);
    const asked = client.info();
    await raw.next();
    raw.write(`Starting…\n{"level":"info","type":"info"}\nReady: ${info(1)}`);
    await asked;
    const call = client.call([2, 3]);
    await raw.next();
    raw.write(`got {"a call"\n\n${JSON.stringify(JSON.parse(result(2, '5')), null, 4)} done\n\n\nbye\n\n\n`);
    expect((await call).response.content[0]!.data).toBe('5');
    await client.close();
    expect(noise).toEqual(['Starting…', '{"level":"info","type":"info"}', 'Ready:', 'got {"a call"', 'done', 'bye']);
    expect(client.noiseCount).toBe(6);
    expect(wire.evidence()).toMatchObject({ firstNoise: 'Starting…' });
  });
  test('a thousand lines among a thousand answers: none is lost, each is counted', async () => {
    const { client, raw } = await readyClient();
    const calls = Array.from({ length: 1000 }, (_, n) => client.call([n, n]));
    for (const _ of calls) {
      const { id } = await raw.nextJson();
      raw.write(`log line ${id}\n${result(id, String(id))}`);
    }
    await Promise.all(calls);
    expect(client.noiseCount).toBe(1000);
  });
  test('an echo of our own requests is stray output', async () => {
    const clock = new ManualClock();
    const { client, raw } = await rawServerOf({ clock });
    const heard = gate();
    client.onnoise = () => heard.open();
    const asked = client.info({ timeoutMs: 100 });
    raw.write(await raw.next());
    await heard.opened;
    clock.advance(100);
    await expect(asked).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
      evidence: { phase: 'startup', firstNoise: '{"version":[1,0,0],"id":1,"type":"get","data":{}}' },
    });
  });
  test('a listener that throws is reported', async () => {
    const { client, raw } = await rawServerOf();
    const errors: Error[] = [];
    client.onerror = (error) => errors.push(error);
    client.onnoise = () => {
      throw new Error('listener');
    };
    const asked = client.info();
    await raw.next();
    raw.write(`hello\n${info(1)}`);
    await asked;
    expect(errors).toMatchObject([{ message: 'listener' }]);
  });
  test('reports an unexpected answer', async () => {
    const { client, raw } = await readyClient();
    const errors: Error[] = [];
    client.onerror = (error) => errors.push(error);
    const call = client.call([2, 3]);
    await raw.next();
    raw.write(
      result(77, 'x') +
        result('9223372036854775807', 'x').replaceAll('"9223372036854775807"', '9223372036854775807') +
        result(2, '5'),
    );
    await call;
    expect(errors.map(({ message }) => message)).toEqual([
      'An answer ("result") with id 77 matches no pending request',
      'An answer ("result") with id 9223372036854775807 matches no pending request',
    ]);
  });
});

describe('an unreadable answer', () => {
  test('above the limit fails alone', async () => {
    const { client, raw } = await rawServerOf({}, { maxFrameBytes: 2_000 });
    const calls = Promise.allSettled([client.call([1, 1]), client.call([2, 2])]);
    await raw.next();
    raw.write(info(1));
    await raw.next();
    await raw.next();
    raw.write(result(2, 'x'.repeat(3_000)) + result(3, 'fine'));
    const [large, fine] = await calls;
    expect(large).toMatchObject({ reason: { code: 'FRAME_TOO_LONG', hint: expect.stringContaining('maxFrameBytes') } });
    expect(fine).toMatchObject({ value: { response: { content: [{ data: 'fine' }] } } });
  });
  test('an answer that is cut off by the end of the stream has this cause', async () => {
    const { client, raw } = await readyClient();
    const call = client.call([2, 3]);
    await raw.next();
    raw.stream.end(result(2, 'cut').slice(0, 60));
    await expect(call).rejects.toMatchObject({
      code: 'FRAME_TRUNCATED',
      message: expect.stringContaining('ended inside'),
    });
  });
});

test('returns an empty string unchanged', async () => {
  const { client } = await connected(echo);
  expect((await client.call([''])).response.content).toEqual([{ type: 'string', data: '' }]);
});

test.each(['', '"', 'Loading "model" from "\n', '{"level":"info"} "'])(
  'an answer with too many values fails its call, even after %j',
  async (before) => {
    const { client, raw } = await readyClient({ maxFrameValues: 200 });
    const called = client.call([1, 2]);
    const { id } = await raw.nextJson();
    raw.write(`${before}${envelope(id, 'result', { z: Array.from({ length: 100 }, () => ({})) })}\n\n\n`);
    await expect(called).rejects.toMatchObject({
      code: 'TOO_MANY_VALUES',
      message: expect.stringContaining('more than 200 JSON values (maxFrameValues)'),
    });
    const next = client.call([1, 2]);
    raw.write(`text " ${result((await raw.nextJson()).id, '3')}`);
    expect((await next).response.content).toEqual([{ type: 'number', data: '3' }]);
  },
);
