// A server with tools whose schemas, and results whose content, are nested too deeply for a recursive JSON writer.
import { createInterface } from 'node:readline';

const deep = '['.repeat(50_000) + ']'.repeat(50_000);
const send = (id, result) => console.log(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
const serverInfo = { name: 'deep', version: '1' };

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === 'initialize') {
    const { protocolVersion } = params;
    send(
      id,
      JSON.stringify({ protocolVersion, capabilities: { tools: {} }, serverInfo, instructions: 'mind the depth' }),
    );
  } else if (method === 'tools/list') {
    send(id, `{"tools":[{"name":"dig","inputSchema":{"type":"object","default":${deep}}}]}`);
  } else if (method === 'tools/call') {
    send(id, `{"content":[],"structuredContent":{"deep":${deep}}}`);
  } else {
    console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }));
  }
}
