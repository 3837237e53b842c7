// LiteMCP over standard input and output: a client whose server is a child process, and a server on the stdio of this process.

import type { Readable } from 'node:stream';
import { type Evidence, PeerError, ProcessError } from '../base/errors.ts';
import { LiteMcpClient, type LiteMcpClientOptions } from '../litemcp/client.ts';
import type { LiteMcpServer } from '../litemcp/server.ts';
import type { ServerConnection } from '../litemcp/server-connection.ts';
import { slowStartHint } from '../wire/diagnosis/advice.ts';
import { blankLines } from '../wire/framing/blank-lines.ts';
import type { StopRung } from '../wire/process/tree/stop-ladder.ts';
import { type ChildOptions, ChildWire } from '../wire/transport/child-wire.ts';
import { OwnWire, type OwnWireOptions } from '../wire/transport/own-wire.ts';

export interface LiteMcpConnectOptions extends Omit<ChildOptions, 'framing'>, LiteMcpClientOptions {
  /** The maximum time for the server to describe its tool. Default: `timeoutMs`. */
  startupTimeoutMs?: number;
  /** Aborts the start. */
  signal?: AbortSignal;
}

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

  /** The server's stderr; null unless `stderr` is 'pipe'. */
  get stderr(): Readable | null {
    return this.#wire.stderr;
  }

  /** The last step that was needed to stop the server. `stdin` means that it exited when its stdin closed. */
  get stopRung(): StopRung | undefined {
    return this.#wire.stopRung;
  }
}

/** If the start fails, the server is stopped before this rejects. `opened` is called with the client before the start. */
export async function connectLiteMcp(
  options: LiteMcpConnectOptions,
  opened?: (client: LiteMcpChild) => void,
): Promise<LiteMcpChild> {
  const { startupTimeoutMs, signal, ...rest } = options;
  signal?.throwIfAborted();
  const client = new LiteMcpChild(rest);
  opened?.(client);
  try {
    await client.start();
    await client.info({ timeoutMs: startupTimeoutMs, signal });
    return client;
  } catch (error) {
    const evidence = client.evidence(); // read before the server is stopped, so that it shows the failure alone
    await client.close();
    const { firstNoise } = client.evidence(); // output that is not followed by an empty line is read only at the end
    throw connectError(error, firstNoise === undefined ? evidence : { ...evidence, firstNoise });
  }
}

/** Prefers the exit of the process over the error of `get`, which changes nothing at the server. */
function connectError(error: unknown, evidence: Evidence): unknown {
  if (!(error instanceof PeerError)) return error;
  if (error.cause instanceof ProcessError) return error.cause;
  if (error.code !== 'REQUEST_TIMEOUT') return error;
  const hint = `${slowStartHint(evidence)} If it is an MCP server, remove "protocol": "litemcp" from its config entry, --litemcp from the command line.`;
  return new PeerError(error.code, `Could not connect: ${error.message}`, { cause: error, hint, evidence });
}

export type LiteMcpServeOptions = Omit<OwnWireOptions, 'framing'>;

/** Serves this process's parent until stdin ends, then exits the process. Log lines go to stderr. */
export function serveLiteMcp(server: LiteMcpServer, options: LiteMcpServeOptions = {}): Promise<ServerConnection> {
  const wire = new OwnWire({ ...options, framing: blankLines() });
  const log = (line: string) => process.stderr.write(`${line}\n`);
  return server.serve(wire, { log, maxFrameValues: options.maxFrameValues });
}
