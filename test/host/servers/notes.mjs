// A server with one of everything that a service passes on: tools, a resource that changes, a template, a prompt,
// completions.

import { Server, serveStdio } from '../../../dist/entry/server.js';

const { OWN = 'own' } = process.env;
const server = new Server({ name: 'notes', version: '1.0.0' }, { instructions: `The notes of ${OWN}` });
let text = 'first';
server.tool('write', { input: { type: 'object', properties: { text: { type: 'string' } } } }, (args) => {
  text = args.text;
  server.resourceUpdated('notes://shared');
  return `${OWN} has ${text}`;
});
server.tool(`only_${OWN}`, {}, (_args, call) => {
  call.progress(1, 2, 'half');
  return { content: [{ type: 'text', text: OWN }], _meta: { 'example.com/kept': [1] }, unknown: { kept: true } };
});
server.tool('declare', {}, () => {
  server.tool('declared', {}, () => 'declared');
  return 'done';
});
server.tool('asks', {}, async (_args, call) => {
  const { action, content } = await call.elicit({
    message: `Who asks ${OWN}?`,
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  });
  return `${action}: ${content?.name}`;
});
server.tool('die', {}, () => process.kill(process.pid, 'SIGKILL'));
server.resource('notes://shared', { name: 'shared' }, () => text);
server.resource(`notes://${OWN}`, { name: OWN }, () => `of ${OWN}`);
server.resourceTemplate(
  `${OWN}://{id}`,
  { name: 'by id', complete: { id: (value) => ['a1', 'a2', 'b1'].filter((id) => id.startsWith(value)) } },
  ({ id }) => `${OWN} ${id}`,
);
server.prompt(
  `greet_${OWN}`,
  { arguments: { name: { complete: (value) => [`${value}!`] } } },
  ({ name }) => `Hello, ${name}, from ${OWN}`,
);
await serveStdio(server);
