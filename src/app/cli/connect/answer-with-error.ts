// Answers each request of the client with an error if the relay cannot reach a host. MCP hosts show such errors to their users, but
// often hide stderr.

import { toRpcError } from '../../../base/error-json.ts';
import type { FrameSink } from '../../../wire/framing/framing.ts';
import { newline } from '../../../wire/framing/newline.ts';

/** Resolves when the client closes its input. */
export async function answerWithError(reason: Error & { hint?: string | undefined }): Promise<void> {
  const { rpcCode: code, message, data } = toRpcError(reason);
  const error = { code, message: reason.hint ? `${message}. ${reason.hint}` : message, data };
  const decoder = newline().decoder();
  const answer = (line: Uint8Array) => {
    const id = requestId(Buffer.from(line).toString());
    if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  };
  const sink: FrameSink = { frame: answer, fault: ({ prefix }) => answer(prefix) }; // the last line may have no newline
  for await (const chunk of process.stdin) decoder.push(chunk, sink);
  decoder.end(sink);
}

/** Undefined if the line is not a request. */
function requestId(line: string): unknown {
  try {
    const { id, method } = JSON.parse(line);
    return method === undefined ? undefined : id;
  } catch {
    return undefined; // not JSON
  }
}
