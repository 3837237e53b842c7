// Entries of servers that are reached over the network. They are valid, but there is nothing to run.

import { didYouMean } from '../nearest.ts';
import type { Findings, Position } from '../problem.ts';
import type { Fields } from './fields.ts';
import { remoteKeys } from './known-keys.ts';

/** Values of `type` for servers that the host starts. */
const stdioTypes = ['stdio', 'local'];
const remoteTypes = ['http', 'sse', 'streamable-http', 'streamableHttp', 'ws', 'websocket', 'remote'];

export function remoteReason(
  fields: Fields,
  findings: Findings,
): { at: Position; message: string; suggestion: string } | undefined {
  const suggestion = 'Standpipe runs servers over stdio. Use a bridge such as "npx mcp-remote <url>".';
  const type = fields.text('type');
  if (type && remoteTypes.includes(type.text)) {
    return {
      at: type.at,
      message: `Servers of type "${type.text}" do not use stdio: this entry is ignored`,
      suggestion,
    };
  }
  if (type && !stdioTypes.includes(type.text)) {
    findings.error(type.at, `"type" must be "stdio"`, didYouMean(type.text, [...stdioTypes, ...remoteTypes]));
  }
  const url = remoteKeys.find((key) => fields.has(key));
  if (!url || fields.has('command')) return undefined;
  return {
    at: fields.keyAt(url),
    message: `Servers with a "${url}" do not use stdio: this entry is ignored`,
    suggestion,
  };
}
