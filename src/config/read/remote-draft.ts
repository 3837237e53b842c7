// An entry of a server that is reached at an address. The spellings of all hosts are read.

import type { Node } from 'jsonc-parser';
import { didYouMean } from '../nearest.ts';
import type { Findings } from '../problem.ts';
import {
  defaultRemoteSettings as defaults,
  type RemoteConfig,
  type RemoteTransport,
  type ServerSettings,
} from '../server-config.ts';
import { type Fields, inQuotes, type Located } from './fields.ts';
import type { JsonDocument } from './json-document.ts';
import { remoteKeys } from './known-keys.ts';

export interface RemoteDraft {
  /** Members that need no expansion. */
  literal: Omit<RemoteConfig, 'url' | 'headers' | 'secrets'>;
  url: Located;
  headers: ReadonlyMap<string, Located>;
  command?: undefined;
}

/** Values of `type` for servers that the host starts. */
const stdioTypes = ['stdio', 'local'];
const transportOf: Readonly<Record<string, RemoteTransport>> = {
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  sse: 'sse',
  remote: 'auto',
};

export function isRemote(fields: Fields, findings: Findings): boolean {
  const type = fields.text('type');
  if (type && Object.hasOwn(transportOf, type.text)) return true;
  if (type && !stdioTypes.includes(type.text)) {
    const types = [...stdioTypes, ...Object.keys(transportOf)];
    findings.error(type.at, '"type" must be "stdio", "http" or "sse"', didYouMean(type.text, types));
  }
  return !fields.has('command') && remoteKeys.some((key) => fields.has(key));
}

export function readRemoteDraft(
  settings: Omit<ServerSettings, 'secrets'>,
  fields: Fields,
  document: JsonDocument,
  findings: Findings,
): RemoteDraft | undefined {
  const key = remoteKeys.find((each) => fields.has(each));
  if (!key) findings.error(fields.at, 'There is no "url"', 'Write "url": "https://…".');
  const url = key && fields.text(key);
  const transport = transportOf[fields.text('type')?.text ?? ''] ?? defaults.transport;
  const headers = readHeaders(fields, document, findings);
  if (!url || findings.failed) return undefined;
  return { literal: { ...settings, transport, protocol: 'mcp' }, url, headers };
}

function readHeaders(fields: Fields, document: JsonDocument, findings: Findings): Map<string, Located> {
  const headers = new Map<string, Located>();
  const given = fields.object('headers', 'Write "headers": {"Authorization": "Bearer ${TOKEN}"}.');
  for (const name of given?.keys() ?? []) {
    const node = given!.value(name) as Node;
    if (node.type === 'string') headers.set(name, { text: node.value, at: document.at(node) });
    else findings.error(document.at(node), `"headers"."${name}" must be a string`, inQuotes(node));
  }
  return headers;
}
