// The first rule: without it no other can be tested.

import { violation } from '../../verdict.ts';
import type { ClientRule } from '../client-rule.ts';
import { plain } from '../scenarios/index.ts';

const expected =
  'A client under test starts the server that {server} or {config} in its arguments names, or STANDPIPE_CHECK_SERVER or ' +
  'STANDPIPE_CHECK_CONFIG in its environment, lists the tools, calls the tool `echo` with a `text`, closes and exits with code 0.';

export const opens: ClientRule = {
  id: 'client-lifecycle/opens',
  level: 'MUST',
  title: 'open the connection',
  says: 'The first request of a client is `initialize`, or since 2026-07-28 any request that names its revision in `_meta`.',
  source: { of: 'mcp', page: 'basic/lifecycle#initialization', pages: { '2026-07-28': 'basic/versioning' } },
  fix: { any: `Send \`initialize\` first, or use the client of an SDK. ${expected}` },
  scenarios: [plain],
  check: ({ plain: { servers } }) => {
    if (servers.length === 0) violation('The client did not start the server.');
    const server = servers.find(({ asked }) => asked.length > 0);
    if (!server) {
      const { length } = servers[0]!.rest;
      violation(`The client sent no request.${length > 0 ? ` It sent ${length} bytes without a newline.` : ''}`);
    }
    const first = server.asked.find(({ method }) => method !== 'ping');
    if (first && first.method !== 'initialize' && first.era === 'legacy') {
      violation(
        `The first request of the client is \`${first.method}\`, without \`initialize\` and without a revision.`,
      );
    }
  },
};
