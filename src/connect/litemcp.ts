// LiteMCP over standard input and output, both ends, and the bridges on this process's stdio: a LiteMCP server as an MCP server,
// and a tool of an MCP server as a LiteMCP server. What only a bridge needs of MCP is loaded with the first bridge.

import type { Readable } from 'node:stream';
import { PeerError, ProcessError } from '../base/errors.ts';
import { blankLines } from '../framing/blank-lines.ts';
import { LiteMcpClient, type LiteMcpClientOptions } from '../litemcp/client.ts';
import { mcpToolAsLiteMcp } from '../litemcp/from-mcp.ts';
import type { LiteMcpServer } from '../litemcp/server.ts';
import type { ServerConnection } from '../litemcp/server-connection.ts';
import { PROTOCOL_VERSION } from '../litemcp/version.ts';
import type { Client } from '../mcp/client/client.ts';
import type { ClientOptions } from '../mcp/client/options.ts';
import type { Server, ServerOptions } from '../mcp/server/server.ts';
import type { Implementation } from '../mcp/types.ts';
import type { StopRung } from '../process/tree/stop-ladder.ts';
import { type ChildOptions, ChildWire } from '../transport/child-wire.ts';
import { OwnWire, type OwnWireOptions } from '../transport/own-wire.ts';
import type { StdioClientOptions } from '../transport/stdio-client.ts';

export interface LiteMcpConnectOptions extends Omit<ChildOptions, 'framing'>, LiteMcpClientOptions {
  /** How long the server may take to say what its tool is. As long as any other answer, unless given. */
  startupTimeoutMs?: number;
  /** Gives up the start. */
  signal?: AbortSignal;
}

/** A client whose server is a child process. */
export class LiteMcpChild extends LiteMcpClient {
  readonly #wire: ChildWire;

  constructor(options: Omit<LiteMcpConnectOptions, 'startupTimeoutMs' | 'signal'>) {
    const wire = new ChildWire({ ...options, framing: blankLines() });
    super(wire, options);
    this.#wire = wire;
  }

  get pid(): number | null {
    return this.#wire.pid;
  }

  /** The server's stderr, where it was asked for with `stderr: 'pipe'`. */
  get stderr(): Readable | null {
    return this.#wire.stderr;
  }

  /** What it took to stop the server, once it has stopped: `stdin` means that it left politely. */
  get stopRung(): StopRung | undefined {
    return this.#wire.stopRung;
  }
}

/** Starts a server and asks for its tool. What cannot be connected to is stopped again before this rejects. */
export async function connectLiteMcp(options: LiteMcpConnectOptions): Promise<LiteMcpChild> {
  const { startupTimeoutMs, signal, ...rest } = options;
  signal?.throwIfAborted();
  const client = new LiteMcpChild(rest);
  try {
    await client.start();
    await client.info({ timeoutMs: startupTimeoutMs, signal });
    return client;
  } catch (error) {
    await client.close();
    throw whyNotConnected(error);
  }
}

/** To ask for information changes nothing, so it does not matter whether it was asked: that the server ended does. */
function whyNotConnected(error: unknown): unknown {
  return error instanceof PeerError && error.cause instanceof ProcessError ? error.cause : error;
}

export type LiteMcpServeOptions = Omit<OwnWireOptions, 'framing'>;

/** Serves this process's parent until stdin ends; then the process exits. Log lines go to stderr. */
export function serveLiteMcp(server: LiteMcpServer, options: LiteMcpServeOptions = {}): Promise<ServerConnection> {
  const wire = new OwnWire({ ...options, framing: blankLines() });
  const log = (line: string) => process.stderr.write(`${line}\n`);
  return server.serve(wire, { log, maxFrameValues: options.maxFrameValues });
}

/** An MCP server whose one tool is that of a LiteMCP server. `connect` of it serves any MCP client. */
export async function litemcpAsMcp(client: LiteMcpClient, options?: ServerOptions): Promise<Server> {
  const bridge = await import('../litemcp/as-mcp.ts');
  return bridge.litemcpAsMcp(client, options);
}

type StartOptions = Pick<ClientOptions, 'startupTimeoutMs' | 'requestTimeoutMs' | 'signal'>;
export type LiteMcpAsMcpOptions = Omit<ChildOptions, 'framing'> & StartOptions;

/** A LiteMCP server that runs, as a host of MCP servers sees it. */
export interface LiteMcpLink {
  client: Client;
  pid: number | null;
  /** What it really speaks. */
  revision: string;
  serverInfo: Implementation;
  /** Called once, when the connection is over without our doing. */
  onLost(listener: (cause: Error | undefined) => void): void;
  close(): Promise<void>;
}

/** Starts a LiteMCP server and gives an ordinary MCP client of it, whose errors are those of any MCP server. */
export async function openLiteMcpAsMcp(options: LiteMcpAsMcpOptions): Promise<LiteMcpLink> {
  const { startupTimeoutMs, requestTimeoutMs, signal, ...child } = options;
  const { openClient } = await import('../mcp/client/open-client.ts');
  const { LiteMcpChannel, REVISION_SHOWN } = await import('../litemcp/mcp-channel.ts');
  const wire = new ChildWire({ ...child, framing: blankLines() });
  const client = await openClient(
    { open: () => new LiteMcpChannel(wire, child.maxFrameValues), canReopen: false, key: undefined },
    { revision: REVISION_SHOWN, startupTimeoutMs, requestTimeoutMs, signal, clock: child.clock },
  );
  let closing = false;
  return {
    client: client as unknown as Client,
    pid: wire.pid,
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
 * Starts a LiteMCP server and serves it as an MCP server on this process's stdin and stdout. Resolves when that is over:
 * with nothing when stdin has ended or `signal` aborted, with the reason when the LiteMCP server was lost.
 */
export async function serveLiteMcpAsMcp(options: LiteMcpConnectOptions): Promise<Error | undefined> {
  const { StdioServerTransport } = await import('../transport/stdio-server.ts');
  const client = await connectLiteMcp(options);
  const lost = new Promise<Error | undefined>((resolve) => {
    client.onclose = resolve;
  });
  try {
    const server = await litemcpAsMcp(client);
    const { closed, peer } = await server.connect(new StdioServerTransport({ exitOnEnd: false }));
    return await untilOver(lost, closed, options.signal, () => peer.close());
  } finally {
    await client.close();
  }
}

export interface ServeMcpToolOptions extends StdioClientOptions, StartOptions {
  /** The name of the tool that is served. */
  tool: string;
}

/**
 * Starts an MCP server and serves one of its tools as a LiteMCP server on this process's stdin and stdout. Resolves when
 * that is over: with nothing when stdin has ended or `signal` aborted, with the reason when the MCP server was lost.
 */
export async function serveMcpToolAsLiteMcp(options: ServeMcpToolOptions): Promise<Error | undefined> {
  const { tool, startupTimeoutMs, requestTimeoutMs, signal, ...target } = options;
  const { connect } = await import('./connect.ts');
  const client = await connect(target, { startupTimeoutMs, requestTimeoutMs, signal, clock: target.clock });
  try {
    const connection = await serveLiteMcp(await mcpToolAsLiteMcp(client, tool), { exitOnEnd: false });
    return await untilOver(client.closed, connection.closed, signal, () => connection.close());
  } finally {
    await client.close();
  }
}

/** The life of a bridge on our own stdio: its client ends it, or the server behind it, or our caller. */
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
  // Calls in flight fail with the server; before the end of this turn that is answered.
  if (loss) await new Promise((resolve) => setImmediate(resolve));
  await stopServing();
  if (!loss) return undefined;
  return loss.cause ?? new PeerError('CONNECTION_CLOSED', 'The server behind the bridge closed the connection');
}
