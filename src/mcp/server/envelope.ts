// 2026-07-28: what a request says about itself in `_meta`, read and checked.

import { CLIENT_CAPABILITIES, CLIENT_INFO, isLogLevel, LOG_LEVEL, PROTOCOL_VERSION } from '../meta.ts';
import { invalidParams, unsupportedVersion } from '../protocol-errors.ts';
import { isModernRevision } from '../revisions.ts';
import type { ClientCapabilities, Implementation } from '../types.ts';
import type { ClientContext } from './call.ts';

export function readEnvelope(meta: Record<string, unknown>): ClientContext {
  const revision = meta[PROTOCOL_VERSION];
  if (!isModernRevision(revision)) throw unsupportedVersion(String(revision));
  const capabilities = meta[CLIENT_CAPABILITIES];
  if (typeof capabilities !== 'object' || capabilities === null) {
    throw invalidParams(`"_meta" needs "${CLIENT_CAPABILITIES}", an object`, { missing: CLIENT_CAPABILITIES });
  }
  const logLevel = meta[LOG_LEVEL];
  if (logLevel !== undefined && !isLogLevel(logLevel)) {
    throw invalidParams(`Unknown log level ${JSON.stringify(logLevel)} in "${LOG_LEVEL}"`);
  }
  const info = meta[CLIENT_INFO] as Implementation | undefined;
  return { revision, capabilities: capabilities as ClientCapabilities, info, logLevel };
}
