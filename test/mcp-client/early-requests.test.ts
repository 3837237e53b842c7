// A server that sends questions before a session is open: handlers do not receive them, and the session opens anyway.

import { expect, test } from 'vitest';
import { BoundedEraMemory, type ClientOptions, connect, type Warning } from '../../src/entry/client.ts';
import { closing } from '../fixtures/server.ts';

/**
 * A legacy server: `early` runs at its start, `initialize` when it receives that request. Its tool returns the first
 * `count` answers that it received.
 */
const legacyServer = (count: number, early: string, initialize: string) => `
  const send = (...messages) => process.stdout.write(messages.map((each) => JSON.stringify({ jsonrpc: '2.0', ...each }) + '\\n').join(''));
  const answers = {};
  let onAnswer = () => {};
  const opening = (id) => ({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'early', version: '1' } } });
  const questions = [
    { id: 'ask', method: 'elicitation/create', params: { message: 'Your password?', requestedSchema: { type: 'object', properties: {} } } },
    { id: 'sample', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
    { id: 'roots', method: 'roots/list' },
  ];
  ${early}
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, result, error } = JSON.parse(line);
    if (method === undefined) { answers[id] = error ?? result; onAnswer(); }
    else if (method === 'initialize') { ${initialize} }
    else if (method === 'notifications/initialized') send({ id: 'later', method: 'roots/list' });
    else if (method === 'tools/call') { onAnswer = () => Object.keys(answers).length >= ${count} && send({ id, result: { content: [{ type: 'text', text: JSON.stringify(answers) }] } }); onAnswer(); }
    else if (id !== undefined) send({ id, error: { code: -32601, message: 'no ' + method } });
  });
`;

async function open(script: string, options: ClientOptions = {}) {
  const asked: string[] = [];
  const warnings: Warning[] = [];
  const client = closing(
    await connect(
      { command: process.execPath, args: ['-e', script], stderr: 'ignore' },
      {
        eraMemory: new BoundedEraMemory(),
        probeTimeoutMs: 100_000,
        elicit: ({ message }) => {
          asked.push(message ?? '');
          return { action: 'accept', content: {} };
        },
        sample: () => {
          asked.push('sample');
          return { role: 'assistant', model: 'mine', content: { type: 'text', text: 'hi' } };
        },
        roots: () => {
          asked.push('roots');
          return [{ uri: 'file:///here' }];
        },
        onWarning: (warning) => warnings.push(warning),
        ...options,
      },
    ),
  );
  const { content } = await client.callTool('answers');
  return { answers: JSON.parse((content[0] as { text: string }).text), asked, warnings };
}

const refused = (method: string) => ({
  code: -32600,
  message: `${method} arrived before the session was open: until notifications/initialized a server may only ping and log`,
});
const here = { roots: [{ uri: 'file:///here' }] };

test.each(['auto', 'legacy'] as const)('refuses questions before initialize is answered, era %s', async (era) => {
  // The server answers initialize after it has all answers.
  const script = legacyServer(
    4,
    'send(...questions);',
    'onAnswer = () => { if (Object.keys(answers).length === 3) send(opening(id)); }; onAnswer();',
  );
  const { answers, asked, warnings } = await open(script, { era });
  expect(answers).toEqual({
    ask: refused('elicitation/create'),
    sample: refused('sampling/createMessage'),
    roots: refused('roots/list'),
    later: here,
  });
  expect(asked).toEqual(['roots']);
  expect(warnings).toMatchObject([
    { topic: 'asked-too-early', message: expect.stringContaining('elicitation/create') },
  ]);
});

test('answers ping before initialize is answered', async () => {
  const script = legacyServer(
    2,
    "send({ id: 'early', method: 'ping' });",
    'onAnswer = () => { if (answers.early) send(opening(id)); }; onAnswer();',
  );
  expect((await open(script)).answers).toEqual({ early: {}, later: here });
});

test('answers a question in the same chunk as the answer to initialize', async () => {
  const { answers, asked } = await open(legacyServer(2, '', 'send(opening(id), questions[2]);'));
  expect(answers).toEqual({ roots: here, later: here });
  expect(asked).toEqual(['roots', 'roots']);
});
