// `standpipe`: the few names that most people need. Everything else has a subpath of its own.

export { PeerError, ProcessError, RpcError, StandpipeError, UsageError } from './base/errors.ts';
export { Peer } from './jsonrpc/peer.ts';
export { StdioClientTransport } from './transport/stdio-client.ts';
export { StdioServerTransport } from './transport/stdio-server.ts';
