// The first line of a connection to a host's socket chooses a server, and the host answers it. Only MCP follows, so that a relay can
// pass the bytes on without parsing them.

import type { Socket } from 'node:net';
import { fromRpcError } from '../../base/error-json.ts';
import { PeerError, RpcError } from '../../base/errors.ts';
import type { Params } from '../../mcp/service.ts';
import { otherVersion } from './control-version.ts';

/**
 * Rejects with HOST_VERSION if the host has another control version, and with CONNECTION_CLOSED if the connection ends before the
 * answer. Leaves the socket paused.
 */
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
