// Questions of servers that twenty clients share, legacy and modern on both sides: each question contains the secret of its call, and each
// client checks that it gets only questions about its own calls.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { chooseServer } from '../../src/host/control/connect-host.ts';
import { type ControlServer, serveControl } from '../../src/host/control/control-server.ts';
import { type HttpServing, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import type { Revision } from '../../src/mcp/revisions.ts';
import { connectLocal } from '../../src/wire/transport/local-socket.ts';
import { StreamTransport } from '../../src/wire/transport/stream-transport.ts';
import { usually } from '../fixtures/repetitions.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const CLIENTS = 20;
const QUESTIONS = usually(40, 1_000);
const eras: readonly Revision[] = ['2025-11-25', '2026-07-28'];
const kinds = ['elicit', 'sample', 'roots', 'plain'] as const;

const args = [fileURLToPath(new URL('../fixtures/gateway/asks.mjs', import.meta.url))];
const entry = (revision: Revision) => ({ command: process.execPath, args, revision });
let host: Host;
let http: HttpServing;
let control: ControlServer;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  const asks = ['elicit', 'sample', 'roots'];
  host = new Host({
    mcpServers: {
      legacy: { ...entry('2025-11-25'), asks },
      modern: entry('2026-07-28'),
      found: entry('2025-11-25'),
    },
  });
  http = await serveHttp((name) => (name === undefined ? undefined : host.service(name)));
  control = await serveControl(host, join(temporaryFolder('questions'), 'socket'));
});

afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await control.close();
  await http.close();
  await host.stop();
});

/** A client: the secrets of its calls, the wrong questions that it got, and a way to call. */
interface Asked {
  name: string;
  secrets: Set<string>;
  wrong: string[];
  call(tool: string, secret: string): Promise<string>;
}

type Text = { content: { text: string }[]; isError?: boolean };

function asked(name: string) {
  const secrets = new Set<string>();
  const wrong: string[] = [];
  const own = (secret: string) => {
    if (!secrets.has(secret)) wrong.push(`${name} was asked about ${secret}`);
    return secret;
  };
  return { name, secrets, wrong, own };
}

async function httpClient(server: string, revision: Revision, name: string): Promise<Asked> {
  const { own, ...state } = asked(name);
  const versions = revision === '2026-07-28' ? { versionNegotiation: { mode: 'auto' as const } } : {};
  const client = new Client(
    { name, version: '1' },
    { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} }, ...versions },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => ({
    action: 'accept',
    content: { secret: own(params.message) },
  }));
  client.setRequestHandler('sampling/createMessage', async ({ params }) => {
    const [{ content }] = params.messages as unknown as [{ content: { text: string } }];
    return { role: 'assistant', model: 'none', content: { type: 'text', text: own(content.text) } };
  });
  client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: `file:///${name}` }] }));
  const headers = { authorization: `Bearer ${http.token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${http.url}/${server}`), { requestInit: { headers } }),
  );
  closing.push(() => client.close());
  const call = async (tool: string, secret: string) =>
    textOf((await client.callTool({ name: tool, arguments: { secret } })) as unknown as Text);
  return { ...state, call };
}

async function socketClient(server: string, revision: Revision, name: string): Promise<Asked> {
  const { own, ...state } = asked(name);
  const socket = await connectLocal(control.path);
  await chooseServer(socket, { server });
  const client = await connect(StreamTransport.over(socket), {
    revision,
    elicit: ({ message }) => ({ action: 'accept', content: { secret: own(message) } }),
    sample: ({ messages }) => {
      const [{ content }] = messages as unknown as [{ content: { text: string } }];
      return { role: 'assistant', model: 'none', content: { type: 'text', text: own(content.text) } };
    },
    roots: [{ uri: `file:///${name}` }],
  });
  closing.push(() => client.close());
  const call = async (tool: string, secret: string) =>
    textOf((await client.callTool(tool, { secret })) as unknown as Text);
  return { ...state, call };
}

function textOf({ content: [first], isError }: Text): string {
  return isError ? `failed: ${first!.text}` : first!.text;
}

/** Two concurrent calls per client. Resolves to the answers that belong to another call. */
async function callAll(clients: readonly Asked[], count: number, tools: readonly string[]): Promise<string[]> {
  const unlike: string[] = [];
  let next = 0;
  const work = async (client: Asked) => {
    while (next < count) {
      const tool = tools[next % tools.length]!;
      const secret = `${client.name}/${next++}`;
      client.secrets.add(secret);
      const answer = await client.call(tool, secret).catch((error: Error) => `failed: ${error.message}`);
      client.secrets.delete(secret);
      const expected = tool === 'roots' ? `file:///${client.name}` : secret;
      if (answer !== expected) unlike.push(`${secret} (${tool}) got ${answer}`);
    }
  };
  await Promise.all(clients.flatMap((client) => [work(client), work(client)]));
  return unlike;
}

const gateways = { HTTP: httpClient, 'the socket': socketClient };

test.each(
  Object.entries(gateways).flatMap(([gateway, open]) =>
    ['legacy', 'modern'].map((server) => [server, gateway, open] as const),
  ),
)('a %s server asks each of twenty clients over %s only about its own calls', async (server, _gateway, open) => {
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, (_, at) =>
      open(server, eras[at % 2]!, `${server}-${_gateway}-${at}`.replace(' ', '-')),
    ),
  );
  // Every fourth call is of `plain`, which asks nothing.
  expect(await callAll(clients, Math.ceil((QUESTIONS * 4) / 3), kinds)).toEqual([]);
  expect(clients.flatMap(({ wrong }) => wrong)).toEqual([]);
  const { questions, restarts, processes } = host.status().find(({ name }) => name === server)!;
  expect({ refused: questions.refused, restarts }).toEqual({ refused: 0, restarts: 0 });
  // All clients have the same principal, which gets half of the further 15 processes.
  expect(processes.length).toBeLessThanOrEqual(server === 'legacy' ? 9 : 1);
});

test('remembers a tool that asks unexpectedly, and refuses its first questions rather than misdeliver them', async () => {
  const clients = await Promise.all(
    Array.from({ length: 4 }, (_, at) => httpClient('found', eras[at % 2]!, `found-${at}`)),
  );
  const first = await callAll(clients, 4, ['elicit']);
  for (const each of first) expect(each).toContain('Several clients have pending calls at this server');
  expect(first.length).toBeLessThan(4);
  expect(await callAll(clients, 12, ['elicit', 'plain'])).toEqual([]);
  expect(clients.flatMap(({ wrong }) => wrong)).toEqual([]);
  const { questions } = host.status().find(({ name }) => name === 'found')!;
  expect(questions).toEqual({ attribution: 'pending calls', alone: ['elicit'], refused: first.length });
});
