// Connects to the socket of a host, and explains why a connection fails. The two programs may be different versions of Standpipe. The first
// line of a connection chooses a server, and the host answers it. Only MCP follows, so that a relay can pass the bytes on without parsing.

import type { Socket } from 'node:net';
import { fromRpcError } from '../../base/error-json.ts';
import { PeerError, RpcError, StandpipeError, UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import type { Params } from '../../mcp/service.ts';
import { connectLocal, isNotServed } from '../../wire/transport/local-socket.ts';

/** Version of the methods below. Increased with every change that an older program does not understand. */
export const CONTROL_VERSION = 2;

/** `found`: the versions that the running host reports. Undefined if this program understands it. */
export function otherVersion(found: { controlVersion?: unknown; version?: unknown }): UsageError | undefined {
  const { controlVersion, version } = found;
  if (controlVersion === CONTROL_VERSION) return undefined;
  const isNewer = typeof controlVersion === 'number' && controlVersion > CONTROL_VERSION;
  const which =
    version === undefined ? 'an earlier version' : `${isNewer ? 'the newer version' : 'version'} ${version}`;
  const message = `The running host of this config is ${which} of Standpipe; this is ${ownInfo.version}`;
  return new UsageError('HOST_VERSION', message, {
    hint: `End it with its own \`${ownCommand} down\`, or with Ctrl-C in its terminal, and start it again with this version.`,
  });
}

/**
 * Resolves to undefined if no host listens at the path. Rejects with HOST_VERSION if the host does not know the key of
 * the socket.
 */
export async function connectHost(path: string): Promise<Socket | undefined> {
  try {
    return await connectLocal(path);
  } catch (error) {
    if (isNotServed(error)) return undefined;
    if (error instanceof StandpipeError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'EPROTO') throw otherVersion({});
    throw new PeerError('CONNECTION_CLOSED', `The host does not answer at ${path}: ${(error as Error).message}`, {
      hint: 'The process of the host hangs or is suspended. End it, and connect again.',
      cause: error,
    });
  }
}

/** Rejects with HOST_VERSION if the host has another control version, and with CONNECTION_CLOSED if it closes. Leaves the socket paused. */
export async function chooseServer(socket: Socket, params: Params): Promise<void> {
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'use', method: 'standpipe/use', params })}\n`);
  const { result, error } = JSON.parse(await firstLine(socket)) as {
    result?: { controlVersion?: unknown; version?: unknown };
    error?: { code: number; message: string; data?: unknown };
  };
  const other = result && otherVersion(result);
  if (other) throw other;
  if (error) throw fromRpcError(new RpcError(error.code, error.message, error.data));
}

function firstLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const arrived = (chunk: Buffer) => {
      const end = chunk.indexOf(0x0a);
      chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
      if (end < 0) return;
      stop();
      socket.pause();
      if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1));
      resolve(Buffer.concat(chunks).toString());
    };
    const ended = (cause?: Error) => {
      stop();
      reject(new PeerError('CONNECTION_CLOSED', 'The host has ended', { cause }));
    };
    const stop = () => socket.off('data', arrived).off('end', ended).off('close', ended).off('error', ended);
    socket.on('data', arrived).on('end', ended).on('close', ended).on('error', ended);
  });
}
