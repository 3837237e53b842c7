// `standpipe/client`: connects to a server that speaks MCP, of any revision, over a command or any transport.

import { UsageError } from '../base/errors.ts';
import type { Client } from '../mcp/client/client.ts';
import { openClient } from '../mcp/client/open-client.ts';
import type { ClientChannel, ClientOptions } from '../mcp/client/options.ts';
import type { AnyTools, ToolTypes } from '../mcp/client/tool-types.ts';
import { type StdioClientOptions, StdioClientTransport } from '../transport/stdio-client.ts';

export { type Evidence, PeerError, ProcessError, RpcError, StandpipeError, UsageError } from '../base/errors.ts';
export type { Progress } from '../jsonrpc/conventions.ts';
export { Client, type ServerFacts } from '../mcp/client/client.ts';
export { BoundedEraMemory, type EraMemory, type KnownEra } from '../mcp/client/era-memory.ts';
export type { ListKind, NewsEnd, NewsOptions, ResourceUpdate } from '../mcp/client/news.ts';
export type {
  CallOptions,
  ClientChannel,
  ClientOptions,
  ElicitMode,
  InputContext,
  InputHandlers,
  ListOptions,
} from '../mcp/client/options.ts';
export type { AnyTools, ToolType, ToolTypes } from '../mcp/client/tool-types.ts';
export type { Warning } from '../mcp/client/warnings.ts';
export type { Era, Revision } from '../mcp/revisions.ts';
export type * from '../mcp/types.ts';
export type { StopWaits } from '../process/stop-ladder.ts';
export type { StderrChoice } from '../transport/stderr-outlet.ts';
export { type StdioClientOptions, StdioClientTransport } from '../transport/stdio-client.ts';

/** A server as a command: started, and started once more where the question for its era killed it. */
export function connect<Tools extends ToolTypes = AnyTools>(
  command: StdioClientOptions,
  options?: ClientOptions,
): Promise<Client<StdioClientTransport, Tools>>;
/** A transport, ours or the official SDK's, not started yet; or a function that makes one. */
export function connect<T extends ClientChannel, Tools extends ToolTypes = AnyTools>(
  transport: T | (() => T),
  options?: ClientOptions,
): Promise<Client<T, Tools>>;
export function connect(
  target: StdioClientOptions | ClientChannel | (() => ClientChannel),
  options: ClientOptions = {},
): Promise<Client> {
  if (typeof target === 'function') return openClient({ open: target, canReopen: true, key: options.eraKey }, options);
  if (typeof target !== 'object' || target === null) {
    const command = typeof target === 'string' ? JSON.stringify(target) : "'node'";
    return Promise.reject(
      new UsageError('INVALID_OPTION', 'connect() takes a command, a transport, or a function that makes one', {
        hint: `await connect({ command: ${command}, args: ['server.mjs'] })`,
      }),
    );
  }
  if ('command' in target) {
    const open = () => new StdioClientTransport(target);
    return openClient({ open, canReopen: true, key: options.eraKey ?? keyOf(target) }, options);
  }
  return openClient({ open: () => target, canReopen: false, key: options.eraKey }, options);
}

/** Without the environment: it holds secrets, and does not change what language a server speaks. */
function keyOf({ command, args = [], cwd }: StdioClientOptions): string {
  return JSON.stringify([command, args, cwd ?? process.cwd()]);
}
