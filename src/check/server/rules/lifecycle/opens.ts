// The first rule: without it no other can be tested.

import { flush } from '../../../../wire/diagnosis/advice.ts';
import type { Fix } from '../../../rule.ts';
import type { ServerRule } from '../../server-rule.ts';

/** The usual cause of silence is an answer that stays in a buffer. */
const answer = Object.fromEntries(
  Object.entries(flush).map(([language, call]) => [
    language,
    `Read stdin line by line, and write each answer as one line. ${call} Raise --timeout if the server starts slowly. Use --litemcp for a LiteMCP server.`,
  ]),
) as Fix;

export const opens: ServerRule = {
  id: 'lifecycle/opens',
  level: 'MUST',
  title: 'answer its first request',
  says: 'A client opens a connection with `initialize`, or since 2026-07-28 with any request. The server answers with the revision that it uses.',
  source: { of: 'mcp', page: 'basic/lifecycle#initialization', pages: { '2026-07-28': 'server/discover' } },
  fix: answer,
  runs: 'each revision',
  uses: 'own',
  check: async (ruleRun) => {
    await ruleRun.open();
  },
};
