// The body of a response that is no stream, within a limit.

import type { IncomingMessage } from 'node:http';
import { BodyParts } from '../../base/body-parts.ts';

/** `TOO_LONG`: it has more bytes than allowed. The connection is closed then. */
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
  // It may have been destroyed before, and then it has no other event.
  if (response.destroyed) queueMicrotask(() => end(new Error('The connection ended within the response')));
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

export function contentType(response: IncomingMessage): string {
  return (response.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
