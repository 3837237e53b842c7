// A server whose texts contain markup, scripts, terminal escapes, reversed text and invalid addresses.

import { initialize, serve } from './line-peer.mjs';

const markup = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const escapes = '\u001b[31mred\u001b[0m \u0007 \u202egnp.exe\u202c \u200bzero';

process.stderr.write(`${markup} ${escapes}\n`);
process.stdout.write(`${markup} ${escapes}\n`);

serve({
  initialize: initialize(`${markup}`, { tools: {}, resources: {}, prompts: {} }),
  'tools/list': () => ({
    tools: [
      {
        name: `evil ${markup}`,
        title: `evil ${markup}`,
        description: `${markup} ${escapes}`,
        inputSchema: {
          type: 'object',
          properties: {
            [`__proto__`]: { type: 'string' },
            [markup]: { type: 'string', title: markup, description: escapes, default: markup },
            loop: { $ref: '#' },
            broken: { $ref: '#/$defs/nowhere' },
            odd: 5,
          },
        },
      },
    ],
  }),
  'tools/call': () => ({
    content: [
      { type: 'text', text: `${markup} ${escapes}` },
      { type: 'image', mimeType: 'image/svg+xml', data: Buffer.from(svg).toString('base64') },
      { type: 'image', mimeType: 'text/html', data: Buffer.from(markup).toString('base64') },
      { type: 'image', mimeType: 'image/png', data: '"><script>window.hacked=1</script>' },
      { type: 'resource_link', uri: 'javascript:window.hacked=1', name: markup },
      { type: 'resource', resource: { uri: 'javascript:window.hacked=1', mimeType: 'text/html', text: markup } },
      { type: 'strange', html: markup },
      null,
    ],
    isError: true,
  }),
  'resources/list': () => ({ resources: [{ uri: 'javascript:window.hacked=1', name: markup }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'prompts/list': () => ({ prompts: [{ name: markup, description: escapes }] }),
});

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><script>parent.hacked=1</script><rect width="40" height="40" fill="tomato"/></svg>`;
