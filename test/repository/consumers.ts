// One small program for each subpath, as a user would write it: it is compiled and run with the installed package.

export const consumers: Readonly<Record<string, string>> = {
  '.': `
import { Peer, PeerError, ProcessError, RpcError, StandpipeError, StdioClientTransport, StdioServerTransport, UsageError } from 'standpipe';

const transport: StdioClientTransport = new StdioClientTransport({ command: 'no-such-command', stderr: 'ignore' });
const peer: Peer = new Peer(transport, { requestTimeoutMs: 1000 });
try {
  await peer.start();
} catch (error) {
  if (!(error instanceof ProcessError) || !(error instanceof StandpipeError)) throw error;
  const code: string = error.code;
  if (code !== 'COMMAND_NOT_FOUND') throw error;
}
export const all: unknown[] = [PeerError, RpcError, UsageError, StdioServerTransport];
`,

  './check': `
import { checkServer, type CheckReport } from 'standpipe/check';

const failed: CheckReport | string = await checkServer({ command: 'no-such-command', only: ['wire'] }).catch((error) => error.code);
if (failed !== 'COMMAND_NOT_FOUND') throw new Error(String(failed));
`,

  './client': `
import { connect } from 'standpipe/client';

const code: string = await connect({ command: 'no-such-command' }).then(
  (client) => client.close().then(() => 'connected'),
  (error) => error.code,
);
if (code !== 'COMMAND_NOT_FOUND') throw new Error(code);
`,

  './framing': `
import { blankLines, contentLength, fixedLength, type Framing, framingByName, lengthPrefix, newline } from 'standpipe/framing';

const framings: Framing[] = [newline(), blankLines(), lengthPrefix(), lengthPrefix({ format: 'hex' }), contentLength(), fixedLength({ frameBytes: 16 }), framingByName('newline')];
for (const framing of framings) {
  const frames: Uint8Array[] = [];
  framing.decoder({ maxFrameBytes: 1024 }).push(framing.encode(Uint8Array.of(1, 2, 3)), {
    frame: (bytes) => frames.push(bytes.slice()),
    fault: (fault) => { throw new Error(fault.code); },
  });
  if (frames[0]?.length !== 3) throw new Error(framing.name);
}
`,

  './http': `
import { Client } from '@modelcontextprotocol/client';
import { HttpClientTransport, type HttpServing, serveHttp } from 'standpipe/http';
import { Server } from 'standpipe/server';

const serving: HttpServing = await serveHttp(new Server({ name: 'consumer', version: '1.0.0' }));
const refused = await fetch(serving.url, { method: 'POST' });
if (refused.status !== 401) throw new Error(String(refused.status));
await serving.close();
export const connected = () => new Client({ name: 'official', version: '1.0.0' }).connect(new HttpClientTransport({ url: serving.url }));
`,

  './jsonrpc': `
import { type Channel, type InboundCall, type JsonRpcMessage, Peer, type PeerOptions, RpcCode, RpcError } from 'standpipe/jsonrpc';

const options: PeerOptions = { maxConcurrent: 4 };
const sent: JsonRpcMessage[] = [];
const channel: Channel = { start: async () => {}, send: async (message) => void sent.push(message), close: async () => {} };
const peer = new Peer(channel, options);
peer.handle('refuse', (_params, call: InboundCall) => {
  throw new RpcError(RpcCode.invalidParams, \`not \${call.id}\`);
});
await peer.start();
await peer.notify('hello', { to: 'you' });
if (sent.length !== 1) throw new Error('nothing was sent');
`,

  './litemcp': `
import { type CallResult, connectLiteMcp, LiteMcpServer, ProcessError, serveLiteMcp } from 'standpipe/litemcp';

const server = new LiteMcpServer({ name: 'hello', parameters: [{ name: 'who', type: 'string' }] }, ({ who }) => \`Hello, \${who}!\`);
if (server.tool.name !== 'hello') throw new Error(server.tool.name);
const result: CallResult | string = await connectLiteMcp({ command: 'no-such-command' }).then(
  (client) => client.call(['World']),
  (error) => (error instanceof ProcessError ? error.code : String(error)),
);
if (result !== 'COMMAND_NOT_FOUND') throw new Error(JSON.stringify(result));
export const all: unknown[] = [serveLiteMcp];
`,

  './host': `
import { writeFileSync } from 'node:fs';
import { Host, type ServerStatus } from 'standpipe/host';

writeFileSync('mcp.json', JSON.stringify({ mcpServers: { nothing: { command: 'no-such-command' } } }));
const host = await Host.open('mcp.json');
const [status]: ServerStatus[] = await host.start();
if (status?.state !== 'failed') throw new Error(JSON.stringify(status));
await host.stop();
`,

  './recording': `
import { writeFileSync } from 'node:fs';
import { findLive, type RecordingItem, readRecording } from 'standpipe/recording';

writeFileSync('half.jsonl', '{"standpipe":"rec');
const items: RecordingItem[] = [];
for await (const item of readRecording('half.jsonl')) items.push(item);
if (items[0]?.type !== 'damage') throw new Error(JSON.stringify(items));
export const all: unknown[] = [findLive];
`,

  './server': `
import { type Call, Server, serveStdio } from 'standpipe/server';

const server = new Server({ name: 'weather', version: '1.0.0' });
const input = { type: 'object', properties: { city: { type: 'string' } } } as const;
const declared = server.tool('forecast', { description: 'Weather for a city', input }, async (_args, call: Call) => {
  call.signal.throwIfAborted();
  return 'Sunny';
});
declared.remove();
await server.close();
export const all: unknown[] = [serveStdio];
`,

  './stdio': `
import { Client } from '@modelcontextprotocol/client';
import { type Evidence, type StdioClientOptions, StdioClientTransport, StdioServerTransport, type StopRung, StreamTransport, type Transport } from 'standpipe/stdio';

const options: StdioClientOptions = { command: process.execPath, args: ['-e', 'process.stdin.resume()'], stopWaits: { stdinMs: 5000 } };
const child = new StdioClientTransport(options);
const transport: Transport = child;
await transport.start();
await transport.close();
const rung: StopRung | undefined = child.stopRung;
const evidence: Evidence = child.evidence();
if (rung !== 'stdin' || evidence.exitCode !== 0) throw new Error(\`\${rung} \${evidence.exitCode}\`);
export const all: unknown[] = [StreamTransport, StdioServerTransport];
export const connected = (to: StdioClientTransport | StreamTransport) => new Client({ name: 'official', version: '1.0.0' }).connect(to);
`,

  './testing': `
import { type Clock, ManualClock, memoryPair } from 'standpipe/testing';

const clock: Clock & ManualClock = new ManualClock();
let fired = false;
clock.after(10, () => { fired = true; });
clock.advance(10);
const [near, far] = memoryPair();
const arrived = new Promise<unknown>((resolve) => { far.onmessage = resolve; });
await Promise.all([near.start(), far.start()]);
await near.send({ jsonrpc: '2.0', method: 'hello' });
await arrived;
await near.close();
if (!fired) throw new Error('the clock did not turn');
`,
};
