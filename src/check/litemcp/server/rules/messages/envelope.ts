// Rules about the members of every message. They read what all processes wrote.

import { toError } from '../../../../../base/errors.ts';
import { isObject } from '../../../../../base/json-object.ts';
import { readCallResult } from '../../../../../litemcp/call-result.ts';
import { PROTOCOL_VERSION } from '../../../../../litemcp/version.ts';
import { Violation, violation } from '../../../../verdict.ts';
import type { Message } from '../../../frames.ts';
import type { LiteRuleRun } from '../../lite-rule-run.ts';
import type { LiteServerRule } from '../../lite-server-rule.ts';
import { callData } from '../../permitted-call.ts';

const answersOf = ({ seen }: LiteRuleRun): Message[] => seen.flatMap(({ messages }) => messages);

export const envelope: LiteServerRule = {
  id: 'litemcp-messages/envelope',
  level: 'MUST',
  title: 'answer with an integer id, a type and an object as data',
  says: 'Every message is an IOBasic. An answer has an integer "id", the "type" "info" or "result", and an object as "data".',
  source: { of: 'litemcp' },
  fix: { any: 'Write {"version":[1,0,0],"id":2,"type":"result","data":{…}}, with the id as a number.' },
  uses: 'seen',
  check: (ruleRun) => {
    for (const answer of answersOf(ruleRun)) {
      const { id, type, data } = answer.message;
      if (!Number.isInteger(id)) violation(`The id of an answer is ${JSON.stringify(id)}, not an integer.`, answer);
      if (type !== 'info' && type !== 'result') violation(`An answer has the type ${JSON.stringify(type)}.`, answer);
      if (!isObject(data)) violation('The data of an answer is not an object.', answer);
    }
  },
};

export const version: LiteServerRule = {
  id: 'litemcp-messages/version',
  level: 'MUST',
  title: 'write the version of the protocol into messages',
  says: '"version" is a list of three integers, in every message and in the Tool or CallResult inside. This is LiteMCP 1.0.0.',
  source: { of: 'litemcp' },
  fix: { any: 'Write "version":[1,0,0] in the message and in its data.' },
  uses: 'seen',
  check: (ruleRun) => {
    for (const answer of answersOf(ruleRun)) {
      const { message } = answer;
      checkVersion(message.version, 'version', answer);
      if (isObject(message.data)) checkVersion(message.data.version, 'data.version', answer);
    }
  },
};

function checkVersion(value: unknown, place: string, answer: Message): void {
  const isTuple = Array.isArray(value) && value.length === 3 && value.every(Number.isInteger);
  if (!isTuple) violation(`${place} is ${JSON.stringify(value) ?? 'absent'}, not a list of three integers.`, answer);
  if (value[0] !== PROTOCOL_VERSION[0]) violation(`${place} is ${JSON.stringify(value)}, not a version 1.`, answer);
}

export const resultShape: LiteServerRule = {
  id: 'litemcp-messages/result',
  level: 'MUST',
  title: 'answer a call with the fields of a CallResult',
  says: 'A CallResult has "params", an object of strings, and "response" with "content", a list of {"type", "data"} that are strings, and "error", true or false. A failed call has the same fields.',
  source: { of: 'litemcp' },
  fix: {
    any: 'Write {"params":{…},"response":{"content":[{"type":"string","data":"…"}],"error":false}}, all data as strings.',
  },
  uses: 'shared',
  check: async (ruleRun) => {
    const { tool, names, areGiven, arguments: given } = ruleRun.call();
    const probe = await ruleRun.shared();
    const isFree = !areGiven && names.length > 0;
    for (const args of isFree ? [given, given.slice(0, -1)] : [given]) {
      // The rules about calls report a missing answer.
      const answer = await probe.ask('call', callData(tool, args)).catch(unlessViolated);
      if (answer?.message.type !== 'result') continue;
      try {
        readCallResult({ ...(answer.message.data as object), version: undefined });
      } catch (error) {
        violation(`The result is not valid: ${toError(error).message}.`, answer);
      }
    }
  },
};

function unlessViolated(error: unknown): undefined {
  if (!(error instanceof Violation)) throw error;
}
