// A server with 3,000 tools, whose names and descriptions are made of 400 words.

import { Server, serveStdio } from '../../../dist/entry/server.js';
import { word } from './words.mjs';

const server = new Server({ name: 'many-tools', version: '1.0.0' });
for (let n = 0; n < 3_000; n++) {
  const description = Array.from({ length: 20 }, (_, at) => word(n * 31 + at)).join(' ');
  const properties = Object.fromEntries(
    [1, 2, 3].map((at) => [`${word(n + at)}`, { type: 'string', description: `${word(n * at)} ${word(at)}` }]),
  );
  server.tool(`${word(n)}_${word(n * 7)}_${n}`, { description, input: { type: 'object', properties } }, () => 'done');
}
await serveStdio(server);
