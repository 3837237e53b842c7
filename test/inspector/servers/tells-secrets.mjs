// A server that reveals every secret that it knows: on stderr, on stdout between messages, in results, in errors.
import { createInterface } from 'node:readline';

const [, , , token] = process.argv;
const { API_KEY, PLAIN } = process.env;
console.error(`starting with ${API_KEY} and ${token}; Authorization: Bearer abcdef0123456789`);
console.error(JSON.stringify({ password: 'p4ssw0rd', plain: PLAIN }));
console.log(`noise ${API_KEY}`);
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') {
    const serverInfo = { name: 'tells-secrets', version: '1' };
    const { protocolVersion } = params;
    send({
      id,
      result: {
        protocolVersion,
        capabilities: { tools: {}, resources: {} },
        serverInfo,
        instructions: `use ${API_KEY}`,
      },
    });
  } else if (method === 'tools/list') {
    const inputSchema = { type: 'object', properties: { token: { type: 'string' } } };
    send({ id, result: { tools: [{ name: 'tell', description: `knows ${API_KEY}`, inputSchema }] } });
  } else if (method === 'resources/list') {
    send({ id, result: { resources: [{ uri: 'http://x.test/?token=t0k3n1', name: 'a' }] } });
  } else if (method === 'resources/templates/list') {
    send({ id, result: { resourceTemplates: [] } });
  } else if (method === 'tools/call') {
    const text = `key ${API_KEY}, token=${params.arguments.token}, postgres://ada:p4ssw0rd@db/x`;
    if (params.arguments.fail) send({ id, error: { code: -32000, message: `refused ${API_KEY}` } });
    else send({ id, result: { content: [{ type: 'text', text }], structuredContent: { password: 'p4ssw0rd' } } });
  } else send({ id, error: { code: -32601, message: 'no such method' } });
});
