// The `_meta` members that 2026-07-28 puts on every message, by name.

import type { ClientCapabilities, Implementation, LogLevel, Meta } from './types.ts';

export const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
export const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
export const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

/** Ours: what a client of ours allows for a request. It is meant for the next service alone and is not passed on. */
export const CALL_OPTIONS = 'dev.standpipe/call';

export interface CallOptions {
  /** How long the service may be silent. */
  timeoutMs?: number;
  /** How long the request may take in all, progress or not. */
  totalTimeoutMs?: number;
  /** The client permits that the request runs twice. */
  repeatable?: boolean;
}

/** Ours. Of a request: `true` asks which process answers it. Of its result: the process (`ProcessIdentity`). */
export const RAN = 'dev.standpipe/ran';

/** Ours: between the nodes of a fleet, the client that a request came from, as the node knows it that it is connected to. */
export const CALLER = 'dev.standpipe/caller';

export interface CallerRecord {
  id: string;
  principal?: string | undefined;
  affinity: string;
  /** As in `ClientFacts`. */
  watchesLogs?: boolean | undefined;
}

/**
 * Ours: between the nodes of a fleet, in the filter of `subscriptions/listen`: log messages that belong to no request. 2026-07-28 has
 * none; clients and servers of earlier revisions have.
 */
export const LOGS = 'dev.standpipe/logs';

export interface LogsFilter {
  /** The least level that is wanted. */
  level: LogLevel;
  /** The level that clients chose. */
  chosen?: LogLevel | undefined;
}

/** What every modern request says about its sender. */
export interface RequestEnvelope {
  [PROTOCOL_VERSION]: string;
  [CLIENT_CAPABILITIES]: ClientCapabilities;
  [CLIENT_INFO]?: Implementation;
  [LOG_LEVEL]?: LogLevel;
  [CALLER]?: CallerRecord;
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

/** What a client of 2025-11-25 or before gets until it chooses a level. */
export const DEFAULT_LOG_LEVEL: LogLevel = 'info';

export function isLogLevel(text: unknown): text is LogLevel {
  return logLevels.includes(text as LogLevel);
}

/** Whether a message of `level` is for a client that asked for `wanted` and above. One without a known level is for all. */
export function reaches(level: unknown, wanted: LogLevel): boolean {
  return !isLogLevel(level) || logLevels.indexOf(level) >= logLevels.indexOf(wanted);
}

/** The level that includes all of them; undefined if there are none. */
export function mostVerbose(levels: Iterable<LogLevel>): LogLevel | undefined {
  const wanted = new Set(levels);
  return logLevels.find((level) => wanted.has(level));
}

const envelopeKeys: readonly string[] = [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, CALLER];

/** What a modern request says beside its envelope. */
export function withoutEnvelope(meta: Meta): Meta {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !envelopeKeys.includes(key)));
}
