// Reads the JSON body of a request, up to a size limit. Only `application/json` is accepted: a form of a foreign page
// cannot send it without a preflight, which is refused.

import type { IncomingMessage } from 'node:http';
import { HttpProblem } from './http-problem.ts';

export const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

export const ENCODED = 'The body must not be compressed: send it without a content-encoding';

/** Compressed bodies are refused, so that the size limit applies to the parsed text. */
export function isEncoded(encoding: string | undefined): boolean {
  return encoding !== undefined && encoding.trim().toLowerCase() !== 'identity';
}

export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new HttpProblem(415, 'The content-type must be application/json');
  if (isEncoded(request.headers['content-encoding'])) throw new HttpProblem(415, ENCODED);
  const text = await readText(request);
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpProblem(400, 'The body is not JSON');
  }
}

/** A body that is too large is read and discarded up to a limit, because a client that is still sending does not read the response. */
async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > MAX_DISCARDED_BYTES) break;
  }
  if (bytes > MAX_BODY_BYTES) throw new HttpProblem(413, `The body is larger than ${MAX_BODY_BYTES} bytes`);
  return Buffer.concat(chunks).toString();
}
