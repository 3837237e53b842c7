import { duplexPair } from 'node:stream';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { calculator, calculatorTool, connected, gate, RawEnd, rawClientOf, wireOver } from './memory.contract.ts';
import { LiteMcpServer } from './server.ts';

const version = [1, 0, 0];
const message = (fields: object) => `${JSON.stringify({ version, id: 1, type: 'get', data: {}, ...fields })}\n\n\n`;
const callMessage = (id: number, args: unknown, tool = 'Calculator') =>
  message({ id, type: 'call', data: { version, tool, arguments: args } });
const errorOf = (answer: Record<string, unknown>) => {
  const data = answer.data as { params: object; response: { content: { data: string }[]; error: boolean } };
  expect(answer).toMatchObject({ version, type: 'result', data: { version, response: { error: true } } });
  return { id: answer.id, params: data.params, says: data.response.content.map((content) => content.data).join() };
};
async function raw(options: { maxFrameBytes?: number } = {}) {
  const logs: string[] = [];
  const { raw } = await rawClientOf(calculator({ log: (line) => logs.push(line) }), options);
  return { raw, logs };
}

describe('a request', () => {
  test('for information is answered, with any or no data', async () => {
    const { raw: client } = await raw();
    for (const [id, data] of [
      [1, {}],
      [2, null],
      [3, undefined],
      [4, { later: 'versions may say more' }],
    ] as const) {
      client.write(message({ id, data }));
      expect(await client.nextJson()).toEqual({ version, id, type: 'info', data: { version, ...calculatorTool } });
    }
  });
  test('a call request is answered with the arguments by name', async () => {
    const { raw: client } = await raw();
    client.write(callMessage(7, ['2', '3']));
    expect(await client.next()).toBe(
      '{"version":[1,0,0],"id":7,"type":"result","data":{"version":[1,0,0],"params":{"a":"2","b":"3"},' +
        '"response":{"content":[{"type":"number","data":"5"}],"error":false}}}\n\n\n',
    );
  });
  test('a request of a newer minor version is served, and numbers are read as text', async () => {
    const { raw: client } = await raw();
    client.write(
      message({
        version: [1, 9, 9],
        type: 'call',
        data: { version: [1, 2, 0], tool: 'Calculator', arguments: [2, 3] },
      }),
    );
    expect(await client.nextJson()).toMatchObject({ data: { params: { a: '2', b: '3' }, response: { error: false } } });
  });
  test('has its id in the answer, with all digits', async () => {
    const { raw: client } = await raw();
    client.write('{"version":[1,0,0],"id":9223372036854775807,"type":"get"}\n\n\n');
    expect(await client.next()).toMatch('"id":9223372036854775807,');
  });
  test('a request with a used id is ignored, and the next one works', async () => {
    const { raw: client, logs } = await raw();
    client.write(message({ id: 5 }) + callMessage(5, ['1', '1']) + message({ id: 5 }) + message({ id: 6 }));
    expect((await client.nextJson()).id).toBe(5);
    expect((await client.nextJson()).id).toBe(6);
    expect(client.unread).toBe('');
    expect(logs).toEqual(['Calculator: Ignored: id 5 was used before', 'Calculator: Ignored: id 5 was used before']);
  });
});

describe('an invalid request is answered with an error result', () => {
  test.each([
    [
      'another major version',
      message({ version: [2, 0, 0] }),
      'version is 2.0.0, and this side supports LiteMCP 1.0.0',
    ],
    ['no version', message({ version: null }), 'version must be an array such as [1, 0, 0], not null'],
    ['an unknown type', message({ type: 'put' }), 'Unknown type "put": a request is "get" or "call"'],
    ['no type', message({ type: undefined }), 'type must be a string, not absent'],
    ['data that is not an object', message({ data: 'x' }), 'data must be an object, not a string'],
    ['a call without data', message({ type: 'call', data: null }), 'data must be an object, not absent'],
    ['another tool', callMessage(1, ['2', '3'], 'Clock'), 'Unknown tool "Clock"; this server has "Calculator"'],
    ['too few arguments', callMessage(1, ['2']), 'Calculator takes 2 arguments ("a", "b"), not 1; missing: "b"'],
    ['too many arguments', callMessage(1, ['2', '3', '4']), 'Calculator takes 2 arguments ("a", "b"), not 3'],
    ['no arguments', callMessage(1, null), 'not 0; missing: "a", "b"'],
    [
      'an argument that is not a string',
      callMessage(1, ['2', {}]),
      'data.arguments[1] must be a string, not an object',
    ],
    ['an argument of the wrong type', callMessage(1, ['2', 'x']), 'The argument "b" does not fit: "x" is not a number'],
    ['broken JSON', '{"id":1,"type":"get",}\n\n\n', 'Not valid JSON: '],
    ['two messages in one', '{"id":1,"type":"get"}\n\n{"id":2}\n\n\n', 'Not valid JSON: '],
  ])('%s', async (_what, text, says) => {
    const { raw: client } = await raw();
    client.write(text);
    expect(errorOf(await client.nextJson())).toMatchObject({ id: 1, says: expect.stringContaining(says) });
    client.write(callMessage(2, ['2', '3']));
    expect(await client.nextJson()).toMatchObject({ id: 2, data: { response: { error: false } } });
  });
  test('returns the received arguments', async () => {
    const { raw: client } = await raw();
    client.write(callMessage(1, ['2']));
    expect(errorOf(await client.nextJson()).params).toEqual({ a: '2' });
    client.write(callMessage(2, ['2', 'x']));
    expect(errorOf(await client.nextJson()).params).toEqual({ a: '2', b: 'x' });
  });
  test('a message above the limit fails alone', async () => {
    const { raw: client } = await raw({ maxFrameBytes: 2_000 });
    client.write(callMessage(1, ['2', 'x'.repeat(5_000)]) + callMessage(2, ['2', '3']));
    expect(errorOf(await client.nextJson())).toMatchObject({
      id: 1,
      says: expect.stringContaining('more than this server reads'),
    });
    expect(await client.nextJson()).toMatchObject({ id: 2, data: { response: { error: false } } });
  });
  test('at the end of the input is reported as incomplete', async () => {
    const { raw: client } = await raw();
    client.stream.end('{"version":[1,0,0],"id":1,"type":"get","data":{}}\n');
    expect(errorOf(await client.nextJson()).says).toBe(
      'The input ended inside a message: a message ends with three newlines',
    );
  });
});

describe('a message without a readable id is logged, and the next request works', () => {
  test.each([
    ['prose', 'hello', 'Calculator: Not valid JSON: '],
    ['an array', '[]', 'Calculator: A message must be a JSON object, not an array'],
    [
      'an id that is a string',
      '{"version":[1,0,0],"id":"1","type":"get"}',
      'Calculator: id must be an integer, not a string',
    ],
    [
      'an answer',
      '{"version":[1,0,0],"id":1,"type":"result","data":{}}',
      'is an answer, and this server sends no requests',
    ],
    ['a broken answer', '{"id":1,"type":"info",', 'Calculator: Not valid JSON: '],
  ])('%s', async (_what, text, line) => {
    const { raw: client, logs } = await raw();
    client.write(`${text}\n\n\n   \n\n\n${callMessage(1, ['2', '3'])}`);
    expect(await client.nextJson()).toMatchObject({ id: 1, data: { response: { error: false } } });
    expect(logs).toEqual([expect.stringContaining(line)]);
  });
  test('does not answer broken JSON with an id in use, because the answer would belong to that call', async () => {
    const { opened, open } = gate<string>();
    const logs: string[] = [];
    const server = new LiteMcpServer({ name: 'Wait' }, () => opened, { log: (line) => logs.push(line) });
    const { raw: client } = await rawClientOf(server);
    client.write(`${callMessage(1, [], 'Wait')}{"id":1,"type":"call",}\n\n\n${message({ id: 2 })}`);
    expect(await client.nextJson()).toMatchObject({ id: 2, type: 'info' });
    open('done');
    expect(await client.nextJson()).toMatchObject({ id: 1, data: { response: { content: [{ data: 'done' }] } } });
  });
});

describe('a handler', () => {
  test('receives values by name, and the original strings', async () => {
    const seen: unknown[] = [];
    const server = new LiteMcpServer(
      {
        name: 'T',
        parameters: [
          { name: 'n', type: 'int' },
          { name: 'on', type: 'bool' },
          { name: 'word', type: 'text' },
        ],
      },
      (values, call) => {
        expectTypeOf(values).toEqualTypeOf<{ n: number; on: boolean; word: string }>();
        seen.push(values, call.arguments, call.params, call.id);
      },
    );
    const { client } = await connected(server);
    await client.call([' 7', 'TRUE', '7']);
    expect(seen).toEqual([{ n: 7, on: true, word: '7' }, [' 7', 'TRUE', '7'], { n: ' 7', on: 'TRUE', word: '7' }, 2]);
  });
  test.each([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
      'disk full',
    ],
    ['rejects', () => Promise.reject(new Error('disk full')), 'disk full'],
    [
      'throws a string',
      () => {
        throw 'disk full';
      },
      'disk full',
    ],
    [
      'throws nothing',
      () => {
        throw undefined;
      },
      'Handler threw nothing',
    ],
    [
      'throws without a message',
      () => {
        throw new Error();
      },
      'The tool failed without a message',
    ],
    [
      'returns a value without a text',
      () => ({ big: 1n }),
      'Cannot be serialized as JSON: Do not know how to serialize a BigInt',
    ],
  ])('that %s is an error without a stack', async (_how, handler, says) => {
    const logs: string[] = [];
    const { client } = await connected(new LiteMcpServer({ name: 'T' }, handler, { log: (line) => logs.push(line) }));
    const { response } = await client.call();
    expect(response).toEqual({ content: [{ type: 'string', data: says }], error: true });
    expect(logs).toEqual([expect.stringContaining('T: The handler failed: ')]);
  });
  test('runs beside others up to the limit, waits in a bounded queue, and is refused above it', async () => {
    const gates = new Map<string, ReturnType<typeof gate<string>>>();
    let running = 0;
    let most = 0;
    const server = new LiteMcpServer(
      { name: 'Wait', parameters: [{ name: 'key', type: 'string' }] },
      async ({ key }) => {
        most = Math.max(most, ++running);
        const mine = gate<string>();
        gates.set(key, mine);
        const result = await mine.opened;
        running--;
        return result;
      },
      { maxConcurrent: 2, maxQueued: 1 },
    );
    const { client } = await connected(server);
    await client.info();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((key) => client.call([key]));
    expect((await d!).response).toEqual({
      content: [
        { type: 'string', data: 'Too many requests: 2 running and 1 waiting; send it again later, with a new id' },
      ],
      error: true,
    });
    expect(await client.info({ refresh: true })).toMatchObject({ name: 'Wait' });
    gates.get('b')!.open('B');
    expect((await b!).response.content[0]!.data).toBe('B');
    gates.get('c')!.open('C');
    expect((await c!).response.content[0]!.data).toBe('C');
    gates.get('a')!.open('A');
    expect((await a!).response.content[0]!.data).toBe('A');
    expect(most).toBe(2);
  });
  test('is refused above the byte limit of all calls', async () => {
    const { open, opened } = gate<string>();
    const server = new LiteMcpServer({ name: 'Wait', parameters: [{ name: 'key', type: 'string' }] }, () => opened, {
      maxInboundBytes: 5000,
    });
    const { client } = await connected(server);
    await client.info();
    const [a, b] = ['a', 'b'].map((key) => client.call([key.repeat(3000)]));
    expect((await b!).response).toEqual({
      content: [{ type: 'string', data: expect.stringMatching(/^Too many request bytes: .* later, with a new id$/) }],
      error: true,
    });
    open('A');
    expect((await a!).response.content[0]!.data).toBe('A');
    expect((await client.call(['b'.repeat(3000)])).response.error).toBe(false);
  });
  test('receives an aborted signal when the client disconnects', async () => {
    const started = gate();
    const aborted = gate();
    const server = new LiteMcpServer({ name: 'Wait' }, async (_values, { signal }) => {
      signal.addEventListener('abort', () => aborted.open());
      started.open();
      await aborted.opened;
    });
    const { client, connection } = await connected(server);
    const call = client.call();
    await started.opened;
    await Promise.all([client.close(), expect(call).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })]);
    await aborted.opened;
    await connection.closed;
  });
});

describe('a definition', () => {
  test.each([
    [{ name: '' }, 'tool.name must not be empty'],
    [{ name: 'T', parameters: [{ name: 'a' }] }, 'tool.parameters[0].type must be a string, not absent'],
    [
      {
        name: 'T',
        parameters: [
          { name: 'a', type: 'x' },
          { name: 'a', type: 'y' },
        ],
      },
      'two parameters are named "a"',
    ],
  ])('%j is refused at once', (definition, message) => {
    expect(() => new LiteMcpServer(definition as never, () => '')).toThrow(message);
  });
});

test('remembers a limited number of the newest ids', async () => {
  const { raw: client } = await rawClientOf(calculator({ rememberedIds: 10 }));
  const ids = Array.from({ length: 25 }, (_, id) => id);
  for (const id of ids) client.write(message({ id }));
  for (const id of ids) expect((await client.nextJson()).id).toBe(id);
  for (const id of ids.slice(-10)) client.write(message({ id }));
  client.write(message({ id: 0 }));
  expect((await client.nextJson()).id).toBe(0);
});

test('the transport can read the number of unanswered calls', async () => {
  const [near, far] = duplexPair();
  const wire = wireOver(far);
  let unanswered: () => number = () => -1;
  const start = wire.start.bind(wire);
  wire.start = (events) => {
    unanswered = () => events.unanswered!();
    return start(events);
  };
  const { opened, open } = gate<string>();
  const handler = ({ how }: { how: string }) => (how === 'wait' ? opened : Promise.reject(new Error(how)));
  const server = new LiteMcpServer({ name: 'T', parameters: [{ name: 'how', type: 'string' }] }, handler, {
    maxConcurrent: 2,
    maxQueued: 0,
  });
  await server.serve(wire);
  const client = new RawEnd(near, near);
  const asks = ['wait', 'wait', 'refused'].map((how, id) => callMessage(id, [how], 'T'));
  client.write(`${asks.join('')}${callMessage(8, [], 'T')}${message({ id: 9 })}broken\n\n\n`);
  expect((await client.nextJson()).id).toBe(2);
  expect((await client.nextJson()).id).toBe(8);
  expect((await client.nextJson()).id).toBe(9);
  expect(unanswered()).toBe(2);
  open('done');
  await client.next();
  await client.next();
  client.write(callMessage(10, ['failing'], 'T'));
  expect(errorOf(await client.nextJson()).says).toBe('failing');
  expect(unanswered()).toBe(0);
});

test('the id of a running call stays in use, however many ids follow', async () => {
  const finish = gate<string>();
  const logs: string[] = [];
  const options = { rememberedIds: 1, log: (line: string) => logs.push(line) };
  const slow = new LiteMcpServer({ name: 'Slow' }, () => finish.opened, options);
  const { raw: client } = await rawClientOf(slow);
  client.write(callMessage(900, [], 'Slow'));
  for (const id of [50, 700, 30, 600]) {
    client.write(message({ id }));
    expect(await client.nextJson()).toMatchObject({ id, type: 'info' });
  }
  client.write(callMessage(900, [], 'Slow'));
  client.write(message({ id: 20 }));
  expect(await client.nextJson()).toMatchObject({ id: 20, type: 'info' });
  expect(logs).toEqual(['Slow: Ignored: id 900 was used before']);
  finish.open('done');
  expect(await client.nextJson()).toMatchObject({ id: 900, type: 'result' });
});
