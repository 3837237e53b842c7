// The page was opened without its token, or with the one of another launch.

import { token } from '../api/token.ts';

export function NoAccess() {
  return (
    <main className="no-access">
      <h1>{token ? 'This token is not good any more' : 'This page needs its token'}</h1>
      <p>
        {token
          ? 'Every launch of the Inspector has a token of its own, and this one belongs to another launch.'
          : 'Only who can read the terminal may look at your servers: the address carries a token, and this one has none.'}
      </p>
      <p>
        Open the address that <code>standpipe inspect</code> or <code>standpipe up</code> printed. It ends in{' '}
        <code>?token=…</code>
      </p>
    </main>
  );
}
