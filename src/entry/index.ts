// `standpipe`: the most used names. Everything else has its own subpath.

export { PeerError, ProcessError, RpcError, StandpipeError, UsageError } from '../base/errors.ts';
export { Host } from '../host/host.ts';
export { Peer } from '../wire/jsonrpc/peer.ts';
export { StdioClientTransport } from '../wire/transport/stdio-client.ts';
export { StdioServerTransport } from '../wire/transport/stdio-server.ts';
export { Client, connect } from './client.ts';
export { Server, serveStdio } from './server.ts';
