// The body of a response that is no stream, within a limit.

import type { IncomingMessage } from 'node:http';
import { PartList } from '../../base/part-list.ts';

/** `TOO_LONG`: it has more bytes than allowed. The connection is closed then. */
export const TOO_LONG: unique symbol = Symbol('too long');

export function readBody(
  response: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer | typeof TOO_LONG | Error) => void,
): void {
  let first: Buffer | undefined;
  let parts: PartList | undefined;
  let bytes = 0;
  let isDone = false;
  const end = (body: Buffer | typeof TOO_LONG | Error) => {
    if (isDone) return;
    isDone = true;
    done(body);
  };
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      end(TOO_LONG);
      response.destroy();
    } else if (first === undefined) first = chunk;
    else {
      if (!parts) {
        parts = new PartList(maxBytes);
        parts.append(first, 0, first.length);
      }
      parts.append(chunk, 0, chunk.length);
    }
  });
  response.on('end', () => end(parts ? whole(parts, bytes) : (first ?? EMPTY)));
  response.on('error', end);
  // It may have been destroyed before, and then it has no other event.
  if (response.destroyed) queueMicrotask(() => end(new Error('The connection ended within the response')));
}

const EMPTY = Buffer.alloc(0);

function whole(parts: PartList, length: number): Buffer {
  const { buffer, byteOffset } = parts.join(length, EMPTY, 0, 0);
  return Buffer.from(buffer, byteOffset, length);
}

export function contentType(response: IncomingMessage): string {
  return (response.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
