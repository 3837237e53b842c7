// Shown if the page has no token, or a token of an earlier start.

import { token } from '../api/token.ts';

export function NoAccess() {
  return (
    <main className="no-access">
      <h1>{token ? 'This token is no longer valid' : 'This page requires a token'}</h1>
      <p>
        {token
          ? 'Each start of the Inspector creates a new token. This token belongs to another start.'
          : 'The address of the Inspector contains a token. This address has none.'}
      </p>
      <p>
        Open the address that <code>standpipe inspect</code> or <code>standpipe up</code> printed. It ends in{' '}
        <code>?token=…</code>
      </p>
    </main>
  );
}
