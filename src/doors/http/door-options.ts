// The options of the HTTP door, with their defaults.

import { SHARED_MAX_FRAME_VALUES } from '../../base/count-json-values.ts';
import { DEFAULT_MAX_FRAME_BYTES } from '../../framing/framing.ts';
import type { ObserveClient } from '../../mcp/front/client-observer.ts';
import type { FrontOptions } from '../../mcp/front/fronts.ts';
import type { LimitOptions } from '../limits.ts';

export interface HttpDoorOptions extends FrontOptions, LimitOptions {
  /** The longest body of a request. 64 MiB unless given. */
  maxBodyBytes?: number;
  /** The most JSON values in a body. 250,000 unless given. */
  maxFrameValues?: number;
  /** How long a session may be unused. 30 minutes unless given. */
  sessionIdleMs?: number;
  /** How many characters of events a session keeps for a client that comes back. 4 Mi unless given. */
  maxKeptChars?: number;
  /** How often a quiet stream gets a comment, so that proxies keep it open. 15 s unless given. */
  keepAliveMs?: number;
  /** Sees the clients and their messages. */
  observeClient?: ObserveClient | undefined;
}

/** Those of the door alone. */
export type OwnOptions = Required<Omit<HttpDoorOptions, keyof FrontOptions | keyof LimitOptions | 'observeClient'>>;

export function withDefaults(options: HttpDoorOptions): OwnOptions {
  return {
    maxBodyBytes: options.maxBodyBytes ?? DEFAULT_MAX_FRAME_BYTES,
    maxFrameValues: options.maxFrameValues ?? SHARED_MAX_FRAME_VALUES,
    sessionIdleMs: options.sessionIdleMs ?? 30 * 60_000,
    maxKeptChars: options.maxKeptChars ?? 4 * 1024 * 1024,
    keepAliveMs: options.keepAliveMs ?? 15_000,
  };
}
