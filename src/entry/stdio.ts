// `standpipe/stdio`: transports over stdin and stdout, and over any other pair of byte streams.

export { type Evidence, PeerError, type Phase, ProcessError, UsageError } from '../base/errors.ts';
export type { Noise } from '../base/noise.ts';
export type { InboundFault } from '../wire/jsonrpc/channel.ts';
export type { Transport } from '../wire/jsonrpc/message-transport.ts';
export { DEFAULT_INHERITED_ENV_VARS, getDefaultEnvironment } from '../wire/process/launch/environment.ts';
export type { StopRung, StopWaits } from '../wire/process/tree/stop-ladder.ts';
export type { StderrChoice } from '../wire/transport/stderr-outlet.ts';
export {
  type StdioClientOptions,
  type StdioClientOptions as StdioServerParameters,
  StdioClientTransport,
} from '../wire/transport/stdio-client.ts';
export { type StdioServerOptions, StdioServerTransport } from '../wire/transport/stdio-server.ts';
export { StreamTransport, type StreamTransportOptions } from '../wire/transport/stream-transport.ts';
export type { WireObserver } from '../wire/wire.ts';
