// Rules about calls with valid and with unexpected arguments.

import { litemcp } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import type { Message } from '../../frames.ts';
import { type LiteRuleRun, liteServerRows } from '../lite-rule-run.ts';
import { callData, callWithParameters, isError, type PermittedCall, paramOf, paramsOf } from '../permitted-call.ts';

/** Number of concurrent calls: few, because each call may have an effect. */
const AT_ONCE = 4;
const TEXT = 'a "quoted" \\ text\n\n\nwith\ttabs, é, 你好, 😀 and \u0001';
const LARGE_CHARS = 1024 * 1024;

export const callRules = liteServerRows({ level: 'ADVICE', uses: 'shared' }, [
  {
    id: 'litemcp-calls/result',
    level: 'MUST',
    title: 'answer a call with a result',
    says: 'A message of type "call" is answered with the same id and the type "result".',
    source: litemcp,
    fix: 'Answer "call" with {"version":[1,0,0],"id":…,"type":"result","data":{…}}.',
    check: async (ruleRun) => {
      const { type } = (await called(ruleRun, ruleRun.call())).message;
      if (type !== 'result') violation(`"call" was answered with type ${JSON.stringify(type)} instead of "result".`);
    },
  },
  {
    id: 'litemcp-calls/examples-work',
    title: 'accept the examples of the parameters',
    says: 'A model learns from the examples how to call the tool. A call with the examples succeeds.',
    fix: 'Give each parameter an example that the tool accepts, as a string.',
    check: async (ruleRun) => {
      const call = ruleRun.call();
      const answer = await called(ruleRun, call);
      const used = call.areGiven ? 'the arguments of --allow-calls' : 'the examples of its parameters';
      if (isError(answer) === true) violation(`The call with ${used} failed: ${JSON.stringify(call.arguments)}.`);
    },
  },
  {
    id: 'litemcp-calls/params',
    title: 'return the arguments by name',
    says: 'Arguments are sent by position, in the order of the parameters. "params" of the result has them by parameter name.',
    source: litemcp,
    fix: 'Build "params" from the names of the parameters and the arguments of the call.',
    check: async (ruleRun) => {
      const call = ruleRun.call();
      const answer = await called(ruleRun, call);
      // The tool may have refused the arguments.
      if (isError(answer) !== false) notApplicable('the call did not succeed');
      const params = paramsOf(answer) ?? {};
      call.names.forEach((name, at) => {
        if (params[name] === call.arguments[at]) return;
        const [sent, back] = [JSON.stringify(call.arguments[at]), JSON.stringify(params[name]) ?? 'absent'];
        violation(`The argument ${JSON.stringify(name)} was ${sent}. In "params" of the result it is ${back}.`);
      });
    },
  },
  {
    id: 'litemcp-calls/calls-at-once',
    level: 'MUST',
    title: 'answer concurrent calls',
    says: 'Ids distinguish the answers to several requests, so a client may send a call before the previous one is answered.',
    source: litemcp,
    fix: 'Queue the calls, or run them concurrently; answer each with its own id.',
    check: async (ruleRun) => {
      const call = ruleRun.call();
      const probe = await ruleRun.shared();
      const calls = Array.from({ length: AT_ONCE }, () => probe.text('call', callData(call.tool, call.arguments)));
      probe.write(calls.map(({ text }) => text).join(''));
      for (const { id } of calls) await probe.answerTo(id, `one of ${AT_ONCE} concurrent calls`);
    },
  },
  {
    id: 'litemcp-calls/text-is-kept',
    title: 'keep arguments unchanged',
    says: 'Every argument is a string, and JSON can represent every text: quotes, newlines, control characters and all of Unicode.',
    fix: {
      python: 'Use json.loads and json.dumps, and open the streams as UTF-8: sys.stdin.reconfigure(encoding="utf-8").',
      any: 'Read and write JSON with the library of the language, as UTF-8.',
    },
    check: async (ruleRun) => {
      const call = callWithParameters(ruleRun);
      const args = [...call.arguments.slice(0, -1), TEXT];
      const answer = await called(ruleRun, call, args, 'a call with special characters');
      const back = paramOf(answer, call.names.at(-1)!);
      if (back !== TEXT) violation(`The argument ${JSON.stringify(TEXT)} was returned as ${JSON.stringify(back)}.`);
    },
  },
  {
    id: 'litemcp-calls/missing-arguments',
    title: 'refuse a call with too few arguments',
    says: 'LiteMCP has no optional parameters. A model can correct a call only if the result reports the error.',
    fix: 'Compare the number of arguments with the number of parameters; answer with "error": true and the reason.',
    check: async (ruleRun) => {
      const call = callWithParameters(ruleRun);
      const answer = await called(ruleRun, call, call.arguments.slice(0, -1), 'a call with too few arguments');
      if (isError(answer) === false) violation('A call with too few arguments was answered as a success.');
    },
  },
  {
    id: 'litemcp-calls/extra-arguments',
    title: 'answer a call with too many arguments',
    says: 'A server may ignore additional arguments or refuse the call, but it must answer.',
    fix: 'Catch the error of a call with too many arguments, and answer with "error": true and the reason.',
    check: async (ruleRun) => {
      const call = ruleRun.freeCall();
      await called(ruleRun, call, [...call.arguments, 'one more'], 'a call with too many arguments');
    },
  },
  {
    id: 'litemcp-calls/other-tool',
    title: 'refuse a call of another tool',
    says: 'A call names the tool. A client that uses the wrong server must not get a result of the wrong tool.',
    fix: 'Compare "tool" of the call with the name of the tool; answer with "error": true if it differs.',
    check: async (ruleRun) => {
      const { tool, arguments: args } = ruleRun.call();
      const probe = await ruleRun.shared();
      const answer = await probe.ask('call', callData(`${tool}-other`, args), 'a call of another tool');
      if (isError(answer) === false) violation('A call of another tool was answered as a success.');
    },
  },
  {
    id: 'litemcp-calls/large-argument',
    title: 'accept a large argument',
    says: 'LiteMCP does not limit the length of a message. An argument may be a file.',
    fix: 'Read stdin until three newlines, in blocks of any size; do not use a buffer of fixed length.',
    check: async (ruleRun) => {
      const call = callWithParameters(ruleRun);
      const args = [...call.arguments.slice(0, -1), 'x'.repeat(LARGE_CHARS)];
      await called(ruleRun, call, args, `a call with an argument of ${LARGE_CHARS} characters`);
      await (await ruleRun.shared()).barrier('a large argument');
    },
  },
]);

async function called(
  ruleRun: LiteRuleRun,
  call: PermittedCall,
  args: readonly unknown[] = call.arguments,
  what?: string,
): Promise<Message> {
  return (await ruleRun.shared()).ask('call', callData(call.tool, args), what);
}
