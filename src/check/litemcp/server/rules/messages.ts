// Rules about messages: the answer to `get`, the members of every message, ids and types.

import { toError } from '../../../../base/errors.ts';
import { isObject } from '../../../../base/json-object.ts';
import { textOf } from '../../../../base/text-of.ts';
import { readCallResult } from '../../../../litemcp/call-result.ts';
import { PROTOCOL_VERSION } from '../../../../litemcp/shape.ts';
import { readTool } from '../../../../litemcp/tool.ts';
import { litemcp } from '../../../sources.ts';
import { Violation, violation } from '../../../verdict.ts';
import type { Message } from '../../frames.ts';
import { type LiteRuleRun, liteServerRows } from '../lite-rule-run.ts';
import { callData, parametersOf } from '../permitted-call.ts';

/** The smallest id that a client may choose, and the largest that fits into 32 bits. */
const edges = [0, 2 ** 31 - 1];

export const messageRules = liteServerRows({ level: 'MUST', source: litemcp, uses: 'shared' }, [
  {
    id: 'litemcp-messages/get-is-answered',
    title: 'answer "get" with "info"',
    says: 'A client requests the tool with a message of type "get". The server answers with the same id and the type "info".',
    fix: 'Read stdin up to three newlines, and answer {"version":[1,0,0],"id":…,"type":"info","data":{…}}. Leave out --litemcp for an MCP server.',
    check: async (ruleRun) => {
      await (await ruleRun.shared()).info();
    },
  },
  {
    id: 'litemcp-messages/get-without-data',
    title: 'accept "get" without data',
    says: 'The data of "get" is null. The examples of the specification have an empty object, so both are valid.',
    fix: 'Do not read "data" of a message of type "get".',
    check: async (ruleRun) => {
      const answer = await (await ruleRun.shared()).ask('get', null, '"get" with null as data');
      if (answer.message.type !== 'info') violation('"get" with null as data was not answered with "info".');
    },
  },
  {
    id: 'litemcp-messages/tool',
    title: 'describe its tool with the fields of a Tool',
    says: 'A Tool has a name; description and example are strings or absent; each of its parameters has a name and a type, both strings.',
    fix: 'Write name, description and example as strings, and parameters as a list of {"name": …, "type": …}.',
    uses: 'seen',
    check: (ruleRun) => {
      for (const answer of answersOf(ruleRun)) {
        const { type, data } = answer.message;
        if (type !== 'info') continue;
        try {
          readTool({ ...(data as object), version: undefined });
        } catch (error) {
          violation(`The tool is not valid: ${toError(error).message}.`, answer);
        }
      }
    },
  },
  {
    id: 'litemcp-messages/parameter-names-differ',
    level: 'ADVICE',
    title: 'give each parameter a unique name',
    says: 'The result of a call has the arguments by parameter name, so two parameters with the same name are ambiguous.',
    source: { of: 'standpipe' },
    fix: 'Give each parameter a different name.',
    uses: 'seen',
    check: (ruleRun) => {
      for (const answer of answersOf(ruleRun)) {
        const { type, data } = answer.message;
        const names = type === 'info' && isObject(data) ? parametersOf(data).map(({ name }) => name) : [];
        const twice = names.find((name, at) => names.indexOf(name) !== at);
        if (twice !== undefined) violation(`Two parameters are named ${JSON.stringify(twice)}.`, answer);
      }
    },
  },
  {
    id: 'litemcp-messages/envelope',
    title: 'answer with an integer id, a type and an object as data',
    says: 'Every message is an IOBasic. An answer has an integer "id", the "type" "info" or "result", and an object as "data".',
    fix: 'Write {"version":[1,0,0],"id":2,"type":"result","data":{…}}, with the id as a number.',
    uses: 'seen',
    check: (ruleRun) => {
      for (const answer of answersOf(ruleRun)) {
        const { id, type, data } = answer.message;
        if (!Number.isInteger(id)) violation(`The id of an answer is ${JSON.stringify(id)}, not an integer.`, answer);
        if (type !== 'info' && type !== 'result')
          violation(`The type of an answer is ${JSON.stringify(type)}, not "info" or "result".`, answer);
        if (!isObject(data)) violation('The data of an answer is not an object.', answer);
      }
    },
  },
  {
    id: 'litemcp-messages/version',
    title: 'write the version of the protocol into messages',
    says: '"version" is a list of three integers, in every message and in its Tool or CallResult. The check is for LiteMCP 1.0.0.',
    fix: 'Write "version":[1,0,0] in the message and in its data.',
    uses: 'seen',
    check: (ruleRun) => {
      for (const answer of answersOf(ruleRun)) {
        const { message } = answer;
        checkVersion(message.version, 'version', answer);
        if (isObject(message.data)) checkVersion(message.data.version, 'data.version', answer);
      }
    },
  },
  {
    id: 'litemcp-messages/result',
    title: 'answer a call with the fields of a CallResult',
    says: 'A CallResult has "params", an object of strings, and "response" with "content", a list of {"type", "data"} that are strings, and "error", true or false. A failed call has the same fields.',
    fix: 'Write {"params":{…},"response":{"content":[{"type":"string","data":"…"}],"error":false}}, with all data as strings.',
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
  },
  {
    id: 'litemcp-messages/ids-are-echoed',
    title: 'answer with the id of the request',
    says: 'An answer has the id of its request. A client chooses random integers.',
    fix: 'Copy "id" of the request into the answer unchanged. 0 is a valid id.',
    check: async (ruleRun) => {
      const probe = await ruleRun.shared();
      for (const id of edges) await probe.answerTo(probe.send('get', {}, id), '"get"');
    },
  },
  {
    id: 'litemcp-messages/only-answers',
    level: 'SHOULD',
    title: 'not send messages without a request',
    says: 'A server sends messages only as answers to requests.',
    fix: 'Write to stdout only answers to requests, each with the id of its request.',
    uses: 'seen',
    check: ({ seen }) => {
      for (const { messages, sentIds } of seen) {
        const unasked = messages.find(({ message }) => !sentIds.has(textOf(message.id)));
        if (unasked)
          violation(`A message has the id ${JSON.stringify(unasked.message.id)}, which no request had.`, unasked);
      }
    },
  },
  {
    id: 'litemcp-messages/answered-once',
    level: 'ADVICE',
    title: 'answer each request once',
    says: 'Each request gets one answer: "get" one "info", and "call" one "result".',
    source: { of: 'standpipe' },
    fix: 'Write one answer for each request.',
    uses: 'seen',
    check: ({ seen }) => {
      for (const probe of seen) {
        for (const [id, times] of probe.sentIds) {
          const answers = probe.answersTo(Number(id));
          if (times === 1 && answers.length > 1)
            violation(`The request with the id ${id} was answered ${answers.length} times.`, ...answers);
        }
      }
    },
  },
  {
    id: 'litemcp-messages/repeated-ids-are-ignored',
    level: 'SHOULD',
    title: 'ignore a repeated id',
    says: 'Ids of a client are unique. The server ignores a request whose id was used before.',
    fix: 'Store the ids of requests, and neither run nor answer a request with a known id.',
    check: async (ruleRun) => {
      const probe = await ruleRun.shared();
      const id = probe.send('get', {});
      await probe.answerTo(id, '"get"');
      await probe.barrier('"get"');
      const before = probe.answersTo(id).length;
      probe.send('get', {}, id);
      await probe.barrier('a repeated id');
      if (probe.answersTo(id).length > before) violation(`The second request with the id ${id} was also answered.`);
    },
  },
  {
    id: 'litemcp-messages/unknown-types',
    level: 'ADVICE',
    title: 'refuse or ignore an unknown type',
    says: 'The types are get, info, call and result. A later version may have more: a server refuses or ignores requests of other types, and continues.',
    source: { of: 'standpipe' },
    fix: 'Answer a request of an unknown type with a result whose "error" is true, and continue reading.',
    check: async (ruleRun) => {
      const probe = await ruleRun.shared();
      const id = probe.send('standpipe/unknown', {});
      await probe.barrier('a request of an unknown type');
      const served = probe.answersTo(id).find(({ message }) => message.type === 'info');
      if (served) violation('A request of an unknown type was answered with "info", like "get".');
    },
  },
  {
    id: 'litemcp-messages/answers-are-not-answered',
    level: 'ADVICE',
    title: 'ignore answers that it receives',
    says: 'Only servers send "info" and "result". Two servers that answer such messages would answer each other without end.',
    source: { of: 'standpipe' },
    fix: 'Ignore messages of the types "info" and "result".',
    check: async (ruleRun) => {
      const probe = await ruleRun.shared();
      const response = { content: [], error: false };
      const ids = [
        probe.send('info', { version: PROTOCOL_VERSION, name: 'other', parameters: [] }),
        probe.send('result', { version: PROTOCOL_VERSION, params: {}, response }),
      ];
      await probe.barrier('an unrequested answer');
      const answered = ids.find((id) => probe.answersTo(id).length > 0);
      if (answered !== undefined) violation('The server answered a message that is itself an answer.');
    },
  },
]);

function answersOf({ seen }: LiteRuleRun): Message[] {
  return seen.flatMap(({ messages }) => messages);
}

function checkVersion(value: unknown, place: string, answer: Message): void {
  const isTuple = Array.isArray(value) && value.length === 3 && value.every(Number.isInteger);
  if (!isTuple) violation(`${place} is ${JSON.stringify(value) ?? 'absent'}, not a list of three integers.`, answer);
  if (value[0] !== PROTOCOL_VERSION[0]) violation(`${place} is ${JSON.stringify(value)}, not a version 1.x.x.`, answer);
}

function unlessViolated(error: unknown): undefined {
  if (!(error instanceof Violation)) throw error;
}
