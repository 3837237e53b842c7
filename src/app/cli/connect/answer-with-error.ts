// A relay without a host: each request of the client is answered with the reason, which hosts show to their users. stderr alone
// is often hidden.

import { createInterface } from 'node:readline';
import { toRpcError } from '../../../base/error-json.ts';

/** Resolves when the client has ended its input. */
export async function answerWithError(reason: Error & { hint?: string | undefined }): Promise<void> {
  const { rpcCode: code, message, data } = toRpcError(reason);
  const error = { code, message: reason.hint ? `${message}. ${reason.hint}` : message, data };
  for await (const line of createInterface({ input: process.stdin })) {
    const id = requestId(line);
    if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  }
}

/** Undefined where it is no request. */
function requestId(line: string): unknown {
  try {
    const { id, method } = JSON.parse(line);
    return method === undefined ? undefined : id;
  } catch {
    return undefined; // no message
  }
}
