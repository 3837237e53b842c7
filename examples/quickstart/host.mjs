// A host: starts real servers as child processes, calls them, and shows what happens when they misbehave.
// Run it with `node examples/quickstart/host.mjs`.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Peer } from 'standpipe/jsonrpc';
import { StdioClientTransport } from 'standpipe/stdio';
import { narrator } from './narrator.mjs';

const { title, step, say, quote, end } = narrator();

async function connect(file, options = {}) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path],
    ...options,
  });
  const peer = new Peer(transport);
  await peer.start();
  return { peer, transport };
}

async function timed(work) {
  const started = performance.now();
  const result = await work();
  return { result, ms: Math.round(performance.now() - started) };
}

title('Standpipe: tool servers over stdin and stdout');

step('Start a server and call it');
const { peer, transport } = await connect('server.mjs', { stderr: 'pipe', stopWaits: { stdinMs: 10_000 } });
const { text } = await peer.request('greet', { name: 'Wörld 🌍' });
assert.equal(text, 'Hello, Wörld 🌍!');
say(`server.mjs runs as process ${transport.pid} and answers: ${text}`);

step('Many calls on one pipe');
const delays = Array.from({ length: 100 }, (_, n) => 300 - n);
const many = await timed(async () => {
  const calls = delays.map((ms) => peer.request('work', { ms }));
  const ping = await timed(() => peer.request('ping'));
  say(`a ping meanwhile: ${ping.ms} ms`);
  return Promise.all(calls);
});
assert.deepEqual(
  many.result.map(({ ms }) => ms),
  delays,
);
const total = delays.reduce((sum, ms) => sum + ms, 0);
say(`100 calls that take ${total} ms one after the other: ${many.ms} ms, each with its own answer`);

step('A large message');
const large = '0123456789abcdef'.repeat(1024 * 1024);
const echo = await timed(() => peer.request('echo', { large }));
assert.equal(echo.result.large, large);
say(`16 MB in both directions, unchanged: ${echo.ms} ms`);

step('A server that prints');
const printed = once(transport.stderr, 'data');
await peer.request('chat', { text: 'console.log in a handler' });
quote('stderr', String(await printed));
assert.equal(transport.noiseCount, 0);
say('with Standpipe, output of a server goes to stderr, and stdout carries only the protocol');
const rude = await connect('rude-server.mjs', { stopWaits: { stdinMs: 200, sigtermMs: 200 } });
rude.transport.onnoise = (noise) => quote('stdout', noise.text);
const answers = await Promise.all([1, 2, 3].map((n) => rude.peer.request('echo', { n })));
assert.deepEqual(answers, [{ n: 1 }, { n: 2 }, { n: 3 }]);
say(`other servers may print to stdout: ${rude.transport.noiseCount} lines of stray output, all calls answered`);

step('A crash and its evidence');
const doomed = await connect('server.mjs', { env: { API_KEY: 'sk-secret-123' }, stderr: 'ignore' });
const error = await doomed.peer.request('crash').catch((caught) => caught);
assert.equal(error.code, 'OUTCOME_UNKNOWN');
say(`the call fails with ${error.code}: it had been sent and may have run`);
quote('exit', `code ${error.evidence.exitCode}, phase ${error.evidence.phase}`);
quote('stderr', error.evidence.stderrTail);
quote('hint', error.hint);
say('values of `env` are masked');

step('Stop all processes');
const polite = await timed(() => peer.close());
assert.equal(transport.stopRung, 'stdin');
say(`server.mjs exited when its stdin closed (rung: ${transport.stopRung}, ${polite.ms} ms)`);
const forced = await timed(() => rude.peer.close());
assert.equal(rude.transport.stopRung, 'SIGKILL');
say(`rude-server.mjs had to be killed (rung: ${rude.transport.stopRung}, ${forced.ms} ms)`);

end('Next: README.md shows the library in three examples; docs/ has the reference.');
