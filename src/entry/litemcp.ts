// `standpipe/litemcp`: LiteMCP over standard input and output, both ends, and the prompt text between a tool and a model.

import type { Readable } from 'node:stream';
import { PeerError, ProcessError } from '../base/errors.ts';
import { blankLines } from '../framing/blank-lines.ts';
import { LiteMcpClient, type LiteMcpClientOptions } from '../litemcp/client.ts';
import type { LiteMcpServer } from '../litemcp/server.ts';
import type { ServerConnection } from '../litemcp/server-connection.ts';
import type { StopRung } from '../process/stop-ladder.ts';
import { type ChildOptions, ChildWire } from '../transport/child-wire.ts';
import { OwnWire, type OwnWireOptions } from '../transport/own-wire.ts';

export { type Evidence, PeerError, ProcessError, UsageError } from '../base/errors.ts';
export type { Noise } from '../jsonrpc/channel.ts';
export type { ArgumentValues } from '../litemcp/arguments.ts';
export {
  type CallResult,
  type CallResultResponse,
  type CallResultResponseContent,
  readCallResult,
  readResponse,
  textOf,
} from '../litemcp/call-result.ts';
export { type CallOptions, type InfoOptions, LiteMcpClient, type LiteMcpClientOptions } from '../litemcp/client.ts';
export type { ContentValue, HandlerResult } from '../litemcp/handler-result.ts';
export { type IOBasic, type OperationId, parseIOBasic, printIOBasic, Unreadable } from '../litemcp/io-basic.ts';
export { type ModelReply, parseModelReply } from '../litemcp/model-reply.ts';
export { toolPrompt } from '../litemcp/prompt.ts';
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
export { type Parameter, readParameter, readTool, type Tool } from '../litemcp/tool.ts';
export { readToolCall, type ToolCall } from '../litemcp/tool-call.ts';
export { parseValue, printValue, type ValueOf } from '../litemcp/values.ts';
export { PROTOCOL_VERSION, readVersion, type VersionTuple } from '../litemcp/version.ts';
export type { StopRung, StopWaits } from '../process/stop-ladder.ts';
export type { StderrChoice } from '../transport/stderr-outlet.ts';

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
    super(wire, { decodeText, ...options });
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
  return server.serve(wire, { log, decodeText });
}

/** Faster than a TextDecoder for the short texts that most messages are. */
function decodeText(bytes: Uint8Array): string {
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString();
}
