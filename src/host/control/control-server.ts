// The socket of a running host: other programs of the same user are its MCP clients, and control it by the methods
// `standpipe/…`, instead of starting everything anew. A Unix socket that only its owner may open; a message is a line.

import { rm } from 'node:fs/promises';
import { createServer, type Server as SocketServer } from 'node:net';
import { StandpipeError, toError, UsageError } from '../../base/errors.ts';
import type { Front } from '../../mcp/front/front.ts';
import { serve } from '../../mcp/front/fronts.ts';
import { withFileLock } from '../../process/files/file-lock.ts';
import { isServed, listenLocal } from '../../transport/local-socket.ts';
import { StreamTransport } from '../../transport/stream-transport.ts';
import type { Host } from '../host.ts';
import { ConnectionService } from './connection-service.ts';
import type { ControlHooks } from './control-methods.ts';
import { RemoteHost } from './remote-host.ts';

/** A person may take as long as the server waits. What waits for answers is limited for each connection. */
const limits = { askTimeoutMs: 24 * 60 * 60_000, maxSuspended: 256, maxSuspendedBytes: 64 * 1024 * 1024 };

/** Only programs of the owner can connect: this limits one that forgets to close its connections. */
const MOST_CALLERS = 256;

export interface ControlServer {
  path: string;
  close(): Promise<void>;
}

export async function serveControl(host: Host, path: string, hooks: ControlHooks = {}): Promise<ControlServer> {
  const fronts = new Set<Promise<Front>>();
  const listener = createServer((socket) => {
    const service = new ConnectionService(host, hooks);
    // Only programs of the owner get here: they may know everything about an error.
    const served = serve(service, StreamTransport.over(socket), { exposeErrors: true, ...limits });
    fronts.add(served);
    void served.then(async (front) => {
      service.notifyClient = (method, params) => void front.peer.notify(method, params).catch(() => undefined); // it is gone
      await front.closed;
      fronts.delete(served);
    });
  });
  listener.maxConnections = MOST_CALLERS;
  await listen(listener, path);
  // For example too many open files: this client is refused, and the host continues.
  listener.on('error', (error) => process.emitWarning(`The socket of the host: ${error.message}`));
  return {
    path,
    async close() {
      listener.close();
      await Promise.all([...fronts].map(async (served) => (await served).close()));
    },
  };
}

/** Replaces a socket that is no longer served, and no other: two hosts never remove each other's. */
function listen(listener: SocketServer, path: string): Promise<void> {
  // A named pipe ends with the process that served it, and the system gives it to one process only.
  if (process.platform === 'win32') return takePlace(listener, path);
  return withFileLock(path, () => takePlace(listener, path)).catch((error: unknown) => {
    throw error instanceof StandpipeError ? error : notListening(path, toError(error));
  });
}

async function takePlace(listener: SocketServer, path: string): Promise<void> {
  if (await isServed(path)) throw await alreadyRunning(path);
  if (process.platform !== 'win32') await rm(path, { force: true });
  // No other user may open the socket, not even between its creation and the change of its mode.
  const umask = process.umask(0o177);
  const listening = listenLocal(listener, path);
  process.umask(umask);
  await listening.catch(async (error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? await alreadyRunning(path) : notListening(path, error);
  });
}

function notListening(path: string, cause: Error): UsageError {
  return new UsageError('RUNTIME_FOLDER_UNUSABLE', `The host cannot listen at ${path}: ${cause.message}`, {
    hint: 'Set XDG_RUNTIME_DIR to a folder of your own with a short path that you can write to.',
    cause,
  });
}

async function alreadyRunning(path: string): Promise<UsageError> {
  const other = await RemoteHost.connect(path).catch(() => undefined); // of another version: it does not say
  const pid = (await other?.status())?.pid;
  await other?.close();
  const which = pid === undefined ? '' : ` (pid ${pid})`;
  return new UsageError('HOST_ALREADY_RUNNING', `A host for this config is running already${which}`, {
    hint: 'Use it (`standpipe ls`), or stop it first.',
  });
}
