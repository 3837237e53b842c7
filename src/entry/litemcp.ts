// `standpipe/litemcp`: client and server for LiteMCP over standard input and output, the prompt text between a tool and
// a model, and the bridges: a LiteMCP server as an MCP server, and a tool of an MCP server as a LiteMCP server.

export { type Evidence, PeerError, ProcessError, UsageError } from '../base/errors.ts';
export type { Noise } from '../base/noise.ts';
export {
  connectLiteMcp,
  LiteMcpChild,
  type LiteMcpConnectOptions,
  type LiteMcpServeOptions,
  serveLiteMcp,
} from '../connect/litemcp.ts';
export {
  type LiteMcpAsMcpOptions,
  type LiteMcpLink,
  litemcpAsMcp,
  openLiteMcpAsMcp,
  type ServeMcpToolOptions,
  serveLiteMcpAsMcp,
  serveMcpToolAsLiteMcp,
} from '../connect/litemcp-bridges.ts';
export type { ArgumentValues } from '../litemcp/arguments.ts';
export type { ContentValue, HandlerResult } from '../litemcp/call-result.ts';
export {
  type CallResult,
  type CallResultResponse,
  type CallResultResponseContent,
  readCallResult,
  readResponse,
  textOf,
} from '../litemcp/call-result.ts';
export { type CallOptions, type InfoOptions, LiteMcpClient, type LiteMcpClientOptions } from '../litemcp/client.ts';
export { mcpToolAsLiteMcp, type ToolCaller } from '../litemcp/from-mcp.ts';
export { type IOBasic, type OperationId, parseIOBasic, printIOBasic, Unreadable } from '../litemcp/io-basic.ts';
export { type ModelReply, parseModelReply, toolPrompt } from '../litemcp/model-reply.ts';
export {
  type LiteMcpCall,
  type LiteMcpHandler,
  LiteMcpServer,
  type LiteMcpServerOptions,
  type ServeOptions,
  type ToolDefinition,
  type ValuesOf,
} from '../litemcp/server.ts';
export type { ServerConnection } from '../litemcp/server-connection.ts';
export { PROTOCOL_VERSION, readVersion, type VersionTuple } from '../litemcp/shape.ts';
export { type Parameter, readParameter, readTool, readToolCall, type Tool, type ToolCall } from '../litemcp/tool.ts';
export { argumentsByPosition } from '../litemcp/tool-as-mcp.ts';
export { parseValue, printValue, type ValueOf } from '../litemcp/values.ts';
export type { StopRung, StopWaits } from '../wire/process/tree/stop-ladder.ts';
export type { StderrChoice } from '../wire/transport/stderr-outlet.ts';
