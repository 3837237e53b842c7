// The names of the `_meta` members of 2026-07-28, and those that Standpipe adds.

import type { ClientCapabilities, Implementation, LogLevel, Meta } from './types.ts';

export const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
export const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
export const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

/** Prefix of all `_meta` names that Standpipe adds. */
export const OWN_PREFIX = 'dev.standpipe/';

/** Limits that a Standpipe client sets for a request. They are meant for the next service only and are not passed on. */
export const CALL_OPTIONS = 'dev.standpipe/call';

export interface CallLimits {
  /** The maximum time without an answer or progress. */
  timeoutMs?: number;
  /** The maximum total time of the request, regardless of progress. */
  totalTimeoutMs?: number;
  /** Whether the request may run twice. */
  repeatable?: boolean;
  /** Whether a list must be read again even if a known one is valid. */
  fresh?: boolean;
}

/** In a request, `true` asks which process answers it. In its result: that process (`ProcessIdentity`). */
export const RAN = 'dev.standpipe/ran';

/** The description of the sender that every modern request carries. */
export interface RequestEnvelope {
  [PROTOCOL_VERSION_KEY]: string;
  [CLIENT_CAPABILITIES]: ClientCapabilities;
  [CLIENT_INFO]?: Implementation;
  [LOG_LEVEL]?: LogLevel;
}

export const logLevels: readonly LogLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** Log level for clients of revision 2025-11-25 or earlier until they set one. */
export const DEFAULT_LOG_LEVEL: LogLevel = 'info';

export function isLogLevel(text: unknown): text is LogLevel {
  return logLevels.includes(text as LogLevel);
}

/** Whether a message of `level` is for a client that wants `wanted` and above. A message without a valid level is for all. */
export function reaches(level: unknown, wanted: LogLevel): boolean {
  return !isLogLevel(level) || logLevels.indexOf(level) >= logLevels.indexOf(wanted);
}

/** The level that includes all of the given ones; undefined if there are none. */
export function mostVerbose(levels: Iterable<LogLevel>): LogLevel | undefined {
  const wanted = new Set(levels);
  return logLevels.find((level) => wanted.has(level));
}

const envelopeKeys: readonly string[] = [PROTOCOL_VERSION_KEY, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL];

/** The `_meta` of a modern request without its envelope. */
export function withoutEnvelope(meta: Meta): Meta {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !envelopeKeys.includes(key)));
}
