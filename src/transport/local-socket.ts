// Programs of one user reach each other through Unix sockets or, on Windows, named pipes: how one listens, and how others
// find out whether it does. A socket has a path in a folder that only its user can write to, also on Windows; its key is beside it
// (local-key.ts), and both ends prove that they have it (handshake.ts).

import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { type Clock, systemClock, type Timer } from '../base/clock.ts';
import { isRunning } from '../process/tree/signals.ts';
import { type ListenerProof, proveToClient, proveToListener } from './handshake.ts';
import { addressOf, type LocalKey, makeKey, readKey, refreshKey, removeKey } from './local-key.ts';

export interface ConnectOptions {
  timeoutMs?: number;
  /** For the proof of the listener. */
  proofMs?: number;
  clock?: Clock;
}

export interface ListenOptions {
  /** Connections beyond it, and beyond `maxUnproven`, are closed. Without a limit unless given. */
  maxConnections?: number;
  /** How many clients may be connected without a proof. The oldest is closed for a new one. */
  maxUnproven?: number;
  /** For the proof of a client. */
  proofMs?: number;
  /** Whether the process may end while it listens. */
  isBackground?: boolean;
  /** A connection that could not be accepted. It does not affect the others. */
  onerror?: (error: Error) => void;
  clock?: Clock;
}

export interface LocalListener {
  /** Accepts no more connections, and removes the key. Connections that were accepted stay. */
  close(): void;
}

const isWindows = process.platform === 'win32';

/** The system answers at once, unless the backlog of the listener is full because its process hangs. */
const CONNECT_MS = 5_000;
/** The other process has to run for it: it may be busy. */
const PROOF_MS = 10_000;
/** As many programs as may be started at once. */
const MOST_UNPROVEN = 1_000;
const REFRESH_MS = 60 * 60_000;

/** What a socket's address holds, without its final zero: 108 bytes on Linux, 104 on macOS and BSD. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** How soon it is tried again while the backlog is full; a multiple of it after a connection that was closed without a proof. */
const AGAIN_MS = 10;
/** A listener may be replaced, with its key, while it is connected to. More often than this it is no coincidence. */
const MOST_TRIES = 20;

/** Codes of errors of `connectLocal` with which certainly no process of this user listens. */
const NOT_SERVED = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK', 'ENAMETOOLONG'];

export function isNotServed(error: unknown): boolean {
  return NOT_SERVED.includes((error as NodeJS.ErrnoException).code ?? '');
}

/**
 * Resolves when both ends have proven that they have the key. Rejects with the error of the system if no process listens, with ETIMEDOUT if
 * there is no answer, and with EPROTO if a process of this user listens that does not know the key, such as an earlier version.
 */
export async function connectLocal(path: string, options: ConnectOptions = {}): Promise<Socket> {
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

/** False only if certainly no process listens. One that is too busy to answer counts as listening. */
export async function isServed(path: string): Promise<boolean> {
  try {
    // A Unix socket in a folder of the user is served by programs of the user alone: a connection is enough.
    (await (isWindows ? connectLocal(path) : dial(path, undefined, {}))).destroy();
    return true;
  } catch (error) {
    return !isNotServed(error);
  }
}

/**
 * The socket and its key are made before this returns; `accept` is called with connections of clients that have the key. Rejects with
 * EADDRINUSE where there is a socket already, served or not. There never is on Windows: where several processes may listen at one path, let
 * one at a time do so, and only if it is not served.
 */
export async function listenLocal(
  path: string,
  accept: (socket: Socket) => void,
  options: ListenOptions = {},
): Promise<LocalListener> {
  checkLength(path);
  if (!isWindows && existsSync(path)) throw failure('EADDRINUSE', `there is a socket at ${path} already`);
  const { maxConnections, maxUnproven = MOST_UNPROVEN, isBackground = false, onerror, clock = systemClock } = options;
  const key = makeKey(path); // before it listens: who can connect can read it
  const unproven = new Set<Socket>();
  const server = createServer((socket) => void admit(socket, key, unproven, accept, options));
  if (maxConnections !== undefined) server.maxConnections = maxConnections + maxUnproven;
  if (isBackground) server.unref();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(addressOf(path, key), resolve));
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
      removeKey(path); // while it listens: afterwards the path may be that of the next listener
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

/** A connection without a proof. */
function dial(
  path: string,
  key: LocalKey | undefined,
  { timeoutMs = CONNECT_MS, clock = systemClock }: ConnectOptions,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    checkLength(path);
    // The name of a pipe is free for everyone when its process has ended.
    if (isWindows && !(key && isRunning(key.pid))) throw failure('ENOENT', `no process listens at ${path}`);
    const address = key ? addressOf(path, key) : path;
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
      // Many programs connect at once. Linux says so at once; other systems wait.
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
        socket.off('error', failed); // from here on they are the caller's
        resolve(socket);
      });
    };
    attempt();
  });
}

/** Rejects with ETIMEDOUT if the listener proves nothing in time. */
function proofInTime(
  socket: Socket,
  path: string,
  { secret }: LocalKey,
  { proofMs = PROOF_MS, clock = systemClock }: ConnectOptions,
): Promise<ListenerProof> {
  return new Promise((resolve, reject) => {
    const failed = () => undefined; // its close follows
    const expired = () => {
      reject(timeoutOf(path, proofMs));
      socket.destroy();
    };
    const timer = afterPause(clock, proofMs, expired);
    socket.on('error', failed);
    void proveToListener(socket, secret).then((proof) => {
      timer.cancel();
      if (proof === 'proven') socket.off('error', failed); // from here on they are the caller's
      resolve(proof);
    });
  });
}

/** After a pause of this process the timer comes first, and what happened meanwhile only then. */
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

/** Some versions of Node.js cut a path that is too long, and would then listen somewhere else. */
function checkLength(path: string): void {
  if (isWindows || Buffer.byteLength(path) <= MAX_PATH_BYTES) return;
  throw failure('ENAMETOOLONG', `a socket's path has at most ${MAX_PATH_BYTES} bytes: ${path}`);
}

/** On Windows everyone can listen at the name of a pipe that has ended: that is no process of this user. */
function unproven(path: string): Error {
  return isWindows
    ? failure('ECONNREFUSED', `no process that has the key listens at ${path}`)
    : failure('EPROTO', `what listens at ${path} does not have its key`);
}

function timeoutOf(path: string, timeoutMs: number): Error {
  return failure('ETIMEDOUT', `no answer from ${path} within ${timeoutMs} ms`);
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
