// `standpipe/stdio`: transports over stdin and stdout, and over any other pair of byte streams.

export { type Evidence, PeerError, type Phase, ProcessError, UsageError } from '../base/errors.ts';
export type { Noise } from '../base/noise.ts';
export type { InboundFault } from '../jsonrpc/channel.ts';
export type { Transport } from '../jsonrpc/message-transport.ts';
export { DEFAULT_INHERITED_ENV_VARS, getDefaultEnvironment } from '../process/launch/environment.ts';
export type { StopRung, StopWaits } from '../process/tree/stop-ladder.ts';
export type { StderrChoice } from './stderr-outlet.ts';
export {
  type StdioClientOptions,
  type StdioClientOptions as StdioServerParameters,
  StdioClientTransport,
} from './stdio-client.ts';
export { type StdioServerOptions, StdioServerTransport } from './stdio-server.ts';
export { StreamTransport, type StreamTransportOptions } from './stream-transport.ts';
export type { WireObserver } from './wire.ts';
