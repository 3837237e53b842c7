// A small MCP server on Standpipe. ../python/server.py and ../java/Server.java offer the same tools without it.

import { Server, serveStdio } from 'standpipe/server';
import { z } from 'zod';

const server = new Server({ name: 'small-typescript', version: '1.0.0' });
const annotations = { readOnlyHint: true }; // a host may call it without asking

server.tool(
  'hello_world',
  { description: 'Greets somebody', input: z.object({ name: z.string() }), annotations },
  ({ name }) => `Hello, ${name}!`,
);

// Arguments that do not fit never get here: the caller is told which one, and what was expected.
server.tool(
  'add',
  { description: 'Adds two numbers', input: z.object({ a: z.number(), b: z.number() }), annotations },
  ({ a, b }) => `${a + b}`,
);

server.tool(
  'echo',
  { description: 'Gives a text back', input: z.object({ text: z.string() }), annotations },
  ({ text }) => text,
);

// What a handler throws becomes a result that says so, for the model to read.
server.tool('fail', { description: 'Always fails', annotations }, () => {
  throw new Error('This tool always fails');
});

await serveStdio(server);
console.log('ready'); // goes to stderr: stdout belongs to the protocol
