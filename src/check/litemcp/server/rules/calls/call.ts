// Rules about a call with arguments that the tool accepts.

import { notApplicable, violation } from '../../../../verdict.ts';
import type { LiteServerRule } from '../../lite-server-rule.ts';
import { callData } from '../../permitted-call.ts';
import { isError, paramsOf } from '../params.ts';

export const resultIsTheAnswer: LiteServerRule = {
  id: 'litemcp-calls/result',
  level: 'MUST',
  title: 'answer a call with a result',
  says: 'A message of type "call" is answered with the same id and the type "result".',
  source: { of: 'litemcp' },
  fix: { any: 'Answer "call" with {"version":[1,0,0],"id":…,"type":"result","data":{…}}.' },
  uses: 'shared',
  check: async (ruleRun) => {
    const call = ruleRun.call();
    const answer = await (await ruleRun.shared()).ask('call', callData(call.tool, call.arguments));
    const { type } = answer.message;
    if (type !== 'result') violation(`"call" was answered with type ${JSON.stringify(type)} instead of "result".`);
  },
};

export const examplesWork: LiteServerRule = {
  id: 'litemcp-calls/examples-work',
  level: 'ADVICE',
  title: 'accept the examples of the parameters',
  says: 'A model learns from the examples how to call the tool. A call with them succeeds.',
  source: { of: 'standpipe' },
  fix: { any: 'Give each parameter an example that the tool accepts, as a string.' },
  uses: 'shared',
  check: async (ruleRun) => {
    const call = ruleRun.call();
    const answer = await (await ruleRun.shared()).ask('call', callData(call.tool, call.arguments));
    const used = call.areGiven ? 'the arguments of --allow-calls' : 'the examples of its parameters';
    if (isError(answer) === true) violation(`The call with ${used} failed: ${JSON.stringify(call.arguments)}.`);
  },
};

export const paramsByName: LiteServerRule = {
  id: 'litemcp-calls/params',
  level: 'ADVICE',
  title: 'return the arguments by name',
  says: 'Arguments are sent by position, in the order of the parameters. "params" of the result has them by the names of the parameters.',
  source: { of: 'litemcp' },
  fix: { any: 'Build "params" from the names of the parameters and the arguments of the call.' },
  uses: 'shared',
  check: async (ruleRun) => {
    const call = ruleRun.call();
    const answer = await (await ruleRun.shared()).ask('call', callData(call.tool, call.arguments));
    // The tool may have refused the arguments.
    if (isError(answer) !== false) notApplicable('the call did not succeed');
    const params = paramsOf(answer) ?? {};
    call.names.forEach((name, at) => {
      if (params[name] === call.arguments[at]) return;
      const [sent, back] = [JSON.stringify(call.arguments[at]), JSON.stringify(params[name]) ?? 'absent'];
      violation(`The argument ${JSON.stringify(name)} was ${sent}. In "params" of the result it is ${back}.`);
    });
  },
};

/** Few, because each call may have an effect. */
const AT_ONCE = 4;

export const callsAtOnce: LiteServerRule = {
  id: 'litemcp-calls/calls-at-once',
  level: 'MUST',
  title: 'answer calls that come together',
  says: 'Ids tell the answers of several requests apart, so a client may send a call before the last one is answered.',
  source: { of: 'litemcp' },
  fix: { any: 'Queue the calls, or run them at the same time; answer each with its own id.' },
  uses: 'shared',
  check: async (ruleRun) => {
    const call = ruleRun.call();
    const probe = await ruleRun.shared();
    const calls = Array.from({ length: AT_ONCE }, () => probe.text('call', callData(call.tool, call.arguments)));
    probe.write(calls.map(({ text }) => text).join(''));
    for (const { id } of calls) await probe.answerTo(id, `one of ${AT_ONCE} calls at once`);
  },
};
