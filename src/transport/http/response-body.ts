// The body of a response that is no stream, within a limit.

import type { IncomingMessage } from 'node:http';

/** `TOO_LONG`: it has more bytes than allowed. The connection is closed then. */
export const TOO_LONG: unique symbol = Symbol('too long');

export function readBody(
  response: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer | typeof TOO_LONG | Error) => void,
): void {
  let first: Buffer | undefined;
  let chunks: Buffer[] | undefined;
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      response.removeAllListeners('end').destroy();
      done(TOO_LONG);
    } else if (first === undefined) first = chunk;
    else if (chunks) chunks.push(chunk);
    else chunks = [first, chunk];
  });
  response.on('end', () => done(chunks ? Buffer.concat(chunks, bytes) : (first ?? EMPTY)));
  response.on('error', (error) => {
    if (bytes <= maxBytes) done(error);
  });
}

const EMPTY = Buffer.alloc(0);

export function contentType(response: IncomingMessage): string {
  return (response.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
