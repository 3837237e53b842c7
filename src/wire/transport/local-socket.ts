// Local sockets for programs of one user: Unix sockets or, on Windows, named pipes. Each socket has a path in a folder that only its user
// can write to, even on Windows. Its key is beside it (local-key.ts), and both ends prove that they have the key (handshake.ts).

import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { type Clock, systemClock, type Timer } from '../../base/clock.ts';
import { isRunning } from '../process/tree/signals.ts';
import { type ListenerProof, proveToClient, proveToListener } from './handshake.ts';
import { type LocalKey, makeKey, readKey, refreshKey, removeKey, socketAddressOf } from './local-key.ts';

interface LocalConnectOptions {
  timeoutMs?: number;
  /** Limit for the listener's proof. */
  proofMs?: number;
  clock?: Clock;
}

export interface ListenOptions {
  /** Connections beyond this number plus `maxUnproven` are closed. Default: unlimited. */
  maxConnections?: number;
  /** Maximum number of connected clients without a proof. The oldest one is closed when another connects. */
  maxUnproven?: number;
  /** Limit for a client's proof. */
  proofMs?: number;
  /** If true, listening does not keep the process running. */
  isBackground?: boolean;
  /** Called for a connection that could not be accepted. Other connections are unaffected. */
  onerror?: (error: Error) => void;
  clock?: Clock;
}

export interface LocalListener {
  /** Accepts no further connections and removes the key. Accepted connections stay open. */
  close(): void;
}

const isWindows = process.platform === 'win32';

/** The operating system connects immediately unless the backlog is full because the listening process hangs. */
const CONNECT_MS = 5_000;
/** Limit for the proof: longer than `CONNECT_MS`, because the proof needs the other process to run. */
const PROOF_MS = 10_000;
/** Limit of unproven connections: many programs may start at the same time. */
const MOST_UNPROVEN = 1_000;
const REFRESH_MS = 60 * 60_000;

/** Size of a socket address without the final zero: 108 bytes on Linux, 104 on macOS and BSD. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** Retry delay while the backlog is full. After a connection that closed without a proof, the delay is a multiple of it. */
const AGAIN_MS = 10;
/** Limit of attempts. A listener and its key may be replaced during a connection attempt, but not this many times. */
const MOST_TRIES = 20;

/** Error codes of `connectLocal` that prove that no process of this user listens. */
const NOT_SERVED = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK', 'ENAMETOOLONG'];

export function isNotServed(error: unknown): boolean {
  return NOT_SERVED.includes((error as NodeJS.ErrnoException).code ?? '');
}

/**
 * Resolves when both ends have proven that they have the key. Rejects with the system error if no process listens, with ETIMEDOUT if there
 * is no answer, and with EPROTO if a process of this user listens without knowing the key, for example an earlier version.
 */
export async function connectLocal(path: string, options: LocalConnectOptions = {}): Promise<Socket> {
  const { clock = systemClock } = options;
  for (let tries = 1; ; tries++) {
    const key = readKey(path);
    const socket = await dial(path, key, options);
    const proof = key ? await proofInTime(socket, path, key, options) : 'closed';
    if (proof === 'proven') return socket;
    socket.destroy();
    if (proof === 'wrong' || tries === MOST_TRIES) throw unproven(path);
    await new Promise<void>((again) => clock.after(AGAIN_MS * tries, again));
  }
}

/** False only if certainly no process listens. A process that is too busy to answer counts as listening. */
export async function isServed(path: string): Promise<boolean> {
  try {
    // Only programs of the user can serve a Unix socket in a folder of the user, so a connection is enough.
    (await (isWindows ? connectLocal(path) : dial(path, undefined, {}))).destroy();
    return true;
  } catch (error) {
    return !isNotServed(error);
  }
}

/**
 * Creates the socket and its key before it resolves, and calls `accept` for each client that has the key. Rejects with EADDRINUSE if the
 * socket file exists, served or not. This never happens on Windows: if several processes may listen at one path, the caller must serialize
 * them and check `isServed` first.
 */
export async function listenLocal(
  path: string,
  accept: (socket: Socket) => void,
  options: ListenOptions = {},
): Promise<LocalListener> {
  checkLength(path);
  if (!isWindows && existsSync(path)) throw failure('EADDRINUSE', `there is a socket at ${path} already`);
  const { maxConnections, maxUnproven = MOST_UNPROVEN, isBackground = false, onerror, clock = systemClock } = options;
  const key = makeKey(path); // made before listening, so that each program that can connect can read the key
  const unproven = new Set<Socket>();
  const server = createServer((socket) => void admit(socket, key, unproven, accept, options));
  if (maxConnections !== undefined) server.maxConnections = maxConnections + maxUnproven;
  if (isBackground) server.unref();
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(socketAddressOf(path, key), resolve),
  );
  server.removeAllListeners('error').on('error', (error) => onerror?.(error));
  if (!isWindows) await chmod(path, 0o600);
  let timer: Timer;
  const refreshLater = () => {
    timer = clock.after(REFRESH_MS, () => {
      refreshKey(path);
      refreshLater();
    });
    timer.keepAlive(false);
  };
  refreshLater();
  return {
    close() {
      timer.cancel();
      removeKey(path); // removed while still listening: afterwards the path may belong to the next listener
      server.close();
      for (const socket of unproven) socket.destroy();
    },
  };
}

async function admit(
  socket: Socket,
  { secret }: LocalKey,
  unproven: Set<Socket>,
  accept: (socket: Socket) => void,
  { maxUnproven = MOST_UNPROVEN, proofMs = PROOF_MS, clock = systemClock }: ListenOptions,
): Promise<void> {
  const failed = () => {
    unproven.delete(socket);
    socket.destroy();
  };
  socket.on('error', failed).unref();
  const [oldest] = unproven;
  if (oldest && unproven.size >= maxUnproven) {
    unproven.delete(oldest);
    oldest.destroy();
  }
  unproven.add(socket);
  const timer = clock.after(proofMs, failed);
  timer.keepAlive(false);
  const isProven = await proveToClient(socket, secret);
  timer.cancel();
  if (!isProven || socket.destroyed) return failed();
  unproven.delete(socket);
  socket.off('error', failed).ref();
  accept(socket);
}

/** Connects without a proof. */
function dial(
  path: string,
  key: LocalKey | undefined,
  { timeoutMs = CONNECT_MS, clock = systemClock }: LocalConnectOptions,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    checkLength(path);
    // When the listening process has ended, any user can take its pipe name.
    if (isWindows && !(key && isRunning(key.pid))) throw failure('ENOENT', `no process listens at ${path}`);
    const address = key ? socketAddressOf(path, key) : path;
    let socket: Socket;
    let again: Timer | undefined;
    let isConnected = false;
    const expired = () => {
      if (isConnected) return;
      again?.cancel();
      socket.destroy();
      reject(timeoutOf(path, timeoutMs));
    };
    const timer = afterPause(clock, timeoutMs, expired);
    const failed = (error: NodeJS.ErrnoException) => {
      // The backlog is full because many programs connect at once. Linux reports this immediately; other systems block.
      if (error.code === 'EAGAIN') again = clock.after(AGAIN_MS, attempt);
      else {
        timer.cancel();
        reject(error);
      }
    };
    const attempt = () => {
      socket = connect(address).once('error', failed);
      socket.once('connect', () => {
        isConnected = true;
        timer.cancel();
        socket.off('error', failed); // from here on the caller handles errors
        resolve(socket);
      });
    };
    attempt();
  });
}

/** Rejects with ETIMEDOUT if the listener sends no proof in time. */
function proofInTime(
  socket: Socket,
  path: string,
  { secret }: LocalKey,
  { proofMs = PROOF_MS, clock = systemClock }: LocalConnectOptions,
): Promise<ListenerProof> {
  return new Promise((resolve, reject) => {
    const failed = () => undefined; // the event `close` follows
    const expired = () => {
      reject(timeoutOf(path, proofMs));
      socket.destroy();
    };
    const timer = afterPause(clock, proofMs, expired);
    socket.on('error', failed);
    void proveToListener(socket, secret).then((proof) => {
      timer.cancel();
      if (proof === 'proven') socket.off('error', failed); // from here on the caller handles errors
      resolve(proof);
    });
  });
}

/** After this process was suspended, timers fire before pending I/O. Two more turns let the I/O be handled first. */
function afterPause(clock: Clock, ms: number, expired: () => void): Timer {
  let isOver = false;
  const timer = clock.after(ms, () => setImmediate(() => setImmediate(() => isOver || expired())));
  return {
    cancel: () => {
      isOver = true;
      timer.cancel();
    },
    keepAlive: (isKept) => timer.keepAlive(isKept),
  };
}

/** Some versions of Node.js truncate a path that is too long and would listen at a different path. */
function checkLength(path: string): void {
  if (isWindows || Buffer.byteLength(path) <= MAX_PATH_BYTES) return;
  throw failure('ENAMETOOLONG', `a socket's path has at most ${MAX_PATH_BYTES} bytes: ${path}`);
}

/**
 * On Windows, any user can listen at the pipe name of an ended process, so this is not necessarily a process of the
 * user.
 */
function unproven(path: string): Error {
  return isWindows
    ? failure('ECONNREFUSED', `no process that has the key listens at ${path}`)
    : failure('EPROTO', `the process that listens at ${path} does not have its key`);
}

function timeoutOf(path: string, timeoutMs: number): Error {
  return failure('ETIMEDOUT', `no answer from ${path} within ${timeoutMs} ms`);
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
