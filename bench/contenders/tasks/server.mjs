// An echo tool with this support for tasks, and a tool whose tasks stay open, over stdio or HTTP.

import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serveHttp } from '../../../dist/entry/http.js';
import { Server, serveStdio, tasks } from '../../../dist/entry/server.js';
import { usage } from '../usage.mjs';

const [over, support] = process.argv.slice(2);
const limits = { maxTasks: 1_000_000, maxPrincipalTasks: 1_000_000 };
const server = new Server({ name: 'echo', version: '1.0.0' }, { extensions: [tasks(limits)] });
const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
server.tool('echo', { input, ...(support && { task: support }) }, async ({ text }) => text);
server.tool('usage', {}, () => JSON.stringify({ ...usage(), rssBytes: process.memoryUsage.rss() }));

if (support) {
  const event = once(process, 'exit');
  server.tool('stay', { input, task: 'required' }, async ({ text }, call) => {
    await event;
    call.progress(1);
    return text;
  });
  server.tool('heap', {}, () => {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    return String(process.memoryUsage().heapUsed);
  });
}

if (over === 'stdio') await serveStdio(server);
else {
  process.stdin.on('close', () => process.exit(0)).resume();
  const { url } = await serveHttp(server, { port: 0, token: false });
  console.log(String(url));
}
