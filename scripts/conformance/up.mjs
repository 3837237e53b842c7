// `standpipe up --http` with one server, and a proxy before it that adds the token: the suite sends none.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../prepare.mjs';

/** `entry`: of the config. */
export async function serveWithUp(entry) {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-up-'));
  const config = join(folder, 'mcp.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { conformance: entry } }));
  const folders = Object.fromEntries(['CACHE', 'CONFIG', 'STATE'].map((name) => [`XDG_${name}_HOME`, folder]));
  const env = { ...process.env, ...folders, XDG_RUNTIME_DIR: folder, HOME: folder };
  const args = [join(root, 'dist/cli/main.cjs'), 'up', '--no-inspector', '--config', config, '--http', '0'];
  const up = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const { url, token } = await addressIn(up);
  const proxy = await addToken(new URL(url), token);
  return {
    target: `http://127.0.0.1:${proxy.address().port}${new URL(url).pathname}/conformance`,
    async close() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      up.kill('SIGTERM');
      if (up.exitCode === null) await once(up, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

function addressIn(up) {
  let output = '';
  return new Promise((resolve, reject) => {
    up.once('error', reject);
    up.once('exit', (code) => reject(new Error(`up exited with code ${code}:\n${output}`)));
    up.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const file = /The token is in (\S+)\n/.exec(output)?.[1];
      if (file) resolve({ url: /MCP over HTTP at (\S+)/.exec(output)[1], token: readFileSync(file, 'utf8').trim() });
    });
  });
}

async function addToken({ hostname, port }, token) {
  const proxy = createServer((asked, reply) => {
    const { method, url: path } = asked;
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    // The gateway checks both: an address of this proxy becomes its own, any other stays.
    for (const name of ['host', 'origin']) {
      if (headers[name]) headers[name] = headers[name].replace(`:${asked.socket.localPort}`, `:${port}`);
    }
    const passed = request({ hostname, port, path, method, headers }, (answer) => {
      reply.writeHead(answer.statusCode, answer.headers);
      reply.flushHeaders();
      answer.pipe(reply);
    });
    passed.on('error', () => reply.destroy());
    reply.on('close', () => passed.destroy()); // a client that disconnects cancels its request
    asked.pipe(passed);
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return proxy;
}
