// A small MCP server on Standpipe. ../python/server.py and ../java/Server.java offer the same tools without Standpipe.

import { Server, serveStdio } from 'standpipe/server';
import { z } from 'zod';

const server = new Server({ name: 'small-typescript', version: '1.0.0' });
const annotations = { readOnlyHint: true }; // a host may call it without confirmation by the user

server.tool(
  'hello_world',
  { description: 'Greets somebody', input: z.object({ name: z.string() }), annotations },
  ({ name }) => `Hello, ${name}!`,
);

// Invalid arguments do not reach the handler: the error names the argument and the expected type.
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

// An exception of a handler becomes an error result, which the model can read.
server.tool('fail', { description: 'Always fails', annotations }, () => {
  throw new Error('This tool always fails');
});

await serveStdio(server);
console.log('ready'); // goes to stderr, because stdout carries the protocol
