// The first rules: without a request no other can be tested.

import { violation } from '../../../verdict.ts';
import type { LiteClientRule } from '../lite-client-rule.ts';
import { plain, slow } from '../scenarios.ts';

const expected =
  'A client under test starts the server that {server} or {config} in its arguments names, or STANDPIPE_CHECK_SERVER or ' +
  'STANDPIPE_CHECK_CONFIG in its environment, asks for the tool, calls it with two numbers, closes and exits with code 0.';

export const opens: LiteClientRule = {
  id: 'litemcp-client/opens',
  level: 'MUST',
  title: 'send requests',
  says: 'A client sends JSON messages of the types "get" and "call" to stdin of the server.',
  source: { of: 'litemcp' },
  fix: { any: `Write {"version":[1,0,0],"id":1,"type":"get","data":{}} and three newlines. ${expected}` },
  scenarios: [plain],
  check: ({ plain: { servers } }) => {
    if (servers.length === 0) violation('The client did not start the server.');
    if (servers.every(({ asked }) => asked.length === 0)) violation('The client sent no request.');
  },
};

export const asksFirst: LiteClientRule = {
  id: 'litemcp-client/asks-for-the-tool-first',
  level: 'ADVICE',
  title: 'ask for the tool before the first call',
  says: 'A client asks for the tool with "get". From the answer it knows the name and the parameters that a call needs.',
  source: { of: 'standpipe' },
  fix: { any: 'Send "get", and wait for its answer before the first "call".' },
  scenarios: [plain, slow],
  check: (ruleRun) => {
    if (ruleRun.calls().some(({ knowsTool }) => !knowsTool))
      violation('The client sent "call" before it had got "info".');
  },
};
