// Programs of one user reach each other through Unix sockets or, on Windows, named pipes: how one listens, and how others
// find out whether it does. Only the owner may open such a socket.

import { chmod } from 'node:fs/promises';
import { connect, type Server, type Socket } from 'node:net';
import { type Clock, systemClock, type Timer } from '../base/clock.ts';

export interface ConnectOptions {
  timeoutMs?: number;
  clock?: Clock;
}

/** The system answers at once, unless the backlog of the listener is full because its process hangs. */
const CONNECT_MS = 5_000;

/** What a socket's address holds, without its final zero: 108 bytes on Linux, 104 on macOS and BSD. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** How soon it is tried again while the backlog is full. */
const AGAIN_MS = 10;

/** Rejects with the error of the system if no process listens, and with ETIMEDOUT if there is no answer. */
export function connectLocal(
  path: string,
  { timeoutMs = CONNECT_MS, clock = systemClock }: ConnectOptions = {},
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    checkLength(path);
    let socket: Socket;
    let again: Timer | undefined;
    let isConnected = false;
    const expired = () => {
      if (isConnected) return;
      again?.cancel();
      socket.destroy();
      reject(timeoutOf(path, timeoutMs));
    };
    // After a pause of this process the timer comes first, and the connection that was made meanwhile only then.
    const timer = clock.after(timeoutMs, () => setImmediate(() => setImmediate(expired)));
    const failed = (error: NodeJS.ErrnoException) => {
      // Many programs connect at once. Linux says so at once; other systems wait.
      if (error.code === 'EAGAIN') again = clock.after(AGAIN_MS, attempt);
      else {
        timer.cancel();
        reject(error);
      }
    };
    const attempt = () => {
      socket = connect(path).once('error', failed);
      socket.once('connect', () => {
        isConnected = true;
        timer.cancel();
        socket.off('error', failed); // from here on they are the caller's
        resolve(socket);
      });
    };
    attempt();
  });
}

/** False only if certainly no process listens. One that is too busy to answer counts as listening. */
export async function isServed(path: string): Promise<boolean> {
  try {
    (await connectLocal(path)).destroy();
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return !['ECONNREFUSED', 'ENOENT', 'ENOTSOCK', 'ENAMETOOLONG'].includes(code ?? '');
  }
}

/** The socket is made before this returns. Rejects with EADDRINUSE where there is one already, served or not. */
export async function listenLocal(server: Server, path: string): Promise<void> {
  checkLength(path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
  if (process.platform !== 'win32') await chmod(path, 0o600);
}

/** Some versions of Node.js cut a path that is too long, and would then listen somewhere else. */
function checkLength(path: string): void {
  if (process.platform === 'win32' || Buffer.byteLength(path) <= MAX_PATH_BYTES) return;
  const message = `ENAMETOOLONG: a socket's path has at most ${MAX_PATH_BYTES} bytes: ${path}`;
  throw Object.assign(new Error(message), { code: 'ENAMETOOLONG' });
}

function timeoutOf(path: string, timeoutMs: number): Error {
  return Object.assign(new Error(`connect ETIMEDOUT ${path}: no answer within ${timeoutMs} ms`), { code: 'ETIMEDOUT' });
}
