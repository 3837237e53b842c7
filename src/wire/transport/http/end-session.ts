// Ends a session with DELETE, sent by the client. Servers need not support it.

import { PeerError } from '../../../base/errors.ts';
import { HttpCall } from './http-call.ts';
import type { HttpConnection } from './http-connection.ts';

/** Limit of the wait: short, because a client that closes waits for the response. */
const TIMEOUT_MS = 2_000;

/** Rejects if the server refuses to end the session. */
export async function endSession(connection: HttpConnection): Promise<void> {
  const status = await deleted(connection);
  if (status < 400 || status === 404 || status === 405) return;
  throw new PeerError('STREAM_FAILED', `The server refused to end the session: HTTP status ${status}`, {
    evidence: { ...connection.evidence(), status },
  });
}

function deleted(connection: HttpConnection): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = new HttpCall(
      connection,
      { method: 'DELETE', headers: (authorization) => connection.head.delete(authorization) },
      {
        response: (response) => {
          timer.cancel();
          response.on('error', () => undefined); // only the status matters
          response.resume();
          resolve(response.statusCode!);
        },
        failed: (error) => {
          timer.cancel();
          reject(error);
        },
      },
    );
    const timer = connection.clock.after(TIMEOUT_MS, () => {
      call.destroy();
      reject(new Error(`No answer within ${TIMEOUT_MS} ms`));
    });
  });
}
