// Continue: a list of servers with names. `${{ secrets.NAME }}` is a variable of the environment here.

import { valueIn } from './nodes.ts';
import { spellingOf } from './spelling.ts';

export const continueSpelling = spellingOf({
  names: [
    { theirs: 'requestOptions.headers', ours: 'headers' },
    { theirs: 'connectionTimeout', ours: 'startupTimeoutMs' },
  ],
  ignored: ['name', 'serverName', 'faviconUrl', 'sourceFile'],
  types: { stdio: undefined, http: 'streamable-http', sse: 'sse' },
  beforeRead: (entry) =>
    valueIn(entry, 'uses') ? 'A server of the hub of Continue has no command in the file: it is ignored' : entry,
  variables: {
    fromTheirs: (text) => text.replaceAll(/\$\{\{\s*(?:secrets|inputs)\.([A-Za-z_]\w*)\s*\}\}/g, '${$1}'),
    theirs: (name) => `\${{ secrets.${name} }}`,
  },
});
