// The socket of a running host: other programs of the same user ask it what runs, and let it call, start and stop for
// them, instead of starting everything anew. JSON-RPC over a Unix socket that only its owner may open.

import { rm } from 'node:fs/promises';
import { createServer, type Server as SocketServer } from 'node:net';
import { describeError, toRpcError } from '../base/error-json.ts';
import { StandpipeError, toError, UsageError } from '../base/errors.ts';
import type { InboundCall } from '../jsonrpc/inbound.ts';
import { Peer } from '../jsonrpc/peer.ts';
import type { ElicitResult } from '../mcp/types.ts';
import { withFileLock } from '../process/files/file-lock.ts';
import { isServed, listenLocal } from '../transport/local-socket.ts';
import { StreamTransport } from '../transport/stream-transport.ts';
import type { Caller, CallerQuestions } from './caller-questions.ts';
import type { CallSettings, HostApi } from './host-api.ts';
import { RemoteHost } from './remote-host.ts';

interface Asked {
  server: string;
  tool: string;
  name: string;
  uri: string;
  args?: Record<string, never>;
  timeoutMs?: number;
  repeatable?: boolean;
  start?: boolean;
  seq?: number;
  /** The caller can put questions of the server to a person. */
  answers?: boolean;
}

type Method = (host: HostApi, asked: Asked, settings: CallSettings) => unknown;

const methods: Record<string, Method> = {
  'host/status': async (host) => ({ servers: await host.status() }),
  'host/about': (host) => host.about(),
  'host/warnings': async (host, { server }) => ({ warnings: await host.warnings(server) }),
  'host/stderrSince': async (host, { server, seq }) => ({ text: await host.stderrSince(server, seq ?? 0) }),
  'host/rejected': async (host) => ({ problems: await host.rejected() }),
  'host/tools': async (host, { start }) => {
    const { tools, failed } = await host.tools({ start });
    return { tools, failed: failed.map(({ server, error }) => ({ server, error: describeError(error) })) };
  },
  'host/listTools': async (host, { server }) => ({ tools: await host.listTools(server) }),
  'host/listResources': (host, { server }) => host.listResources(server),
  'host/listPrompts': async (host, { server }) => ({ prompts: await host.listPrompts(server) }),
  'host/callTool': (host, { server, tool, args }, settings) => host.callTool(server, tool, args, settings),
  'host/readResource': (host, { server, uri }, settings) => host.readResource(server, uri, settings),
  'host/getPrompt': (host, { server, name, args }, settings) => host.getPrompt(server, name, args, settings),
  'host/start': (host, { server }) => host.startServer(server),
  'host/stop': (host, { server }) => host.stopServer(server),
  'host/restart': (host, { server }) => host.restartServer(server),
};

/** While these run, the server may ask something. */
const calling = new Set(['host/callTool', 'host/readResource', 'host/getPrompt']);
/** A person may take as long as the server waits. */
const ANSWER_MS = 24 * 60 * 60_000;

/** Only programs of the owner can connect at all: this is for one that forgets to close. */
const MOST_CALLERS = 256;

export interface ControlServer {
  path: string;
  close(): Promise<void>;
}

export interface ControlOptions {
  /** Another program asks the host to end. */
  onDown?: () => void;
  /** Where questions of servers are asked of callers. */
  questions?: CallerQuestions;
}

export async function serveControl(
  host: HostApi,
  path: string,
  { onDown, questions }: ControlOptions = {},
): Promise<ControlServer> {
  const peers = new Set<Peer>();
  const listener = createServer((socket) => {
    const peer = new Peer(StreamTransport.over(socket));
    for (const [method, run] of Object.entries(methods)) {
      peer.handle<Asked>(method, (asked, call) => {
        const over = calling.has(method) ? questions?.during(asked.server, callerOf(asked, peer)) : undefined;
        return answer(host, run, asked, call, peer).finally(over);
      });
    }
    if (onDown) {
      peer.handle('host/down', () => {
        setImmediate(onDown); // the answer leaves first
        return { pid: process.pid };
      });
    }
    peers.add(peer);
    peer.onclose = () => peers.delete(peer);
    void peer.start();
  });
  listener.maxConnections = MOST_CALLERS;
  await listen(listener, path);
  // Too many open files, say: this caller gets nothing, and the host goes on.
  listener.on('error', (error) => process.emitWarning(`The socket of the host: ${error.message}`));
  return {
    path,
    async close() {
      listener.close();
      await Promise.all([...peers].map((peer) => peer.close()));
    },
  };
}

function callerOf({ server, answers }: Asked, peer: Peer): Caller {
  return {
    ask: answers
      ? (params, { signal }) =>
          peer
            .request<ElicitResult>('host/elicit', { server, params }, { timeoutMs: ANSWER_MS, signal })
            .catch(() => ({ action: 'cancel' })) // the caller is gone
      : undefined,
    unanswered: (question) => void peer.notify('host/unanswered', { ...question }).catch(() => undefined), // it is gone
  };
}

async function answer(host: HostApi, run: Method, asked: Asked, call: InboundCall, peer: Peer): Promise<unknown> {
  const { timeoutMs, repeatable } = asked;
  const progressToken = (call.request.params?._meta as { progressToken?: unknown } | undefined)?.progressToken;
  const onProgress =
    progressToken === undefined
      ? undefined
      : (progress: object) =>
          void peer.notify('notifications/progress', { ...progress, progressToken }).catch(() => undefined); // the caller is gone
  try {
    return await run(host, asked, { timeoutMs, repeatable, onProgress, signal: call.signal });
  } catch (error) {
    throw toRpcError(error);
  }
}

/** Takes the place of a socket that nobody serves any more, and of no other: two hosts never remove each other's. */
function listen(listener: SocketServer, path: string): Promise<void> {
  // A named pipe is gone with whoever served it, and the system gives it to one alone.
  if (process.platform === 'win32') return takePlace(listener, path);
  return withFileLock(path, () => takePlace(listener, path)).catch((error: unknown) => {
    throw error instanceof StandpipeError ? error : notListening(path, toError(error));
  });
}

async function takePlace(listener: SocketServer, path: string): Promise<void> {
  if (await isServed(path)) throw await alreadyRunning(path);
  if (process.platform !== 'win32') await rm(path, { force: true });
  // Nobody else may open the socket, not even in the moment between its making and the change of its mode.
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
  const other = await RemoteHost.connect(path);
  const pid = (await other?.about().catch(() => undefined))?.pid; // one of an earlier version does not say
  await other?.close();
  const which = pid === undefined ? '' : ` (pid ${pid})`;
  return new UsageError('HOST_ALREADY_RUNNING', `A host for this config is running already${which}`, {
    hint: 'Use it (`standpipe ls`), or stop it first.',
  });
}
