// Named pipes have one namespace for all users: each user has separate hosts, and programs without the key at either
// end of a pipe receive nothing.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { group } from '../scenario.mjs';

const folderOf = (env) => join(env.LOCALAPPDATA, 'standpipe');
const namesIn = (env, pattern) => readdirSync(folderOf(env)).filter((name) => pattern.test(name));

/** The key and the pipe of the only host or tap of a user. */
function keyOf(env, kind) {
  const names = namesIn(env, new RegExp(`^${kind}.*\\.sock\\.key$`));
  assert.equal(names.length, 1, `keys: ${names}`);
  const file = join(folderOf(env), names[0]);
  const { pid, secret } = JSON.parse(readFileSync(file, 'utf8'));
  const name = createHmac('sha256', secret).update('name').digest('hex').slice(0, 32);
  return { file, pid, secret, pipe: `\\\\.\\pipe\\standpipe-${name}` };
}

async function inBackground(t, config, env) {
  const { pid } = JSON.parse(await t.succeed(['up', '--background', '--json', '--config', config], { env }));
  return pid;
}

const down = (t, config, env) => t.succeed(['down', '--config', config], { env });
const callPid = async (t, config, env) => Number(await t.succeed(['call', 'it', 'pid', '--config', config], { env }));

/** The data that a program without a key receives, until it is disconnected. */
async function receives(pipe, text) {
  const socket = connect(pipe).on('error', () => undefined);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.write(text);
  await once(socket, 'close');
  return received;
}

/** A program that listens at the name of the pipe, and records the received data. */
async function squat(pipe, answer = () => undefined) {
  let heard = '';
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.on('data', (chunk) => {
      heard += chunk;
      answer(socket);
    });
  }).listen(pipe);
  await once(server, 'listening');
  return {
    heard: () => heard,
    count: () => sockets.size,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const request = '{"jsonrpc":"2.0","id":1,"method":"standpipe/status"}\n';

export default group('Pipes', {
  'two users have separate hosts for one config': async (t) => {
    const config = t.config({ it: t.serverEntry() });
    const [ann, bob] = [t.userEnv('ann'), t.userEnv('bob')];
    const annHost = await inBackground(t, config, ann);
    assert.match((await t.run(['ls', '--config', config, '--json'], { env: bob })).stdout, /"running": false/);
    const bobHost = await inBackground(t, config, bob);
    assert.notEqual(annHost, bobHost);
    assert.notEqual(keyOf(ann, 'control').pipe, keyOf(bob, 'control').pipe);
    assert.notEqual(await callPid(t, config, ann), await callPid(t, config, bob));
    await down(t, config, ann);
    assert.equal(t.isAlive(annHost), false);
    assert.equal(t.isAlive(bobHost), true);
    await down(t, config, bob);
    assert.deepEqual([...namesIn(ann, /\.key$/), ...namesIn(bob, /\.key$/)], []);
  },
  'a client without the key receives no byte from a host': async (t) => {
    const config = t.config({ it: t.serverEntry() });
    const env = t.userEnv();
    await inBackground(t, config, env);
    for (const kind of ['control', 'host']) {
      const { pipe } = keyOf(env, kind);
      assert.equal(await receives(pipe, request.repeat(3)), '');
      assert.equal(await receives(pipe, `${'0'.repeat(96)}\n`), '');
    }
    assert.ok((await callPid(t, config, env)) > 0);
    await down(t, config, env);
  },
  'a client without the key receives no byte from a tap': async (t) => {
    const env = t.userEnv();
    const tap = t.start(['tap', '--', ...t.server()], { env });
    tap.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await tap.says(/"id":1/);
    await t.until('it is announced', () => namesIn(env, /^tap.*\.json$/).length === 1);
    assert.equal(await receives(keyOf(env, 'tap').pipe, request.repeat(3)), '');
    await tap.end();
    assert.deepEqual(namesIn(env, /^tap/), []);
  },
  'clients do not connect to a program at the pipe of a killed host': async (t) => {
    const config = t.config({ it: t.serverEntry() });
    const env = t.userEnv();
    const killed = await inBackground(t, config, env);
    const before = keyOf(env, 'control');
    process.kill(killed, 'SIGKILL');
    await t.untilGone([killed]);
    const stranger = await squat(before.pipe);
    const next = await inBackground(t, config, env);
    assert.notEqual(keyOf(env, 'control').pipe, before.pipe);
    assert.ok((await callPid(t, config, env)) > 0);
    assert.equal(stranger.count(), 0);
    stranger.close();
    await down(t, config, env);
    assert.equal(t.isAlive(next), false);
  },
  'a program at the pipe of a killed host, whose pid is in use, receives neither key nor request': async (t) => {
    const config = t.config({ it: t.serverEntry() });
    const env = t.userEnv();
    const killed = await inBackground(t, config, env);
    const { file, pipe, secret } = keyOf(env, 'control');
    process.kill(killed, 'SIGKILL');
    await t.untilGone([killed]);
    writeFileSync(file, JSON.stringify({ pid: process.pid, secret }));
    const stranger = await squat(pipe, (socket) => socket.write(`${'0'.repeat(96)}\n`));
    await inBackground(t, config, env);
    assert.match(stranger.heard(), /^(?:[0-9a-f]{96}\n)+$/);
    assert.ok(!stranger.heard().includes(secret));
    assert.ok((await callPid(t, config, env)) > 0);
    stranger.close();
    await down(t, config, env);
  },
  'one of three programs that start the host of a config at once succeeds': async (t) => {
    const config = t.config({ it: t.serverEntry() });
    const env = t.userEnv();
    const windows = [1, 2, 3].map(() => t.start(['connect', 'it', '--config', config], { env }));
    for (const each of windows) {
      each.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'pid', arguments: {} } });
    }
    const answers = await Promise.all(windows.map((each) => each.says(/"text":"(\d+)"/)));
    assert.equal(new Set(answers.map(([, pid]) => pid)).size, 1);
    assert.equal(namesIn(env, /^control.*\.key$/).length, 1);
    await down(t, config, env);
    assert.deepEqual(namesIn(env, /\.key$/), []);
  },
  'one of three hosts that start for a config after a killed one runs': async (t) => {
    const config = t.config({ it: t.serverEntry() });
    const env = t.userEnv();
    const killed = await inBackground(t, config, env);
    process.kill(killed, 'SIGKILL');
    await t.untilGone([killed]);
    const hosts = [1, 2, 3].map(() => t.start(['up', '--no-inspector', '--config', config], { env }));
    const ended = () => hosts.filter(({ child }) => child.exitCode !== null);
    await t.until('two are refused', () => ended().length === 2);
    for (const { stderr } of ended()) assert.match(stderr, /A host for this config or node is already running/);
    const left = hosts.find((host) => !ended().includes(host));
    const { pid } = JSON.parse(await t.succeed(['down', '--json', '--config', config], { env }));
    assert.equal(pid, left.pid);
    assert.deepEqual(namesIn(env, /\.key$/), []);
  },
  'the key of a host is in no log and no output': async (t) => {
    const config = t.config({ it: t.serverEntry() });
    const env = t.userEnv();
    await inBackground(t, config, env);
    const secrets = ['control', 'host'].map((kind) => keyOf(env, kind).secret);
    await callPid(t, config, env);
    const shown = [];
    for (const words of [
      ['ls', '--json'],
      ['logs', 'it'],
    ]) {
      const { stdout, stderr } = await t.run([...words, '--config', config], { env });
      shown.push(stdout, stderr);
    }
    const others = namesIn(env, /(?<!\.key)$/).filter((name) => statSync(join(folderOf(env), name)).isFile());
    assert.ok(others.length > 0);
    for (const name of others) shown.push(readFileSync(join(folderOf(env), name), 'utf8'));
    for (const secret of secrets) assert.ok(!shown.join('\n').includes(secret));
    await down(t, config, env);
  },
});
