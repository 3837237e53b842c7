// A server with names that other programs do not accept, links to resources, and a start that waits for the file
// READY_FILE.

import { existsSync, unwatchFile, watchFile } from 'node:fs';
import { Server, serveStdio } from '../../../dist/entry/server.js';

const { OWN = 'own', READY_FILE } = process.env;
const any = { input: { type: 'object' } };
const server = new Server({ name: 'library', version: '1.0.0' }, { instructions: `The library of ${OWN}` });
server.tool('read.file', any, () => `${OWN}: read.file`);
server.tool('read_file', any, () => `${OWN}: read_file`);
server.tool('x'.repeat(90), any, () => `${OWN}: long`);
server.tool('pid', any, () => String(process.pid));
server.tool('links', any, ({ uris }) => ({
  content: [
    ...uris.map((uri) => ({ type: 'resource_link', uri, name: uri, 'com.example/unknown': 1 })),
    ...uris.map((uri) => ({ type: 'resource', resource: { uri, text: 'x' } })),
  ],
}));
server.prompt(
  'find.book',
  { title: 'Find', description: 'Finds a book', _meta: { 'com.example/kept': [1] } },
  () => `Find a book of ${OWN}`,
);
server.resource('books://all', { name: 'all' }, () => `all of ${OWN}`);
server.resource(`books://${OWN}`, { name: OWN }, () => `of ${OWN}`);
server.resourceTemplate('books://{shelf}/{id}', { name: 'by shelf' }, ({ shelf, id }) => `${OWN} ${shelf} ${id}`);

if (READY_FILE) {
  await new Promise((resolve) => {
    const look = () => existsSync(READY_FILE) && resolve();
    watchFile(READY_FILE, { interval: 20 }, look);
    look();
  });
  unwatchFile(READY_FILE);
}
await serveStdio(server);
