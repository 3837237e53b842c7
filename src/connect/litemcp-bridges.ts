// Bridges between LiteMCP and MCP over standard input and output. The MCP code is loaded with the first bridge, because a LiteMCP server
// starts faster without it.

import { PeerError } from '../base/errors.ts';
import type { LiteMcpClient } from '../litemcp/client.ts';
import { mcpToolAsLiteMcp } from '../litemcp/from-mcp.ts';
import type { LiteMcpServiceOptions } from '../litemcp/service.ts';
import { PROTOCOL_VERSION } from '../litemcp/shape.ts';
import type { ClientAdapterOptions, ClientAdapters } from '../mcp/adapter/client-adapters.ts';
import type { Client } from '../mcp/client/client.ts';
import type { ClientOptions } from '../mcp/client/options.ts';
import type { Implementation } from '../mcp/types.ts';
import { runBounded } from '../wire/process/run-bounded.ts';
import type { ChildOptions } from '../wire/transport/child-wire.ts';
import type { StdioClientOptions } from '../wire/transport/stdio-client.ts';
import { connectLiteMcp, type LiteMcpChild, type LiteMcpConnectOptions, serveLiteMcp } from './litemcp.ts';

/** Returns an MCP server whose only tool is that of a LiteMCP server. Its `connect` serves any MCP client. */
export async function litemcpAsMcp(
  client: LiteMcpClient,
  options?: ClientAdapterOptions & LiteMcpServiceOptions,
): Promise<ClientAdapters> {
  const bridge = await import('../litemcp/service.ts');
  return bridge.litemcpAsMcp(client, options);
}

type StartOptions = Pick<ClientOptions, 'startupTimeoutMs' | 'requestTimeoutMs' | 'signal'>;
export type LiteMcpAsMcpOptions = Omit<ChildOptions, 'framing'> & StartOptions;

/** A running LiteMCP server, as a host of MCP servers uses it. */
export interface LiteMcpLink {
  client: Client<never>;
  litemcp: LiteMcpChild;
  pid: number | null;
  revision: string;
  serverInfo: Implementation;
  /** Called once, when the connection ends and `close` was not called. */
  onLost(listener: (cause: Error | undefined) => void): void;
  close(): Promise<void>;
}

/** A call in flight when stdin ends runs in another process, which may take longer to answer. */
const ownEnd = { exitOnEnd: false, drainMs: 10_000 };

/** Starts a LiteMCP server and returns an MCP client for it. `opened` is called with the LiteMCP client before the start. */
export async function openLiteMcpAsMcp(
  options: LiteMcpAsMcpOptions,
  opened?: (litemcp: LiteMcpChild) => void,
): Promise<LiteMcpLink> {
  const { startupTimeoutMs = 60_000, requestTimeoutMs, signal, ...child } = options;
  const { clientOf } = await import('../mcp/client/client.ts');
  const { LiteMcpService } = await import('../litemcp/service.ts');
  const litemcp = await connectLiteMcp({ ...child, timeoutMs: requestTimeoutMs, startupTimeoutMs, signal }, opened);
  const client = await clientOf(new LiteMcpService(litemcp), { clock: child.clock, runBounded }, { link: litemcp });
  let closing = false;
  return {
    client,
    litemcp,
    pid: litemcp.pid,
    revision: `LiteMCP ${PROTOCOL_VERSION.join('.')}`,
    serverInfo: client.server.info,
    onLost(listener) {
      void client.closed.then((cause) => closing || listener(cause));
    },
    close() {
      closing = true;
      return client.close();
    },
  };
}

/**
 * Starts a LiteMCP server and serves it as an MCP server on this process's stdin and stdout. Resolves when serving ends: with undefined if
 * stdin ended or `signal` aborted, with the reason if the LiteMCP server was lost.
 */
export async function serveLiteMcpAsMcp(options: LiteMcpConnectOptions): Promise<Error | undefined> {
  const { StdioServerTransport } = await import('../wire/transport/stdio-server.ts');
  const client = await connectLiteMcp(options);
  try {
    const server = await litemcpAsMcp(client);
    const { closed, peer } = await server.connect(new StdioServerTransport(ownEnd));
    return await untilOver(client.closed, closed, options.signal, () => peer.close());
  } finally {
    await client.close();
  }
}

export interface ServeMcpToolOptions extends StdioClientOptions, StartOptions {
  /** The name of the tool to serve. */
  tool: string;
}

/** The opposite of `serveLiteMcpAsMcp`: starts an MCP server and serves one of its tools as a LiteMCP server. */
export async function serveMcpToolAsLiteMcp(options: ServeMcpToolOptions): Promise<Error | undefined> {
  const { tool, startupTimeoutMs, requestTimeoutMs, signal, ...target } = options;
  const { connect } = await import('./connect.ts');
  const client = await connect(target, { startupTimeoutMs, requestTimeoutMs, signal, clock: target.clock });
  try {
    const connection = await serveLiteMcp(await mcpToolAsLiteMcp(client, tool), ownEnd);
    return await untilOver(client.closed, connection.closed, signal, () => connection.close());
  } finally {
    await client.close();
  }
}

/** A bridge on this process's stdio ends when its client disconnects, the server behind it is lost, or the signal aborts. */
async function untilOver(
  lost: Promise<Error | undefined>,
  ended: Promise<unknown>,
  signal: AbortSignal | undefined,
  stopServing: () => Promise<void>,
): Promise<Error | undefined> {
  const aborted = new Promise<void>((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
  const loss = await Promise.race([
    lost.then((cause) => ({ cause })),
    Promise.race([ended, aborted]).then(() => undefined),
  ]);
  // Pending calls fail when the server is lost; their errors are sent before the end of this turn.
  if (loss) await new Promise((resolve) => setImmediate(resolve));
  await stopServing();
  if (!loss) return undefined;
  return loss.cause ?? new PeerError('CONNECTION_CLOSED', 'The server behind the bridge closed the connection');
}
