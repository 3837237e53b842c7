// The first rule: without it no other can be tested.

import type { ServerRule } from '../../server-rule.ts';

export const opens: ServerRule = {
  id: 'lifecycle/opens',
  level: 'MUST',
  title: 'the server answers its first request',
  says: 'A client opens a connection with `initialize`, or since 2026-07-28 with any request. The server answers with the revision that it uses.',
  source: { of: 'mcp', page: 'basic/lifecycle#initialization', pages: { '2026-07-28': 'server/discover' } },
  fix: {
    any: 'Read requests from stdin line by line, and write each answer to stdout with a newline and a flush. Raise --timeout if the server starts slowly; its stderr may say what it waits for.',
  },
  runs: 'each revision',
  uses: 'own',
  check: async (trial) => {
    await trial.open();
  },
};
