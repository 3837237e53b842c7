import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { StandpipeError } from '../../src/base/errors.ts';
import type { ClusterNetwork } from '../../src/host/fleet/cluster-network.ts';
import { FleetNode } from '../../src/host/fleet/fleet-node.ts';
import { type ClusterNetworkOptions, openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { answerNodeRequests, askNode, type NodeHandlers } from '../../src/host/fleet/node/answer-node-requests.ts';
import { subjectsOf } from '../../src/host/fleet/subjects.ts';
import { Host } from '../../src/host/host.ts';
import { natsOperator } from '../fixtures/fleet/nats-operator.ts';
import { type NatsServer, startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { selfSigned } from '../fixtures/gateway/self-signed.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const folder = temporaryFolder('who-may-join');
const subjects = subjectsOf('default');

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function open(options: Partial<ClusterNetworkOptions> & { servers: string[] }): Promise<ClusterNetwork> {
  const network = await openNetwork({ fleet: 'default', name: 'a', lifetimeMs: 60_000, ...options });
  onTestFinished(() => network.close());
  return network;
}

/** Resolves to message and hint of the refusal. */
async function refusal(
  options: Partial<ClusterNetworkOptions> & { servers: string[] },
  code = 'FLEET_REFUSED',
): Promise<string> {
  const error = await open(options).then(
    () => expect.unreachable(),
    (error: StandpipeError) => error,
  );
  expect(error.code).toBe(code);
  return `${error.message} ${error.hint}`;
}

/** Starts NATS with the documented configuration and one more user. */
async function startDocumented(user: string): Promise<NatsServer> {
  const [, config] = /## Who may join.*?```conf\n(.*?)```/s.exec(readFileSync('docs/fleet.md', 'utf8'))!;
  Object.assign(process.env, { NODE_A_PASSWORD: 'pa', NODE_B_PASSWORD: 'pb', LOOK_PASSWORD: 'pl' });
  return startNatsServer(['-c', write('nats.conf', config!.replace('users: [', `users: [\n${user}`))]);
}

test('the documented permissions are sufficient and minimal for nodes and for observers', async () => {
  const nats = await startDocumented(
    `{ user: outsider, password: po, permissions: { publish: "other", subscribe: "other" } }`,
  );
  const host = nats.url.slice('nats://'.length);
  const credentials = write('a.txt', 'node-a:pa\n');
  const a = await open({ servers: [nats.url], name: 'a', credentials });
  const b = await open({ servers: [`nats://node-b:pb@${host}`], name: 'b' });
  const said: string[] = [];
  b.onConnection = (_, text) => said.push(text);

  // Directory and leases.
  const { servers, nodes, claims } = a.directory;
  await Promise.all([servers, nodes, claims].map((table) => table.watch(() => undefined)));
  const revision = (await nodes.create('a', { name: 'a' } as never))!;
  expect(await claims.create('s.1', { slot: 1 } as never)).toBeTypeOf('number');
  expect(await nodes.keys()).toEqual(new Set(['a']));
  const lease = (await a.leases.table.create('node.a', { session: 's', node: 'a' }))!;
  expect(await b.leases.table.keys()).toEqual(new Set(['node.a']));
  expect(
    await a.leases.table.remove('node.a', (await a.leases.table.update('node.a', { session: 's', node: 'a' }, lease))!),
  ).toBe(true);

  // Records of extensions.
  const records = await b.records();
  const kept = { claim: { slot: 1 }, value: 1, untilMs: 1, isFinal: true } as never;
  expect(await records.update('s.1', kept, (await records.create('s.1', kept))!)).toBeTypeOf('number');
  expect((await (await a.records()).get('s.1'))?.value).toEqual(kept);

  // Calls, requests and answers between nodes.
  const got: string[] = [];
  a.subscribe(subjects.call('a', 'i'), ({ reply }) => a.publish(reply!, 'answer'));
  const placed: string[] = [];
  const handlers = {
    'standpipe/ping': () => ({ session: 's', nowMs: 7 }),
    'standpipe/place': ({ server }: { server: string }) => {
      placed.push(server);
      return { generation: 1 };
    },
  };
  answerNodeRequests(a, 'a', handlers as unknown as NodeHandlers);
  b.subscribe(subjects.reply('b', '*', '*'), ({ data }) => got.push(Buffer.from(data).toString()));
  // Subjects of another node are refused.
  b.subscribe(subjects.reply('a', '*', '*'), () => got.push('answer for another'));
  b.subscribe(subjects.call('a', 'i'), () => got.push('call for another'));
  await Promise.all([a.flush(), b.flush()]);
  await expect.poll(() => said.length).toBe(2);
  for (const text of said)
    expect(text).toMatch(/Permissions Violation for Subscription to "standpipe\.default\.(reply|call)\.a\./);
  b.publish(subjects.call('a', 'i'), 'request', subjects.reply('b', 's', 1));
  const slot = { server: 's', slot: 1, revision: 0 };
  expect(await askNode(b, 'a', 'standpipe/place', slot, 60_000)).toEqual({ generation: 1 });
  await Promise.all([a.flush(), b.flush()]);
  await b.flush();
  expect(got).toEqual(['answer']);

  // An observer.
  const look = await open({ servers: [`nats://look:pl@${host}`], name: 'standpipe' });
  const seen: string[] = [];
  await look.directory.nodes.watch(({ key }) => seen.push(key));
  expect(seen).toEqual(['a']);
  expect(await look.leases.table.keys()).toEqual(new Set());
  expect(await look.directory.claims.get('s.1')).toBeDefined();
  expect(await askNode(look, 'a', 'standpipe/ping', {}, 60_000)).toMatchObject({ nowMs: 7 });
  // The observer can neither place a server nor make a node publish to a subject that the observer may not use.
  await expect(askNode(look, 'a', 'standpipe/place', slot, 60_000)).rejects.toThrow('does not permit publishing');
  const place = { method: 'standpipe/place', params: slot };
  expect(await look.request(subjects.look('a'), place, 60_000)).toMatchObject({ error: { rpcCode: -32601 } });
  look.publish(subjects.look('a'), '{"method":"x","params":{}}', '$KV.standpipe-default-nodes.forged');
  look.publish(subjects.look('a'), 'x', subjects.node('a'));
  await look.flush();
  await askNode(look, 'a', 'standpipe/ping', {}, 60_000);
  expect(await nodes.keys()).toEqual(new Set(['a']));
  expect(placed).toEqual(['s']);
  await expect(look.directory.nodes.update('a', { name: 'x' } as never, revision)).rejects.toThrow(
    'NATS does not permit publishing to $KV.standpipe-default-nodes.a',
  );
  await expect(look.request(subjects.call('a', 'i'), {}, 60_000)).rejects.toThrow(
    'does not permit publishing to standpipe',
  );
  for (const bucket of ['servers', 'nodes', 'claims', 'leases', 'records']) {
    const stream = `KV_standpipe-default-${bucket}`;
    for (const method of ['STREAM.DELETE', 'STREAM.PURGE', 'STREAM.UPDATE', 'STREAM.MSG.DELETE', 'STREAM.CREATE'])
      await expect(look.request(`$JS.API.${method}.${stream}`, {}, 60_000)).rejects.toThrow(
        `does not permit publishing to $JS.API.${method}.${stream}`,
      );
  }
  expect(await nodes.keys()).toEqual(new Set(['a']));

  // Other users.
  expect(await refusal({ servers: [`nats://outsider:po@${host}`] })).toContain('"Who may join"');
  const wrong = await refusal({ servers: [`nats://node-a:hush%21@${host}`] });
  expect(wrong).toContain('NATS refused the credentials (Authorization Violation)');
  expect(wrong).not.toMatch(/hush/);
  expect(await refusal({ servers: [nats.url] })).toContain('NATS refused the credentials');
});

test('nodes with the documented permissions place servers, call each other and leave', async () => {
  const nats = await startDocumented('{ user: admin, password: pad }');
  const as = (user: string) => [nats.url.replace('//', `//${user}@`)];
  const admin = await open({ servers: as('admin:pad'), name: 'admin' });
  const notes: string[] = [];
  const join = async (name: string, password: string) => {
    const network = await open({ servers: as(`node-${name}:${password}`), name });
    let node: FleetNode | undefined;
    const host = new Host({ mcpServers: {} }, { serviceOf: (config, wire) => node?.serviceOf(config, wire) });
    node = await FleetNode.join(host, {
      network,
      node: name,
      labels: [name],
      url: `http://${name}`,
      note: (text) => notes.push(text),
    });
    void host.start();
    return { host, end: () => node!.leave().then(() => host.stop()) };
  };
  const [a, b] = [await join('a', 'pa'), await join('b', 'pb')];
  const entry = {
    command: process.execPath,
    args: [fileURLToPath(new URL('../fixtures/cli/everything.mjs', import.meta.url))],
  };
  const place = { labels: ['b'], replicas: 1, spread: 'prefer' as const, stateless: false };
  await admin.directory.servers.create('files', { name: 'files', entry, place });
  await expect.poll(() => a.host.names.includes('files'), { timeout: 60_000 }).toBe(true);
  const { content } = await a.host.callTool('files', 'greet', { name: 'Ada' });
  expect(content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
  await Promise.all([a.end(), b.end()]);
  expect(notes.filter((note) => /permi|refused|violation/i.test(note))).toEqual([]);
  expect(await admin.leases.table.keys()).toEqual(new Set());
});

test('an account without JetStream is refused with a remedy', async () => {
  const config = write('accounts.conf', 'accounts { A: { users: [{ user: a, password: a }] } }');
  const nats = await startNatsServer(['-c', config]);
  expect(await refusal({ servers: [nats.url.replace('//', '//a:a@')] })).toContain(
    'JetStream is not enabled Start NATS with JetStream',
  );
});

test('an address at which no NATS server listens is refused with the reason', async () => {
  const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  expect(await refusal({ servers: [`nats://127.0.0.1:${port}`] })).toContain('is not a NATS server');
  await new Promise((resolve) => other.close(resolve));
  const servers = [`nats://me:hush@127.0.0.1:${port}`, `nats://me:hush@[::1]:${port}`];
  const nothing = await refusal({ servers }, 'FLEET_UNREACHABLE');
  expect(nothing).toContain(`nats://127.0.0.1:${port}, nats://[::1]:${port}: nothing listens there`);
  expect(nothing).not.toContain('hush');
  expect(await refusal({ servers: ['nats://no-such-host.invalid'] }, 'FLEET_UNREACHABLE')).toContain(
    'the name of the host is unknown',
  );
});

test('joins if one server of the list is reachable', async () => {
  const nats = await startNatsServer();
  const network = await open({ servers: ['nats://127.0.0.1:1', nats.url] });
  expect(await network.directory.nodes.keys()).toEqual(new Set());
});

test('accepts a credentials file of an operator, and refuses an invalid one', async () => {
  const { config, credentials } = natsOperator();
  const nats = await startNatsServer(['-c', write('operator.conf', config)]);
  const network = await open({ servers: [nats.url], credentials: write('user.creds', credentials) });
  expect(await network.directory.nodes.create('a', { name: 'a' } as never)).toBeTypeOf('number');
  const other = write('other.creds', natsOperator().credentials);
  expect(await refusal({ servers: [nats.url], credentials: other })).toContain('NATS refused the credentials');
  const missing = { servers: [nats.url], credentials: join(folder, 'missing.creds') };
  await expect(open(missing)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  await expect(open({ servers: [nats.url], credentials: write('empty.creds', '\n') })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
  });
});

test('TLS: the certificates of server and client are verified', async () => {
  const [server, client] = [selfSigned('server'), selfSigned('client')];
  const [ca, serverKey] = [write('server.pem', server.cert), write('server.key', server.key)];
  const [cert, key] = [write('client.pem', client.cert), write('client.key', client.key)];
  const config = `tls { cert_file: "${ca}", key_file: "${serverKey}", ca_file: "${cert}", verify: true }`;
  const nats = await startNatsServer(['-c', write('tls.conf', config)]);
  for (const host of ['localhost', '127.0.0.1']) {
    const network = await open({ servers: [`tls://${host}:${nats.port}`], tls: { ca, cert, key } });
    expect(await network.directory.nodes.keys()).toEqual(new Set());
  }
  const servers = [`tls://localhost:${nats.port}`];
  expect(await refusal({ servers, tls: { cert, key } })).toContain('--nats-ca');
  // NATS closes a connection without a client certificate, and nats.js keeps waiting.
  expect(await refusal({ servers, tls: { ca }, connectTimeoutMs: 500 })).toContain('--nats-cert');
  await expect(open({ servers, tls: { ca: join(folder, 'no.pem') } })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
  });

  const other = selfSigned('server', 'other.example', [10, 0, 0, 1]);
  const [otherCa, otherKey] = [write('other.pem', other.cert), write('other.key', other.key)];
  const named = await startNatsServer([
    '-c',
    write('other.conf', `tls { cert_file: "${otherCa}", key_file: "${otherKey}" }`),
  ]);
  for (const host of ['localhost', '127.0.0.1']) {
    const text = await refusal({ servers: [`tls://${host}:${named.port}`], tls: { ca: otherCa } });
    expect(text).toContain(`the TLS connection failed`);
    expect(text).toContain(host);
  }
  const plain = await startNatsServer();
  expect(await refusal({ servers: [plain.url.replace('nats:', 'tls:')] })).toContain('it does not offer TLS');
});
