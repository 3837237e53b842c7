// One tool, served over any wire. The server holds the state that all clients share; a connection (server-connection.ts) holds the
// requests from one client.

import { UsageError } from '../base/errors.ts';
import { DEFAULT_MAX_INBOUND_BYTES } from '../wire/requests/request-queue.ts';
import type { Wire } from '../wire/wire.ts';
import type { HandlerResult } from './call-result.ts';
import type { OperationId } from './io-basic.ts';
import { ServerConnection } from './server-connection.ts';
import { makeTool, type Parameter, type Tool } from './tool.ts';
import type { ValueOf } from './values.ts';

export interface ToolDefinition<P extends readonly Parameter[]> {
  name: string;
  description?: string;
  example?: string;
  parameters?: P;
}

/** The arguments by name, each as a value of its parameter's type. */
export type ValuesOf<P extends readonly Parameter[]> = {
  [K in P[number] as K['name']]: ValueOf<K['type']>;
};

/** One call while its handler runs. */
export interface LiteMcpCall {
  readonly id: OperationId;
  /** The arguments as received, by position. */
  readonly arguments: readonly string[];
  /** The arguments as received, by name. A new object on each access. */
  readonly params: Readonly<Record<string, string>>;
  /** Aborts when the client disconnects. LiteMCP has no other way to cancel. */
  readonly signal: AbortSignal;
}

export type LiteMcpHandler<P extends readonly Parameter[]> = (
  values: ValuesOf<P>,
  call: LiteMcpCall,
) => HandlerResult | Promise<HandlerResult>;

export interface LiteMcpServerOptions {
  /** The maximum number of calls that run at a time. Default: 256. */
  maxConcurrent?: number;
  /** The maximum number of calls that wait; more are refused. Default: 4096. */
  maxQueued?: number;
  /** The maximum bytes of running and waiting calls together; more are refused. */
  maxInboundBytes?: number;
  /** The minimum number of a client's newest ids to remember, so that a repeated one is ignored. Default: 10,000. */
  rememberedIds?: number;
  /** Called with a line for each message that cannot be answered, and for each error of a handler. */
  log?: (line: string) => void;
}

export interface ServeOptions {
  /** The maximum number of JSON values in a request; a request with more is refused. */
  maxFrameValues?: number;
  log?: (line: string) => void;
}

export class LiteMcpServer<const P extends readonly Parameter[] = readonly Parameter[]> {
  readonly tool: Tool;
  readonly #handler: (values: never, call: LiteMcpCall) => unknown;
  readonly #options: LiteMcpServerOptions;

  constructor(tool: ToolDefinition<P>, handler: LiteMcpHandler<P>, options: LiteMcpServerOptions = {}) {
    this.tool = checkedTool(tool);
    this.#handler = handler;
    this.#options = options;
  }

  async serve(wire: Wire, options: ServeOptions = {}): Promise<ServerConnection> {
    const { maxConcurrent = 256, maxQueued = 4096, rememberedIds = 10_000 } = this.#options;
    const { maxInboundBytes = DEFAULT_MAX_INBOUND_BYTES } = this.#options;
    const log = this.#options.log ?? options.log ?? (() => undefined);
    const connection = new ServerConnection(wire, {
      tool: this.tool,
      handler: this.#handler as (values: object, call: LiteMcpCall) => unknown,
      maxConcurrent,
      maxQueued,
      maxInboundBytes,
      maxFrameValues: options.maxFrameValues,
      rememberedIds,
      log,
    });
    await connection.start();
    return connection;
  }
}

function checkedTool(definition: ToolDefinition<readonly Parameter[]>): Tool {
  let tool: Tool;
  try {
    tool = makeTool(definition);
  } catch (cause) {
    throw new UsageError('INVALID_OPTION', `Not a LiteMCP tool: ${(cause as Error).message}`, { cause });
  }
  const names = tool.parameters.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice === undefined) return tool;
  throw new UsageError('INVALID_OPTION', `Not a LiteMCP tool: two parameters are named ${JSON.stringify(twice)}`);
}
