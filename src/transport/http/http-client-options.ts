// What a client of a remote server can be set to, and the limits that hold unless it says otherwise.

import type { WireOptions } from '../wire.ts';
import type { AnyAuthProvider } from './auth-provider.ts';
import type { Authorizer } from './authorizer.ts';

export interface HttpClientOptions
  extends Pick<WireOptions, 'maxFrameBytes' | 'maxFrameValues' | 'maxQueuedChars' | 'clock' | 'observer'> {
  /** User and password in it are sent as `Authorization: Basic …`. */
  url: string | URL;
  /** Sent with every request. Their values are masked in everything that people read. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** `auto`: Streamable HTTP, and HTTP+SSE of 2024-11-05 where a server refuses that. */
  transport?: 'auto' | 'http' | 'sse' | undefined;
  authorizer?: Authorizer | undefined;
  /** One of the official client, in place of `authorizer`. */
  authProvider?: AnyAuthProvider | undefined;
  /** Further values to mask. */
  secrets?: readonly string[] | undefined;
  /** Certificates of authorities to trust instead of the known ones, as PEM. `NODE_EXTRA_CA_CERTS` adds to those. */
  ca?: string | Buffer | readonly (string | Buffer)[] | undefined;
  /** How long a connection may take to be made, TLS included. */
  connectTimeoutMs?: number | undefined;
  /** How many requests may be under way; more of them wait. */
  maxConcurrent?: number | undefined;
  /** How many may wait; more are refused. */
  maxQueued?: number | undefined;
}

export const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
export const DEFAULT_CONNECT_TIMEOUT_MS = 30_000;
export const DEFAULT_MAX_CONCURRENT = 128;
export const DEFAULT_MAX_QUEUED = 4096;
export const DEFAULT_MAX_QUEUED_CHARS = 64 * 1024 * 1024;
/** For messages that are no request: those have the timeout of their caller. */
export const NOTIFICATION_TIMEOUT_MS = 30_000;
