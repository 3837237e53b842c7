// An entry of a remote server.

import { didYouMean } from '../nearest.ts';
import type { Findings } from '../problem.ts';
import {
  defaultRemoteSettings as defaults,
  type RemoteConfig,
  type RemoteTransport,
  type ServerSettings,
} from '../server-config.ts';
import type { Fields, Located } from './fields.ts';
import { addressKeys } from './known-keys.ts';
import { type OAuthDraft, readOAuth } from './oauth.ts';
import { readHeaders } from './remote-headers.ts';

export interface RemoteDraft {
  /** Members that need no expansion. */
  literal: Omit<RemoteConfig, 'url' | 'headers' | 'oauth' | 'ca' | 'secrets'>;
  url: Located;
  headers: ReadonlyMap<string, Located>;
  oauth: OAuthDraft | false;
  ca: Located | undefined;
  command?: undefined;
}

/** Values of `type` for servers that the host starts. */
const stdioTypes = ['stdio', 'local'];
const transportOf: ReadonlyMap<string, RemoteTransport> = new Map([
  ['http', 'http'],
  ['streamable-http', 'http'],
  ['streamableHttp', 'http'],
  ['streamable_http', 'http'],
  ['sse', 'sse'],
  ['remote', 'auto'],
]);
const webSocketTypes = ['ws', 'websocket'];

export function isRemote(fields: Fields, findings: Findings): boolean {
  const type = fields.text('type');
  const address = addressKeys.find((key) => fields.has(key));
  if (type && webSocketTypes.includes(type.text)) {
    const suggestion = 'Write "type": "http" and the https:// address of the server.';
    findings.error(type.at, 'MCP over WebSocket is not supported', suggestion);
  } else if (type && !stdioTypes.includes(type.text) && !transportOf.has(type.text)) {
    const types = [...stdioTypes, ...transportOf.keys()];
    findings.error(type.at, '"type" must be "stdio", "http" or "sse"', didYouMean(type.text, types));
  } else if (address && fields.has('command')) {
    const suggestion = 'Remove one of them, or make two entries.';
    findings.error(fields.keyAt(address), `An entry cannot have both "command" and "${address}"`, suggestion);
  } else if (type && address && stdioTypes.includes(type.text)) {
    const suggestion = 'Remove "type", or write "type": "http".';
    findings.error(type.at, `An entry with "${address}" cannot be of type "${type.text}"`, suggestion);
  }
  return type && transportOf.has(type.text) ? true : address !== undefined;
}

export function readRemoteDraft(
  settings: Omit<ServerSettings, 'secrets'>,
  fields: Fields,
  findings: Findings,
): RemoteDraft | undefined {
  const url = readAddress(fields, findings);
  const transport = readTransport(fields, findings);
  const headers = readHeaders(fields, findings);
  const oauth = readOAuth(fields, findings);
  const ca = fields.text('ca');
  if (fields.choice('protocol', ['mcp', 'litemcp']) === 'litemcp') {
    findings.error(fields.valueAt('protocol'), 'LiteMCP has no transport over HTTP', 'Remove "protocol".');
  }
  if (!url || findings.failed) return undefined;
  return { literal: { ...settings, transport, protocol: 'mcp' }, url, headers, oauth, ca };
}

function readAddress(fields: Fields, findings: Findings): Located | undefined {
  const [key, ...others] = addressKeys.filter((each) => fields.has(each));
  if (!key) {
    findings.error(fields.at, 'There is no "url"', 'Write "url": "https://…".');
    return undefined;
  }
  for (const other of others) findings.warn(fields.keyAt(other), `"${key}" is used instead of "${other}"`);
  const url = fields.text(key);
  if (url?.text.trim() === '') findings.error(url.at, `"${key}" is empty`);
  return url;
}

/** `transport` and `transportType` are other words for `type`. */
function readTransport(fields: Fields, findings: Findings): RemoteTransport {
  const key = (['type', 'transport', 'transportType'] as const).find((each) => fields.has(each));
  if (!key) return fields.has('httpUrl') ? 'http' : defaults.transport;
  const transport = transportOf.get(fields.value(key)!.value);
  if (!transport && key !== 'type') {
    const suggestion = 'Write "type": "http" or "type": "sse".';
    findings.warn(fields.valueAt(key), `"${key}" is not a known transport: the server is asked for it`, suggestion);
  }
  return transport ?? defaults.transport;
}
