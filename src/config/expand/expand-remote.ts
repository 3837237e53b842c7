// Expands a draft of a remote server and checks the expanded values. Messages never contain an address or the value of a header.

import { hasAuthorization, takeCredentials } from '../../base/credentials.ts';
import { isLoopbackUrl } from '../../base/loopback.ts';
import { showsSecret } from '../header-option.ts';
import type { Findings, Position } from '../problem.ts';
import type { Located } from '../read/fields.ts';
import type { RemoteDraft } from '../read/remote-draft.ts';
import type { RemoteConfig } from '../server-config.ts';
import { addressFault, headerFault } from './address.ts';

export interface Expander {
  text(located: Located): string;
  path(located: Located): string;
  /** Filled by the functions. */
  secrets: Set<string>;
}

export function expandRemote(draft: RemoteDraft, expand: Expander, findings: Findings): RemoteConfig {
  const { literal, oauth, ca } = draft;
  const headers = new Map([...draft.headers].map(([name, located]) => [name, expand.text(located)]));
  // Values of headers are always hidden, so only secrets in other places are collected.
  const inHeaders = expand.secrets.size > 0;
  expand.secrets.clear();
  const text = expand.text(draft.url).trim();
  const config = {
    ...literal,
    ca: ca && expand.path(ca),
    oauth: oauth && {
      ...oauth,
      clientId: oauth.clientId && expand.text(oauth.clientId),
      clientSecret: oauth.clientSecret && expand.text(oauth.clientSecret),
      clientMetadataUrl: oauth.clientMetadataUrl && expand.text(oauth.clientMetadataUrl),
    },
  };
  const { clientSecret } = config.oauth || {};
  if (clientSecret) expand.secrets.add(clientSecret);
  if (!literal.enabled || findings.failed) {
    return { ...config, url: text, headers: Object.fromEntries(headers), secrets: [...expand.secrets] };
  }
  for (const [name, value] of headers) {
    const fault = headerFault(value);
    if (fault) findings.error(draft.headers.get(name)!.at, `The header "${name}" ${fault.message}`, fault.suggestion);
  }
  const fault = addressFault(text);
  if (fault) findings.error(draft.url.at, fault.message, fault.suggestion);
  const url = fault ? text : withoutCredentials(new URL(text), text, headers, expand.secrets);
  if (!fault && (inHeaders || expand.secrets.size > 0 || [...headers].some(showsSecret))) {
    warnIfReadable(new URL(url), draft.url.at, findings);
  }
  return { ...config, url, headers: Object.fromEntries(headers), secrets: [...expand.secrets] };
}

/** Credentials in an address become a header, so that the address can be shown and compared. */
function withoutCredentials(url: URL, text: string, headers: Map<string, string>, secrets: Set<string>): string {
  const taken = takeCredentials(url);
  if (!taken) return text;
  const { user, password, basic } = taken;
  if (!hasAuthorization(headers.keys())) headers.set('Authorization', `Basic ${basic}`);
  for (const secret of [basic, password || user]) secrets.add(secret);
  return url.href;
}

function warnIfReadable(url: URL, at: Position, findings: Findings): void {
  if (url.protocol === 'https:' || isLoopbackUrl(url)) return;
  const suggestion = 'Use https://, or a tunnel to a local port.';
  findings.warn(at, 'The credentials of this server are sent unencrypted', suggestion);
}
