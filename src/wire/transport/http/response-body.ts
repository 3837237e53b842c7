// Reads the body of a non-stream response, up to a size limit.

import type { IncomingMessage } from 'node:http';
import { BodyParts } from '../../../base/part-list.ts';

/** The body exceeds the limit. The connection is then closed. */
export const TOO_LONG: unique symbol = Symbol('too long');

export function readBody(
  response: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer | typeof TOO_LONG | Error) => void,
): void {
  const body = new BodyParts(maxBytes);
  let isDone = false;
  const end = (result: Buffer | typeof TOO_LONG | Error) => {
    if (isDone) return;
    isDone = true;
    done(result);
  };
  response.on('data', (chunk: Buffer) => {
    if (isDone || body.add(chunk)) return;
    response.destroy();
    end(TOO_LONG);
  });
  response.on('end', () => end(asBuffer(body.whole())));
  response.on('error', end);
  // A response that is already destroyed emits no further events.
  if (response.destroyed) queueMicrotask(() => end(new Error('The connection ended within the response')));
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

export function contentType(response: IncomingMessage): string {
  return (response.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
