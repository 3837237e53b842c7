// A correct server with every feature.

import { initialize, send, serve } from './line-peer.mjs';
import { tools } from './workbench-tools.mjs';

const notes = { 'note://today': 'Buy bread.\nWater the plants.', 'note://tomorrow': 'Rest.' };

process.stderr.write('workbench: listening\n');

serve({
  initialize: initialize(
    'workbench',
    { tools: { listChanged: true }, resources: {}, prompts: {}, logging: {} },
    { instructions: 'Be kind to the tools.' },
  ),
  ping: () => ({}),
  'logging/setLevel': () => ({}),
  'tools/list': () => ({ tools: tools.map(({ run, ...tool }) => tool) }),
  'tools/call': ({ name, arguments: args = {}, _meta }, signal) => {
    const tool = tools.find((one) => one.name === name);
    if (!tool) throw Object.assign(new Error(`Unknown tool: ${name}`), { code: -32602 });
    return tool.run(args, { progressToken: _meta?.progressToken, signal });
  },
  'resources/list': () => ({
    resources: Object.keys(notes).map((uri) => ({ uri, name: uri.slice(7), mimeType: 'text/plain' })),
  }),
  'resources/templates/list': () => ({
    resourceTemplates: [{ uriTemplate: 'note://{day}', name: 'note', description: 'The note of a day' }],
  }),
  'resources/read': ({ uri }) => {
    if (uri === 'note://secret-menu') return { contents: [{ uri, mimeType: 'text/plain', text: 'Truffles.' }] };
    if (!(uri in notes)) throw Object.assign(new Error(`No such note: ${uri}`), { code: -32002 });
    return { contents: [{ uri, mimeType: 'text/plain', text: notes[uri] }] };
  },
  'prompts/list': () => ({
    prompts: [
      {
        name: 'greet',
        description: 'A greeting',
        arguments: [{ name: 'who', description: 'Whom to greet', required: true }],
      },
    ],
  }),
  'prompts/get': ({ arguments: { who } = {} }) => ({
    description: 'A greeting',
    messages: [{ role: 'user', content: { type: 'text', text: `Say hello to ${who}.` } }],
  }),
});

send({ method: 'notifications/message', params: { level: 'info', data: 'workbench is up' } });
