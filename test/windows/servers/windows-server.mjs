// An MCP server whose tools report how it was started. Variables make it hard to stop:
//   MARKS        folder in which it writes a file `server.<pid>`
//   IGNORES_EOF  it keeps running after the end of stdin
//   STARTS       'child' or 'detached': it starts a process that never reads and never exits, with the mark `grandchild.<pid>`

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Server, serveStdio } from '../../../dist/entry/server.js';

const { MARKS, IGNORES_EOF, STARTS } = process.env;
const mark = (name) => MARKS && writeFileSync(join(MARKS, `${name}.${process.pid}`), '');

if (process.argv[2] === '--runs-forever') {
  setInterval(() => undefined, 1000);
  mark('grandchild');
} else {
  if (STARTS) {
    const detached = STARTS === 'detached';
    const args = [fileURLToPath(import.meta.url), '--runs-forever'];
    spawn(process.execPath, args, { detached, stdio: 'ignore', windowsHide: true }).unref();
  }
  if (IGNORES_EOF) setInterval(() => undefined, 1000);
  const server = new Server({ name: 'windows', version: '1.0.0' });
  server.tool('args', {}, () => JSON.stringify(process.argv.slice(2)));
  server.tool('pid', {}, () => String(process.pid));
  server.tool('cwd', {}, () => process.cwd());
  server.tool('env', { input: { type: 'object', properties: { name: { type: 'string' } } } }, ({ name }) =>
    String(process.env[name]),
  );
  server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text }) => text);
  mark('server');
  await serveStdio(server);
}
