// Refuses a connection beyond the limit: answers its first request with the reason, then closes it. A connection that closes without
// an answer looks like a crashed host.

import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { toRpcError } from '../../base/error-json.ts';
import { StreamTransport } from '../../wire/transport/stream-transport.ts';

const LONGEST_REQUEST_BYTES = 64 * 1024;
/** A connection without a request is closed after this time. */
const WAIT_MS = 5_000;

export function refuseConnection(socket: Socket, reason: Error, clock: Clock): void {
  const { rpcCode: code, message, data } = toRpcError(reason);
  const transport = StreamTransport.over(socket, { maxFrameBytes: LONGEST_REQUEST_BYTES });
  const timer = clock.after(WAIT_MS, () => socket.destroy());
  timer.keepAlive(false);
  socket.once('close', () => timer.cancel());
  transport.onmessage = (request) => {
    if (!('method' in request && 'id' in request)) return;
    void transport.send({ jsonrpc: '2.0', id: request.id, error: { code, message, data } }).catch(() => undefined); // disconnected
    void transport.close();
  };
  void transport.start();
}
