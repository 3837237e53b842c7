// `standpipe/jsonrpc`: the symmetrical peer and the message types.

export { PeerError, RpcCode, RpcError } from '../base/errors.ts';
export type { Noise } from '../base/noise.ts';
export type { Channel, InboundFault } from '../wire/jsonrpc/channel.ts';
export { type Conventions, lsp, mcp, type Progress, plainJsonRpc } from '../wire/jsonrpc/conventions.ts';
export type { HandlerOptions, InboundCall, Params, RequestHandler } from '../wire/jsonrpc/inbound.ts';
export type {
  JsonRpcErrorResponse,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  JsonRpcResult,
  RequestId,
} from '../wire/jsonrpc/message.ts';
export type { NotificationHandler } from '../wire/jsonrpc/notification-listeners.ts';
export type { RequestOptions } from '../wire/jsonrpc/outbound.ts';
export { Peer, type PeerOptions } from '../wire/jsonrpc/peer.ts';
