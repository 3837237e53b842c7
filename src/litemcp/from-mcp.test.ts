import { describe, expect, test } from 'vitest';
import { PeerError } from '../base/errors.ts';
import { Server } from '../mcp/server/server.ts';
import { mcpToolAsLiteMcp, type ToolCaller } from './from-mcp.ts';
import { connected, gate, mcpClientOf } from './memory.contract.ts';

function weather(): Server {
  const server = new Server({ name: 'weather', version: '1.0.0' });
  const input = {
    type: 'object',
    properties: {
      days: { type: 'integer', description: 'How many days', default: 1 },
      city: { type: 'string', description: 'Where' },
      options: { type: 'object' },
    },
    required: ['city'],
    additionalProperties: false,
  };
  server.tool('forecast', { description: 'Weather for a city', input }, (args) => JSON.stringify(args));
  server.tool('fail', {}, () => {
    throw new Error('the sky is falling');
  });
  server.tool('ping', { title: 'Says pong' }, () => 'pong');
  return server;
}

async function lite(tool: string, server = weather()) {
  const mcp = await mcpClientOf(server);
  return connected(await mcpToolAsLiteMcp(mcp, tool));
}

test('a tool of an MCP server is a LiteMCP tool', async () => {
  const { client } = await lite('forecast');
  expect(await client.info()).toEqual({
    version: [1, 0, 0],
    name: 'forecast',
    description: 'Weather for a city',
    parameters: [
      { name: 'city', type: 'string', description: 'Where' },
      {
        name: 'days',
        type: 'integer?',
        description: 'How many days (default: 1) (an empty string leaves it out)',
        example: '1',
      },
      { name: 'options', type: 'object?', description: '(an empty string leaves it out)' },
    ],
  });
  expect(await (await lite('ping')).client.info()).toMatchObject({ description: 'Says pong', parameters: [] });
});

test('names a missing tool and the existing ones', async () => {
  await expect(lite('forecst')).rejects.toMatchObject({
    code: 'NAME_UNKNOWN',
    message: 'The server has no tool named "forecst"',
    hint: 'It has "forecast", "fail", "ping".',
  });
});

describe('a call', () => {
  test('converts its arguments according to the schema, and its result to contents', async () => {
    const { client } = await lite('forecast');
    const { params, response } = await client.call(['Zürich\n\n\n', '3', '{"x":[1]}']);
    expect(params).toEqual({ city: 'Zürich\n\n\n', days: '3', options: '{"x":[1]}' });
    expect(response).toEqual({
      content: [{ type: 'string', data: '{"city":"Zürich\\n\\n\\n","days":3,"options":{"x":[1]}}' }],
      error: false,
    });
  });
  test('omits empty arguments', async () => {
    const { client } = await lite('forecast');
    const { response } = await client.call({ city: '', days: '', options: '' });
    expect(response.content).toEqual([{ type: 'string', data: '{"city":""}' }]);
  });
  test.each([
    ['forecast', ['Oslo', 'three', ''], 'The argument "days" does not fit: "three" is not a number'],
    ['forecast', ['Oslo', '', '[]'], 'The argument "options" does not fit: "[]" is not a JSON object'],
    ['fail', [], 'the sky is falling'],
  ])('of %s with %j that fails is an error result', async (tool, args, problem) => {
    const { client } = await lite(tool);
    expect((await client.call(args)).response).toEqual({ content: [{ type: 'string', data: problem }], error: true });
  });
  test('is cancelled when its client disconnects', async () => {
    const started = gate();
    const aborted = gate();
    const server = new Server({ name: 'slow', version: '1' });
    server.tool('slow', {}, (_args, call) => {
      call.signal.addEventListener('abort', () => aborted.open());
      started.open();
      return new Promise(() => undefined);
    });
    const { client } = await lite('slow', server);
    const call = client.call([]).catch(() => undefined);
    await started.opened;
    await client.close();
    await aborted.opened;
    await call;
  });
});

test('the loss of the MCP server is an error result, without a stack in the log', async () => {
  const lines: string[] = [];
  const gone: ToolCaller = {
    listTools: async () => ({ tools: [{ name: 'x', inputSchema: { type: 'object' } }] }),
    callTool: () => Promise.reject<never>(new PeerError('OUTCOME_UNKNOWN', 'The server exited — it may have run')),
  };
  const { client } = await connected(await mcpToolAsLiteMcp(gone, 'x', { log: (line) => lines.push(line) }));
  expect((await client.call([])).response).toEqual({
    content: [{ type: 'string', data: 'The server exited — it may have run' }],
    error: true,
  });
  expect(lines).toEqual([]);
});
