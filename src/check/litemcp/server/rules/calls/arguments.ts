// Rules about calls with unexpected arguments.

import { notApplicable, violation } from '../../../../verdict.ts';
import type { LiteRuleRun } from '../../lite-rule-run.ts';
import type { LiteServerRule } from '../../lite-server-rule.ts';
import { callData, type PermittedCall } from '../../permitted-call.ts';
import { isError, paramOf } from '../params.ts';

function callWithParameters(ruleRun: LiteRuleRun): PermittedCall {
  const call = ruleRun.freeCall();
  return call.names.length > 0 ? call : notApplicable('the tool has no parameters');
}

const TEXT = 'a "quoted" \\ text\n\n\nwith\ttabs, é, 你好, 😀 and \u0001';

export const textIsKept: LiteServerRule = {
  id: 'litemcp-calls/text-is-kept',
  level: 'ADVICE',
  title: 'keep arguments as they were sent',
  says: 'Every argument is a string, and JSON can write every text: quotes, newlines, control characters and all of Unicode.',
  source: { of: 'standpipe' },
  fix: {
    python: 'Use json.loads and json.dumps, and open the streams as UTF-8: sys.stdin.reconfigure(encoding="utf-8").',
    any: 'Read and write JSON with the library of the language, as UTF-8.',
  },
  uses: 'shared',
  check: async (ruleRun) => {
    const call = callWithParameters(ruleRun);
    const args = [...call.arguments.slice(0, -1), TEXT];
    const answer = await (await ruleRun.shared()).ask('call', callData(call.tool, args), 'a call with a special text');
    const back = paramOf(answer, call.names.at(-1)!);
    if (back !== TEXT) violation(`The argument ${JSON.stringify(TEXT)} came back as ${JSON.stringify(back)}.`);
  },
};

export const missingArguments: LiteServerRule = {
  id: 'litemcp-calls/missing-arguments',
  level: 'ADVICE',
  title: 'refuse a call with too few arguments',
  says: 'LiteMCP has no optional parameters. A model can correct a call only if the result says that it failed.',
  source: { of: 'standpipe' },
  fix: {
    any: 'Compare the number of arguments with that of the parameters; answer with "error": true and the reason.',
  },
  uses: 'shared',
  check: async (ruleRun) => {
    const call = callWithParameters(ruleRun);
    const probe = await ruleRun.shared();
    const answer = await probe.ask(
      'call',
      callData(call.tool, call.arguments.slice(0, -1)),
      'a call with too few arguments',
    );
    if (isError(answer) === false) violation('A call with too few arguments was answered as if it had succeeded.');
  },
};

export const extraArguments: LiteServerRule = {
  id: 'litemcp-calls/extra-arguments',
  level: 'ADVICE',
  title: 'answer a call with too many arguments',
  says: 'A server may ignore additional arguments or refuse the call, but the client waits for an answer.',
  source: { of: 'standpipe' },
  fix: { any: 'Catch the error of a call with too many arguments, and answer with "error": true and the reason.' },
  uses: 'shared',
  check: async (ruleRun) => {
    const call = ruleRun.freeCall();
    const probe = await ruleRun.shared();
    await probe.ask('call', callData(call.tool, [...call.arguments, 'one more']), 'a call with too many arguments');
  },
};

export const otherTool: LiteServerRule = {
  id: 'litemcp-calls/other-tool',
  level: 'ADVICE',
  title: 'refuse a call of another tool',
  says: 'A call names the tool. A client that mistakes one server for another must not get a result of the wrong tool.',
  source: { of: 'standpipe' },
  fix: { any: 'Compare "tool" of the call with the name of the tool; answer with "error": true if it differs.' },
  uses: 'shared',
  check: async (ruleRun) => {
    const call = ruleRun.call();
    const probe = await ruleRun.shared();
    const answer = await probe.ask('call', callData(`${call.tool}-other`, call.arguments), 'a call of another tool');
    if (isError(answer) === false) violation('A call of another tool was answered as if it had succeeded.');
  },
};

const LARGE_CHARS = 1024 * 1024;

export const largeArgument: LiteServerRule = {
  id: 'litemcp-calls/large-argument',
  level: 'ADVICE',
  title: 'accept a large argument',
  says: 'A message has any length. An argument may be a file.',
  source: { of: 'standpipe' },
  fix: { any: 'Read stdin until three newlines, in blocks of any size; do not use a buffer of a fixed length.' },
  uses: 'shared',
  check: async (ruleRun) => {
    const call = callWithParameters(ruleRun);
    const probe = await ruleRun.shared();
    const args = [...call.arguments.slice(0, -1), 'x'.repeat(LARGE_CHARS)];
    await probe.ask('call', callData(call.tool, args), `a call with an argument of ${LARGE_CHARS} characters`);
    await probe.barrier('a large argument');
  },
};
