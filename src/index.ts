// `standpipe`: the most used names. Everything else has its own subpath.

export { PeerError, ProcessError, RpcError, StandpipeError, UsageError } from './base/errors.ts';
export { Client, connect } from './entry/client.ts';
export { Server, serveStdio } from './entry/server.ts';
export { Host } from './host/host.ts';
export { Peer } from './jsonrpc/peer.ts';
export { StdioClientTransport } from './transport/stdio-client.ts';
export { StdioServerTransport } from './transport/stdio-server.ts';
