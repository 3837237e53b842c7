// Reads `oauth`: what is known for logging in to a remote server, or false. Also `auth` of Cursor and `scopes` of Codex.

import type { Findings } from '../problem.ts';
import type { OAuthSettings } from '../server-config.ts';
import type { Fields, Located } from './fields.ts';
import { oauthKeys } from './known-keys.ts';

export interface OAuthDraft extends Pick<OAuthSettings, 'scopes' | 'callbackPort'> {
  clientId: Located | undefined;
  clientSecret: Located | undefined;
}

const example = 'Write "oauth": {"clientId": "…", "scopes": ["…"]}, or "oauth": false.';
const MOST_PORT = 65_535;

export function readOAuth(fields: Fields, findings: Findings): OAuthDraft | false {
  if (fields.value('oauth')?.type === 'boolean') {
    if (fields.boolean('oauth') === false) return false;
    findings.warn(fields.valueAt('oauth'), '"oauth": true has no effect: a server may always ask for a login');
    return { clientId: undefined, clientSecret: undefined };
  }
  const oauth = fields.object('oauth', example);
  // Gemini CLI has addresses here that are found out.
  oauth?.warnUnknown(oauthKeys, () => 'It is found out from the server.');
  if (oauth?.boolean('enabled') === false) return false;
  const ofCursor = fields.object('auth');
  return {
    clientId: oauth?.text('clientId') ?? ofCursor?.text('CLIENT_ID'),
    clientSecret: oauth?.text('clientSecret') ?? ofCursor?.text('CLIENT_SECRET'),
    scopes: readScopes(oauth) ?? readScopes(ofCursor) ?? readScopes(fields),
    callbackPort: oauth?.count('callbackPort', 1, MOST_PORT),
  };
}

/** A list, or the text of the protocol with spaces. */
function readScopes(fields: Fields | undefined): string[] | undefined {
  if (fields?.value('scopes')?.type === 'string') {
    return fields
      .text('scopes')!
      .text.split(' ')
      .filter((scope) => scope !== '');
  }
  return fields?.texts('scopes', 'Write "scopes": ["read", "write"].')?.map(({ text }) => text);
}
