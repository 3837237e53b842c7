// The socket of a running host. Other programs of the same user use its servers as MCP clients, and control it by the `standpipe/…`
// methods. Only programs that have the key of the socket are served. Each message is one line.

import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { userInfo } from 'node:os';
import { type Clock, systemClock, type Timer } from '../../base/clock.ts';
import { toRpcError } from '../../base/error-json.ts';
import { RpcCode, RpcError, StandpipeError, toError, UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import type { ClientAdapter } from '../../mcp/adapter/client-adapter.ts';
import { ClientAdapters } from '../../mcp/adapter/client-adapters.ts';
import { compose, type ServiceLayer } from '../../mcp/layers/layer.ts';
import { newClient } from '../../mcp/service.ts';
import { withFileLock } from '../../wire/process/files/file-lock.ts';
import { SendBudget } from '../../wire/send-budget.ts';
import { isServed, type ListenOptions, type LocalListener, listenLocal } from '../../wire/transport/local-socket.ts';
import { StreamTransport } from '../../wire/transport/stream-transport.ts';
import type { Host } from '../host.ts';
import { ConnectionService } from './connection-service.ts';
import type { ControlHooks } from './control-methods.ts';
import { RemoteHost } from './remote-host.ts';

const LONGEST_REQUEST_BYTES = 64 * 1024;
/** A connection without a request is closed after this time. */
const FIRST_REQUEST_MS = 5_000;

/** Limits per connection. A person may take up to a day to answer a question. */
const limits = {
  askTimeoutMs: 24 * 60 * 60_000,
  maxSuspended: 256,
  maxSuspendedBytes: 64 * 1024 * 1024,
  maxConcurrent: 64,
};

/** Limit of unread answers of one client. Above it, the client's further requests are not started until it has read half of them. */
const MOST_UNREAD_CHARS = 8 * 1024 * 1024;
/** Limit of unread answers of all clients together. Above it, requests of clients with unread answers are not started. */
const MOST_UNREAD_CHARS_OF_ALL = 128 * 1024 * 1024;
/**
 * Limit of connections. Only the owner's programs can connect; this limits a program that does not close its
 * connections.
 */
const MOST_CONNECTIONS = 1_000;
/** Number of further connections that get an error instead of being dropped. */
const MOST_REFUSED = 64;
/** Limit of the wait for the lock: longer than the timeout of a connection to a hanging host. */
const LOCKED_MS = 60_000;
/** Time for the program that started the host to connect on a busy machine. If the host ended earlier, it would be started again. */
const FIRST_CLIENT_MS = 30_000;
/** Interval of checks for pending answers after a client has sent its last request. */
const LOOK_MS = 20;

export interface ControlOptions extends ControlHooks {
  /** Called when no program has been connected for `idleMs`; before the first connection, for at least 30 s. */
  onIdle?: (() => void) | undefined;
  idleMs?: number | undefined;
  /** Layers around the service of each connection. The first one receives a request first. */
  layers?: readonly ServiceLayer[] | undefined;
  maxConnections?: number;
  /** Limit of unread answers of all clients together. */
  maxUnreadChars?: number;
  clock?: Clock;
}

export interface ControlServer {
  path: string;
  close(): Promise<void>;
}

/** The user who runs the host. Names of other principals do not begin with `user:`, because names of tokens have no colon. */
export function ownPrincipal(): string {
  try {
    return `user:${userInfo().username}`;
  } catch {
    return `user:${process.getuid?.()}`; // a container may run as a user without a name
  }
}

export async function serveControl(host: Host, path: string, options: ControlOptions = {}): Promise<ControlServer> {
  const { clock = systemClock, maxUnreadChars = MOST_UNREAD_CHARS_OF_ALL } = options;
  const { maxConnections = MOST_CONNECTIONS, idleMs, onIdle, layers = [] } = options;
  const unread = { maxQueuedChars: MOST_UNREAD_CHARS, budget: new SendBudget(maxUnreadChars) };
  const principal = ownPrincipal();
  const adapters = new Set<Promise<ClientAdapter>>();
  /** Runs while no program is connected. */
  let idle: Timer | undefined;
  const startIdle = (leastMs = 0) => {
    idle?.cancel();
    if (idleMs !== undefined && onIdle) idle = clock.after(Math.max(idleMs, leastMs), onIdle);
  };

  const accept = (socket: Socket): void => {
    if (adapters.size >= maxConnections) return refuseConnection(socket, tooMany(maxConnections), clock);
    const service = new ConnectionService(host, options);
    const client = newClient(principal);
    const observer = host.clients.observe(client, { door: 'socket' });
    // Only the owner's programs can connect: they may see all details of an error.
    const served = new ClientAdapters(compose(service, ...layers), { exposeErrors: true, ...limits }).connect(
      StreamTransport.over(socket, { observer, ...unread }),
      client,
      observer,
    );
    adapters.add(served);
    idle?.cancel();
    void served.then(async (adapter) => {
      service.notifyClient = (method, params) => void adapter.peer.notify(method, params).catch(() => undefined); // fails if the client has disconnected
      // The name of the connection in the flow, so that a watching program finds its own requests there.
      adapter.peer.handle('standpipe/use', (params) =>
        exposed(() => ({ ...service.use(params), client: observer.name })),
      );
      adapter.peer.onNotification('standpipe/end', () => closeWhenAnswered(adapter, clock));
      await adapter.closed;
      service.close();
      adapters.delete(served);
      if (adapters.size === 0) startIdle();
    });
  };

  const listener = await listen(path, accept, {
    maxConnections: maxConnections + MOST_REFUSED,
    // An error of the socket, such as too many open files. The host continues.
    onerror: (error) => process.emitWarning(`Error on the socket of the host: ${error.message}`),
  });
  startIdle(FIRST_CLIENT_MS);
  return {
    path,
    async close() {
      idle?.cancel();
      listener.close();
      await Promise.all([...adapters].map(async (served) => (await served).close()));
    },
  };
}

/** Called after the last request of a client. A client that only closes its half of the connection looks like a killed one. */
function closeWhenAnswered(adapter: ClientAdapter, clock: Clock): void {
  adapter.peer.onending?.();
  const look = (): void => {
    if (adapter.peer.serving === 0) void adapter.close();
    else clock.after(LOOK_MS, look).keepAlive(false);
  };
  look();
}

function exposed<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw toRpcError(error);
  }
}

function tooMany(connections: number): RpcError {
  return new RpcError(RpcCode.serverBusy, `The host has ${connections} connections already`, undefined, {
    hint: 'Close programs that use it, or start another host with a copy of the config.',
  });
}

type Accept = (socket: Socket) => void;

/** Replaces only a socket that is no longer served, so that two hosts never remove each other's socket. */
async function listen(path: string, accept: Accept, options: ListenOptions): Promise<LocalListener> {
  const listener = await withFileLock(path, () => takePlace(path, accept, options), systemClock, LOCKED_MS).catch(
    (error: unknown) => {
      throw error instanceof StandpipeError ? error : notListening(path, toError(error));
    },
  );
  if (!listener) throw await alreadyRunning(path);
  return listener;
}

/** Resolves to undefined if another host listens. */
async function takePlace(path: string, accept: Accept, options: ListenOptions): Promise<LocalListener | undefined> {
  if (await isServed(path)) return undefined;
  await rm(path, { force: true });
  // Other users must not be able to open the socket, not even between its creation and a change of its mode.
  const umask = process.umask(0o177);
  const listening = listenLocal(path, accept, options);
  process.umask(umask);
  return listening.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') return undefined;
    throw error;
  });
}

function notListening(path: string, cause: Error): UsageError {
  return new UsageError('RUNTIME_FOLDER_UNUSABLE', `The host cannot listen at ${path}: ${cause.message}`, {
    hint: `Set ${process.platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_RUNTIME_DIR'} to a folder of your own with a short path that you can write to.`,
    cause,
  });
}

async function alreadyRunning(path: string): Promise<UsageError> {
  const other = await RemoteHost.connect(path).catch(() => undefined); // a host of another version does not report its pid
  const pid = (await other?.status())?.pid;
  await other?.close();
  const which = pid === undefined ? '' : ` (pid ${pid})`;
  return new UsageError('HOST_ALREADY_RUNNING', `A host for this config or node is already running${which}`, {
    hint: `Use it (\`${ownCommand} ls\`), or stop it first (\`${ownCommand} down\`). A second host needs another config; a node without a config needs another --node name.`,
  });
}

/** Answers the first request with the reason before closing: a connection that closes without an answer looks like a crashed host. */
function refuseConnection(socket: Socket, reason: Error, clock: Clock): void {
  const { rpcCode: code, message, data } = toRpcError(reason);
  const transport = StreamTransport.over(socket, { maxFrameBytes: LONGEST_REQUEST_BYTES });
  const timer = clock.after(FIRST_REQUEST_MS, () => socket.destroy());
  timer.keepAlive(false);
  socket.once('close', () => timer.cancel());
  transport.onmessage = (request) => {
    if (!('method' in request && 'id' in request)) return;
    void transport.send({ jsonrpc: '2.0', id: request.id, error: { code, message, data } }).catch(() => undefined); // fails if the client has disconnected
    void transport.close();
  };
  void transport.start();
}
