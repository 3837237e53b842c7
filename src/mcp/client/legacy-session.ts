// 2024-11-05 to 2025-11-25: requests as they are, in a session that `initialize` opened.

import { RpcError } from '../../base/errors.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import type { LegacyRevision } from '../revisions.ts';
import type { LogLevel } from '../types.ts';
import type { CallOptions } from './options.ts';
import type { Session } from './session.ts';
import type { Warn } from './warnings.ts';

export class LegacySession implements Session {
  readonly era = 'legacy';
  readonly revision: LegacyRevision;
  readonly #peer: Peer;
  readonly #warn: Warn;

  constructor(peer: Peer, revision: LegacyRevision, warn: Warn) {
    this.#peer = peer;
    this.revision = revision;
    this.#warn = warn;
  }

  request(method: string, params: Record<string, unknown>, options?: CallOptions): Promise<unknown> {
    if (options?.meta) params._meta = options.meta;
    if (options?.logLevel) {
      this.#warn('log-level-ignored', `Revision ${this.revision} has no log level for one request: use setLogLevel`);
    }
    return this.#peer.request(method, params, options);
  }

  async ping(options?: CallOptions): Promise<void> {
    try {
      await this.#peer.request('ping', undefined, options);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      this.#warn('ping-refused', `The server answers ping with an error (${error.message}); it is running`);
    }
  }

  async setLogLevel(level: LogLevel, options?: CallOptions): Promise<void> {
    await this.request('logging/setLevel', { level }, options);
  }
}
