// A server of 2025-11-25 with as many tools as its argument says. It announces no changes of its list, so a host asks it for every listing.

import { createInterface } from 'node:readline';

const count = Number(process.argv[2]);
const property = (about) => ({
  type: 'string',
  description: `The ${about} to use, as in the documentation of the service`,
});
const tools = Array.from({ length: count }, (_, at) => ({
  name: `tool_${at}`,
  title: `Tool ${at}`,
  description: `Reads records of kind ${at}, filtered by owner and state, newest first. Returns at most 100 records with their ids.`,
  inputSchema: {
    type: 'object',
    properties: {
      owner: property('owner'),
      state: { enum: ['open', 'closed', 'all'], default: 'open' },
      limit: { type: 'integer', minimum: 1, maximum: 100 },
    },
    required: ['owner'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
}));
const facts = { capabilities: { tools: {} }, serverInfo: { name: 'many', version: '1.0.0' } };

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = { initialize: { protocolVersion: params?.protocolVersion, ...facts }, 'tools/list': { tools } }[
    method
  ];
  const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
