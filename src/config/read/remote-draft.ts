// Reads an entry of a remote server.

import { didYouMean } from '../nearest.ts';
import type { Findings } from '../problem.ts';
import {
  defaultRemoteSettings as defaults,
  type RemoteConfig,
  type RemoteTransport,
  type ServerSettings,
} from '../server-config.ts';
import type { Fields, Located } from './fields.ts';
import { readKeys } from './key.ts';
import { addressKeys, commandKeys, type OAuthDraft, remoteKeys, stdioTypes, transportOfType } from './keys.ts';

export interface RemoteDraft {
  /** Members that need no expansion. */
  literal: Omit<RemoteConfig, 'url' | 'headers' | 'oauth' | 'ca' | 'secrets'>;
  url: Located;
  headers: ReadonlyMap<string, Located>;
  oauth: OAuthDraft | false;
  ca: Located | undefined;
  command?: undefined;
}

/** Other hosts use other keys for the URL. */
const { url: addressKey, ...otherKeys } = remoteKeys;
const transportOf = new Map(Object.entries(transportOfType));
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
  const { headers = new Map(), oauth: login, ca } = readKeys(fields, otherKeys);
  const oauth = checkOAuth(login, fields);
  if (commandKeys.protocol.read(fields, 'protocol') === 'litemcp') {
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
  return addressKey.read(fields, key);
}

function checkOAuth(
  given: boolean | (OAuthDraft & { enabled?: boolean }) | undefined,
  fields: Fields,
): OAuthDraft | false {
  if (given === true) {
    const message = '"oauth": true has no effect: a server may always ask for a login';
    fields.findings.warn(fields.valueAt('oauth'), message);
  }
  if (typeof given !== 'object') return given === false ? false : {};
  const { enabled, ...oauth } = given;
  return enabled === false ? false : oauth;
}

/** `transport` and `transportType` are aliases of `type`. */
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
