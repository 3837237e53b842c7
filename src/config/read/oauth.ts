// Reads `oauth`: what is known for logging in to a remote server, or false.

import type { Findings } from '../problem.ts';
import { type OAuthSettings, oauthGrants } from '../server-config.ts';
import type { Fields, Located } from './fields.ts';
import { oauthKeys } from './known-keys.ts';

export interface OAuthDraft extends Omit<OAuthSettings, 'clientId' | 'clientSecret' | 'clientMetadataUrl'> {
  clientId?: Located | undefined;
  clientSecret?: Located | undefined;
  clientMetadataUrl?: Located | undefined;
}

const example = 'Write "oauth": {"clientId": "…", "scopes": ["…"]}, or "oauth": false.';
const MOST_PORT = 65_535;

export function readOAuth(fields: Fields, findings: Findings): OAuthDraft | false {
  if (fields.value('oauth')?.type === 'boolean') {
    if (fields.boolean('oauth') === false) return false;
    findings.warn(fields.valueAt('oauth'), '"oauth": true has no effect: a server may always ask for a login');
    return {};
  }
  const oauth = fields.object('oauth', example);
  if (!oauth) return {};
  // Gemini CLI has addresses here.
  oauth.warnUnknown(oauthKeys, (key) => (/Url$/.test(key) ? 'Remove it: the server names this address.' : undefined));
  const draft = {
    clientId: oauth.text('clientId'),
    clientSecret: oauth.text('clientSecret'),
    clientMetadataUrl: oauth.text('clientMetadataUrl'),
    scopes: readScopes(oauth),
    callbackPort: oauth.count('callbackPort', 1, MOST_PORT),
    grant: oauth.choice('grant', oauthGrants),
  };
  if (draft.grant === 'client_credentials' && !(draft.clientId && draft.clientSecret)) {
    const suggestion = 'Add "clientId" and "clientSecret".';
    findings.error(oauth.valueAt('grant'), 'This grant needs a client with a secret', suggestion);
  }
  return oauth.boolean('enabled') === false ? false : draft;
}

/** A list, or the text of the protocol with spaces. */
function readScopes(fields: Fields): string[] | undefined {
  if (fields.value('scopes')?.type === 'string') {
    return fields
      .text('scopes')!
      .text.split(' ')
      .filter((scope) => scope !== '');
  }
  return fields.texts('scopes', 'Write "scopes": ["read", "write"].')?.map(({ text }) => text);
}
