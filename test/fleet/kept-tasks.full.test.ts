// Tasks of a fleet server whose node ends: every other gateway still answers requests about them.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { addToken } from '../../src/host/gateway/access/token-file.ts';
import type { Client } from '../../src/mcp/client/client.ts';
import { TASKS } from '../../src/mcp/extensions/tasks/wire-forms.ts';
import { CLIENT_CAPABILITIES } from '../../src/mcp/meta.ts';
import type { NodeProcess } from '../fixtures/fleet/node-process.ts';
import { TestFleet } from '../fixtures/fleet/test-fleet.ts';
import { answerIn } from '../fixtures/gateway/answer-in.ts';
import { modernHeaders, modernMeta } from '../fixtures/gateway/modern-request.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const clients: Client[] = [];
afterAll(() => Promise.all(clients.map((client) => client.close())));

const tokenFile = join(temporaryFolder('fleet-tasks'), 'tokens.json');
const tokens = { ada: await addToken(tokenFile, { name: 'ada' }), bob: await addToken(tokenFile, { name: 'bob' }) };
type Principal = keyof typeof tokens;
const args = ['--tokens', tokenFile];
const entry = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../fixtures/tasks/slow-server.mjs', import.meta.url))],
  tasks: { after: '1ms' },
};

const urlOf = (node: NodeProcess, server: string) => {
  const { text } = node.events.find((event) => event.text?.startsWith('MCP over HTTP'))!;
  return `${/MCP over HTTP at (\S+)/.exec(text!)![1]}/${server}`;
};
const authorized = (principal: Principal) => ({ authorization: `Bearer ${tokens[principal]}` });

async function open(node: NodeProcess, server: string): Promise<Client> {
  const client = await connect({ url: urlOf(node, server), headers: authorized('ada') });
  clients.push(client);
  return client;
}

/** Reads a task with a single request, which needs no earlier contact with the gateway. */
async function read(node: NodeProcess, server: string, taskId: string, principal: Principal = 'ada') {
  const _meta = { ...modernMeta, [CLIENT_CAPABILITIES]: { extensions: { [TASKS]: {} } } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId, _meta } });
  const headers = { ...modernHeaders('tasks/get', taskId), ...authorized(principal) };
  const answer = await fetch(urlOf(node, server), { method: 'POST', body, headers });
  const { result, error } = answerIn(await answer.text())!;
  return result ?? error;
}

test('any gateway reads the tasks of a killed node for their principal', async () => {
  const fleet = await TestFleet.open(10_000);
  const [a, b] = await Promise.all(['a', 'b'].map((name) => fleet.start(name, { args })));
  await fleet.start('c', { args: [...args, '--labels', 'runs'] });
  for (const server of ['slow', 'ends']) {
    await fleet.addEntry(server, entry, { labels: ['runs'] });
    await fleet.whenHeld(server);
  }
  const [slow, ends] = await Promise.all(['slow', 'ends'].map((server) => open(a!, server)));
  const running = (await slow!.callTool('result', {}, { task: 'handle' })).taskId;
  const completed = await ends!.callTool('result', {}, { task: 'handle' });
  await slow!.callTool('begun');
  await ends!.callTool('release');
  await completed.result();
  expect(await read(b!, 'slow', running)).toMatchObject({ taskId: running, status: 'working' });

  await fleet.nodes.get('c')!.end('SIGKILL');
  const failed = {
    taskId: running,
    status: 'failed',
    error: {
      code: -32603,
      message: expect.stringMatching(/may have run/),
      data: {
        'dev.standpipe/error': {
          code: 'OUTCOME_UNKNOWN',
          ran: { server: 'slow', node: 'c', claim: expect.any(Number) },
        },
      },
    },
  };
  await expect.poll(() => read(b!, 'slow', running), { timeout: 60_000 }).toMatchObject(failed);
  expect(await read(a!, 'slow', running)).toEqual(await read(b!, 'slow', running));
  const result = { taskId: completed.taskId, status: 'completed', result: { content: [{ text: 'done' }] } };
  for (const node of [a!, b!]) expect(await read(node, 'ends', completed.taskId)).toMatchObject(result);

  // A new gateway, which also runs the servers, and another principal.
  await b!.end('SIGKILL');
  const again = await fleet.start('b', { args: [...args, '--labels', 'runs'] });
  for (const server of ['slow', 'ends']) await fleet.whenHeld(server, ({ node }) => node === 'b');
  expect(await read(again, 'slow', running)).toMatchObject(failed);
  expect(await read(again, 'ends', completed.taskId)).toMatchObject(result);
  for (const [server, taskId] of [
    ['slow', running],
    ['ends', completed.taskId],
  ] as const) {
    const other = `${taskId.slice(0, -32)}${'0'.repeat(32)}`;
    // The gateway must reach the new instance before it can tell that the task does not exist.
    await expect.poll(() => read(a!, server, other), { timeout: 60_000 }).toMatchObject({ code: -32602 });
    expect(await read(a!, server, taskId, 'bob')).toEqual(await read(a!, server, other));
  }
}, 300_000);
