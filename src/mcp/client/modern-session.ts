// 2026-07-28: every request says in its `_meta` who sends it and what he can do. Nothing is remembered by the server, and
// nothing is ever answered by us.

import type { Clock } from '../../base/clock.ts';
import { PeerError, RpcError } from '../../base/errors.ts';
import type { Channel } from '../../jsonrpc/channel.ts';
import type { JsonRpcMessage } from '../../jsonrpc/message.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION, type RequestEnvelope } from '../meta.ts';
import type { ModernRevision } from '../revisions.ts';
import type { ClientCapabilities, Implementation, InputRequiredResult, LogLevel } from '../types.ts';
import { finishRounds } from './input-rounds.ts';
import { asResult } from './lenient.ts';
import type { CallOptions, InputHandlers } from './options.ts';
import type { Session } from './session.ts';
import type { Warn } from './warnings.ts';

/** The only requests that may come back with questions. */
const mayAsk = new Set(['tools/call', 'prompts/get', 'resources/read']);

export interface ModernSessionOptions {
  handlers: InputHandlers;
  maxInputRounds: number;
  clock: Clock;
  /** Aborts with the connection. */
  closed: AbortSignal;
}

export class ModernSession implements Session {
  readonly era = 'modern';
  readonly revision: ModernRevision;
  /** Built once and sent with every request that needs nothing special. */
  envelope: RequestEnvelope;
  readonly #peer: Peer;
  readonly #options: ModernSessionOptions;

  constructor(peer: Peer, revision: ModernRevision, envelope: RequestEnvelope, options: ModernSessionOptions) {
    this.#peer = peer;
    this.revision = revision;
    this.envelope = envelope;
    this.#options = options;
  }

  async request(method: string, params: Record<string, unknown>, options?: CallOptions): Promise<unknown> {
    params._meta = options && (options.meta || options.logLevel) ? this.#metaOf(options) : this.envelope;
    const startedMs = options?.totalTimeoutMs === undefined ? 0 : this.#options.clock.nowMs();
    const result = asResult(await this.#peer.request(method, params, options), method);
    // "Absent" is for servers of earlier revisions; it costs nothing to understand it here.
    if (result.resultType === 'complete' || result.resultType === undefined) return result;
    if (result.resultType !== 'input_required' || !mayAsk.has(method)) throw unexpectedType(method, result.resultType);
    return finishRounds(result as unknown as InputRequiredResult, {
      ...this.#options,
      method,
      params,
      options,
      startedMs,
      send: async (next, nextOptions) => asResult(await this.#peer.request(method, next, nextOptions), method),
      lost: () => this.#peer.lost(method),
      unexpected: (type) => unexpectedType(method, type),
    });
  }

  /** The revision has no `ping`. "Servers MUST implement `server/discover`", and any answer shows that the server is there. */
  async ping(options?: CallOptions): Promise<void> {
    await this.#peer.request('server/discover', { _meta: this.envelope }, options).catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error;
    });
  }

  /** The revision has no session to set it for: it goes along with every request from now on. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.envelope = { ...this.envelope, [LOG_LEVEL]: level };
  }

  #metaOf({ meta, logLevel }: CallOptions): object {
    return { ...meta, ...this.envelope, ...(logLevel && { [LOG_LEVEL]: logLevel }) };
  }
}

export function makeEnvelope(
  revision: ModernRevision,
  info: Implementation,
  capabilities: ClientCapabilities,
): RequestEnvelope {
  return { [PROTOCOL_VERSION]: revision, [CLIENT_INFO]: info, [CLIENT_CAPABILITIES]: capabilities };
}

/**
 * "Clients MUST NOT write JSON-RPC responses" and servers no requests: one that comes nevertheless stops here, before the
 * peer would answer it.
 */
export function ignoreRequests(channel: Channel, warn: Warn): void {
  const deliver = channel.onmessage as
    | ((message: JsonRpcMessage, extra?: never, frameBytes?: number) => void)
    | undefined;
  channel.onmessage = (message: JsonRpcMessage, extra?: never, frameBytes?: number) => {
    if ('method' in message && 'id' in message) {
      const { method } = message;
      warn('request-ignored', `The server sent the request ${method}, which 2026-07-28 forbids; it got no answer`);
    } else deliver?.(message, extra, frameBytes);
  };
}

function unexpectedType(method: string, type: unknown): PeerError {
  return new PeerError('RESULT_INVALID', `The server answered ${method} with the resultType ${JSON.stringify(type)}`, {
    hint:
      type === 'input_required'
        ? 'Only tools/call, prompts/get and resources/read may ask for input.'
        : 'It belongs to an extension that this client did not declare, or to a newer revision.',
  });
}
