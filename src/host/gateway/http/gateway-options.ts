// The options of the HTTP gateway and their defaults.

import { SHARED_MAX_FRAME_VALUES } from '../../../base/count-json-values.ts';
import type { ClientAdapterOptions } from '../../../mcp/adapter/client-adapters.ts';
import type { ObserveClient } from '../../../mcp/adapter/client-observer.ts';
import { DEFAULT_MAX_FRAME_BYTES } from '../../../wire/framing/framing.ts';
import type { LimitOptions } from '../limits.ts';

export interface HttpGatewayOptions extends ClientAdapterOptions, LimitOptions {
  /** Maximum size of a request body. Default: 64 MiB. */
  maxBodyBytes?: number;
  /** Maximum number of JSON values in a body. Default: 250,000. */
  maxFrameValues?: number;
  /** How long a session may be unused. Default: 30 minutes. */
  sessionIdleMs?: number;
  /** Maximum characters of events that a session keeps for a reconnecting client. Default: 4 Mi. */
  maxKeptChars?: number;
  /** Interval of comments on a quiet stream, so that proxies keep it open. Default: 15 s. */
  keepAliveMs?: number;
  /** Observes the clients and their messages. */
  observeClient?: ObserveClient | undefined;
}

/** The options that only the gateway uses. */
export type OwnOptions = Required<
  Omit<HttpGatewayOptions, keyof ClientAdapterOptions | keyof LimitOptions | 'observeClient'>
>;

export function withDefaults(options: HttpGatewayOptions): OwnOptions {
  return {
    maxBodyBytes: options.maxBodyBytes ?? DEFAULT_MAX_FRAME_BYTES,
    maxFrameValues: options.maxFrameValues ?? SHARED_MAX_FRAME_VALUES,
    sessionIdleMs: options.sessionIdleMs ?? 30 * 60_000,
    maxKeptChars: options.maxKeptChars ?? 4 * 1024 * 1024,
    keepAliveMs: options.keepAliveMs ?? 15_000,
  };
}
