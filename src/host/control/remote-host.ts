// A host in another process, reached through its socket: one MCP connection for each server in use, and one for the merged servers
// and the `standpipe/…` methods. The host applies the limits and timeouts of each server. Timeouts of this side are only for a hanging host.

import { systemClock } from '../../base/clock.ts';
import { fromRpcError } from '../../base/error-json.ts';
import { PeerError, RpcCode, RpcError } from '../../base/errors.ts';
import { metaOf } from '../../base/json-object.ts';
import { ModernSession, makeEnvelope } from '../../mcp/client/session/modern-session.ts';
import { CALL_OPTIONS, SERVER_INFO } from '../../mcp/meta.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import { NEWEST_MODERN } from '../../mcp/revisions.ts';
import type { Caller, Params, Service, ServiceFacts } from '../../mcp/service.ts';
import type { Implementation, ServerCapabilities } from '../../mcp/types.ts';
import { LARGEST_MAX_FRAME_BYTES } from '../../wire/framing/framing.ts';
import { Peer } from '../../wire/jsonrpc/peer.ts';
import { StreamTransport } from '../../wire/transport/stream-transport.ts';
import { PassedCaller } from '../services/passed-caller.ts';
import type { Unanswered } from '../services/process-service.ts';
import { typedClient, undescribed } from '../services/typed-client.ts';
import { connectHost, otherVersion } from './connect-host.ts';
import type { ControlMethod, ControlResults, HostStatus } from './control-methods.ts';
import { HostAccess } from './host-access.ts';

const PATIENCE_MS = 24 * 60 * 60_000;
/** The host answers a status request at once, unless its process is suspended. */
const STATUS_MS = 5_000;

const envelope = makeEnvelope(NEWEST_MODERN, ownInfo, {});

export class RemoteHost extends HostAccess {
  /** Limit of the wait for a server that is not ready, and for an answer, for requests without their own limit. */
  timeoutMs: number | undefined;
  /** Called with each question from a server that the host declined on behalf of this program. */
  onUnanswered: ((question: Unanswered) => void) | undefined;
  /** The socket of the host. */
  readonly path: string;
  readonly #peer: Peer;
  /** The status that was read while connecting. Dropped as soon as anything else is requested. */
  #first: HostStatus | undefined;
  readonly #sessions = new Map<string | undefined, Promise<ModernSession>>();
  /** Resolves when the session has the name of its connection in the flow of the host, for observers. */
  readonly #named = new WeakMap<ModernSession, Promise<void>>();

  private constructor(path: string, peer: Peer, first: HostStatus) {
    super();
    this.path = path;
    this.#peer = peer;
    this.#first = first;
    this.#sessions.set(undefined, Promise.resolve(this.#sessionOf(peer)));
  }

  /** Resolves to undefined if no host listens. Rejects with HOST_VERSION if the host has another version. */
  static async connect(path: string): Promise<RemoteHost | undefined> {
    const peer = await openPeer(path);
    if (!peer) return undefined; // no host runs, or it left its socket behind
    try {
      return new RemoteHost(path, peer, await firstStatus(peer));
    } catch (error) {
      await peer.close();
      throw fromRpcError(error);
    }
  }

  override async status(): Promise<HostStatus> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? askStatus(this.#peer);
  }

  async control<M extends ControlMethod>(method: M, params: Params = {}): Promise<ControlResults[M]> {
    this.#first = undefined;
    try {
      const { timeoutMs } = this;
      return await this.#peer.request<ControlResults[M]>(method, { ...params, _meta: envelope }, { timeoutMs });
    } catch (error) {
      throw fromRpcError(error);
    }
  }

  service(server?: string): Service {
    const use = async <T>(run: (session: ModernSession) => T): Promise<Awaited<T>> => {
      try {
        return await run(await this.#session(server));
      } catch (error) {
        throw fromRpcError(error);
      }
    };
    const service: Service = {
      describe: () => described(service),
      request: (method, params, caller) => {
        const sent = withOptions(params, caller, this.timeoutMs);
        return use(async (session) => {
          if (caller.link) await this.#named.get(session);
          return session.request(method, sent, new UntimedCaller(caller));
        });
      },
      notify: () => undefined, // a notification concerns one client, and the servers are shared by all
      watch: (watcher) => use((session) => session.watch(watcher)),
    };
    return service;
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()].map((session) => session.then((opened) => opened.close()));
    await Promise.allSettled(sessions);
  }

  #session(server: string | undefined): Promise<ModernSession> {
    this.#first = undefined;
    const known = this.#sessions.get(server);
    if (known) return known;
    const opening = this.#open(server);
    this.#sessions.set(server, opening);
    opening.catch(() => this.#sessions.delete(server));
    return opening;
  }

  async #open(server: string | undefined): Promise<ModernSession> {
    const peer = await openPeer(this.path);
    if (!peer) throw new PeerError('CONNECTION_CLOSED', 'The host has ended');
    // The host handles requests in order, so the answer need not be awaited. The answer to the next request reports an invalid choice.
    const chosen = peer.request<Params>('standpipe/use', { server, _meta: envelope }).catch(() => undefined);
    const session = this.#sessionOf(peer);
    this.#named.set(
      session,
      chosen.then((answer) => nameWire(session, answer?.client)),
    );
    session.closed.addEventListener('abort', () => this.#sessions.delete(server), { once: true });
    return session;
  }

  #sessionOf(peer: Peer): ModernSession {
    peer.onNotification('standpipe/unanswered', (question) => this.onUnanswered?.(question as unknown as Unanswered));
    return new ModernSession(peer, undescribed, {}, systemClock, () => undefined);
  }
}

/** The connection is a client of the host, which is recorded under this name. A host of an earlier version does not tell it. */
function nameWire(session: ModernSession, client: unknown): void {
  if (typeof client === 'string') session.wire = { server: client, life: 1 };
}

async function openPeer(path: string): Promise<Peer | undefined> {
  const socket = await connectHost(path);
  if (!socket) return undefined;
  const limits = { maxFrameBytes: LARGEST_MAX_FRAME_BYTES, maxFrameValues: LARGEST_MAX_FRAME_BYTES };
  const peer = new Peer(StreamTransport.over(socket, limits), { requestTimeoutMs: PATIENCE_MS });
  await peer.start();
  return peer;
}

async function described(service: Service): Promise<ServiceFacts> {
  const discovered = await typedClient(service).request('server/discover');
  const { capabilities, instructions } = discovered;
  return {
    info: (metaOf(discovered)?.[SERVER_INFO] as Implementation | undefined) ?? ownInfo,
    capabilities: capabilities as ServerCapabilities,
    instructions: instructions as string | undefined,
  };
}

/** The host at the other end applies the timeouts of the caller. */
class UntimedCaller extends PassedCaller {
  override get options(): undefined {
    return undefined;
  }
}

function withOptions(params: Params, { options }: Caller, usualMs: number | undefined): Params {
  const { timeoutMs = usualMs, totalTimeoutMs, repeatable, fresh } = options ?? {};
  const sent = { timeoutMs, totalTimeoutMs, repeatable, fresh };
  if (Object.values(sent).every((value) => value === undefined)) return params;
  return { ...params, _meta: { ...metaOf(params), [CALL_OPTIONS]: sent } };
}

function askStatus(peer: Peer): Promise<HostStatus> {
  return peer.request<HostStatus>('standpipe/status', { _meta: envelope }, { timeoutMs: STATUS_MS });
}

async function firstStatus(peer: Peer): Promise<HostStatus> {
  const status = await askStatus(peer).catch((error: unknown) => {
    if (error instanceof RpcError && error.rpcCode === RpcCode.methodNotFound) throw otherVersion({});
    throw error;
  });
  const other = otherVersion(status);
  if (other) throw other;
  return status;
}
