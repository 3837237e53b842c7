// `standpipe/jsonrpc`: the symmetrical peer and the message types.

export { PeerError, RpcCode, RpcError } from '../base/errors.ts';
export type { Noise } from '../base/noise.ts';
export type { Channel, InboundFault } from './channel.ts';
export { type Conventions, lsp, mcp, type Progress, plainJsonRpc } from './conventions.ts';
export type { HandlerOptions, InboundCall, Params, RequestHandler } from './inbound.ts';
export type {
  JsonRpcErrorResponse,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  JsonRpcResult,
  RequestId,
} from './message.ts';
export type { NotificationHandler } from './notification-listeners.ts';
export type { RequestOptions } from './outbound.ts';
export { Peer, type PeerOptions } from './peer.ts';
