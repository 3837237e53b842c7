// Options of the HTTP client and their default limits.

import type { WireOptions } from '../../wire.ts';
import type { AnyAuthProvider } from './auth-provider.ts';
import type { Authorizer } from './authorizer.ts';

export interface HttpClientOptions
  extends Pick<WireOptions, 'maxFrameBytes' | 'maxFrameValues' | 'maxQueuedChars' | 'clock' | 'observer'> {
  /** A user and password in the URL are sent as `Authorization: Basic …`. */
  url: string | URL;
  /** Headers of every request. Their values are masked in messages and logs. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** `auto`: Streamable HTTP, with HTTP+SSE of 2024-11-05 as a fallback if the server refuses it. */
  transport?: 'auto' | 'http' | 'sse' | undefined;
  authorizer?: Authorizer | undefined;
  /** A provider of the official client, instead of `authorizer`. */
  authProvider?: AnyAuthProvider | undefined;
  /** Further values to mask. */
  secrets?: readonly string[] | undefined;
  /**
   * PEM certificates of trusted authorities, which replace the default ones. `NODE_EXTRA_CA_CERTS` adds to the
   * defaults.
   */
  ca?: string | Buffer | readonly (string | Buffer)[] | undefined;
  /** Limit for establishing a connection, including TLS. */
  connectTimeoutMs?: number | undefined;
  /** Maximum number of concurrent requests. Further requests are queued. */
  maxConcurrent?: number | undefined;
  /** Maximum number of queued requests. Further requests are refused. */
  maxQueued?: number | undefined;
}

export const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
export const DEFAULT_CONNECT_TIMEOUT_MS = 30_000;
export const DEFAULT_MAX_CONCURRENT = 128;
export const DEFAULT_MAX_QUEUED = 4096;
export const DEFAULT_MAX_QUEUED_CHARS = 64 * 1024 * 1024;
/** Applies to notifications and answers. Requests use the timeout of their caller. */
export const NOTIFICATION_TIMEOUT_MS = 30_000;
