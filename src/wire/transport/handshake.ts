// Both ends of a local socket prove that they know its secret before anything else is sent. Each line has a fixed length:
//   client to listener   its nonce, proof of "hello" and that nonce
//   listener to client   its nonce, proof of "listener" and both nonces
//   client to listener   proof of "client" and both nonces
// A listener sends nothing to a client whose first line is wrong. Neither end learns the secret from the other. A replayed first line
// is answered on another connection to the same listener, but the third line needs the secret and the new nonce.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { keyProof } from './local-key.ts';

const NONCE_BYTES = 16;
const NONCE_CHARS = 2 * NONCE_BYTES;
const PROOF_CHARS = 64;

/** `closed`: the listener closed the connection before accepting it. `wrong`: it sent an invalid proof. */
export type ListenerProof = 'proven' | 'closed' | 'wrong';

/**
 * Settles when the listener has answered or the connection is closed; the caller must apply a timeout. Later bytes stay
 * unread.
 */
export async function proveToListener(socket: Socket, secret: string): Promise<ListenerProof> {
  const own = newNonce();
  socket.write(`${own}${keyProof(secret, 'hello', own)}\n`);
  const line = await take(socket, NONCE_CHARS + PROOF_CHARS + 1);
  if (line === '') return 'closed';
  const other = line.slice(0, NONCE_CHARS);
  if (!isSame(line.slice(NONCE_CHARS), `${keyProof(secret, 'listener', own, other)}\n`)) return 'wrong';
  const last = `${keyProof(secret, 'client', own, other)}\n`;
  // The write fails if the listener has already closed the connection. The listener then did not accept it.
  return new Promise((resolve) => socket.write(last, (error) => resolve(error ? 'closed' : 'proven')));
}

/**
 * Resolves to true if the client proves that it knows the secret. Settles when the client has proven it, failed or
 * disconnected; the caller must apply a timeout. Later bytes stay unread.
 */
export async function proveToClient(socket: Socket, secret: string): Promise<boolean> {
  const hello = await take(socket, NONCE_CHARS + PROOF_CHARS + 1);
  const other = hello.slice(0, NONCE_CHARS);
  if (!isSame(hello.slice(NONCE_CHARS), `${keyProof(secret, 'hello', other)}\n`)) return false;
  const own = newNonce();
  socket.write(`${own}${keyProof(secret, 'listener', other, own)}\n`);
  return isSame(await take(socket, PROOF_CHARS + 1), `${keyProof(secret, 'client', other, own)}\n`);
}

function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('hex');
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given, 'latin1'), Buffer.from(expected, 'latin1')];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Reads a line of `bytes` bytes, or less if the line or the connection ends earlier. Remaining bytes stay in the stream, which is left
 * neither flowing nor paused.
 */
function take(socket: Socket, bytes: number): Promise<string> {
  return new Promise((resolve) => {
    let line = '';
    const look = () => {
      while (socket.readableLength > 0 && line.length < bytes && !line.includes('\n')) {
        const chunk = socket.read(Math.min(socket.readableLength, bytes - line.length)) as Buffer | null;
        line += chunk?.toString('latin1') ?? '';
      }
      if (line.length === bytes || line.includes('\n')) done();
    };
    const done = () => {
      socket.off('readable', look).off('end', done).off('close', done);
      resolve(line);
    };
    socket.on('readable', look).on('end', done).on('close', done);
    look();
  });
}
