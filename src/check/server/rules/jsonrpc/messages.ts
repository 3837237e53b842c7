// Rules about the members of messages, about ids, and about missing, repeated and unexpected answers. JSON without any member of a message
// is stray output, which the rules of the wire report.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { parsed, whole } from '../../../parsed-json.ts';
import { jsonRpc, mcp, responses } from '../../../sources.ts';
import { notApplicable, Violation, violation } from '../../../verdict.ts';
import { COPY_ID, UNKNOWN_METHOD } from '../../conversation.ts';
import { isMessage } from '../../line-reader.ts';
import { type Frame, isAnswer, messagesOf, type Probe } from '../../probe.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { echo, isEchoed, shownId } from '../answers.ts';

const source = mcp('basic#responses', { '2024-11-05': 'basic/messages#responses' });

const exactIds = {
  java: 'Keep the id as a JSON value (JsonNode, Object), not as int or double.',
  dotnet: 'Keep the id as a JsonElement, not as int or double.',
  go: 'Keep the id as json.RawMessage, not as int or float64.',
};

const shapeRules = serverRows({ level: 'MUST', source, runs: 'each revision', uses: 'seen' }, [
  {
    id: 'jsonrpc/version-member',
    title: 'set `"jsonrpc": "2.0"` in every message',
    says: 'Requests, notifications, results and errors have the member `jsonrpc` with the string "2.0".',
    fix: 'Add "jsonrpc": "2.0" to every message, including errors and notifications. It is a string, not a number.',
    check: ({ seen }) => {
      for (const { frame, message } of messagesIn(seen)) {
        if (message.jsonrpc !== '2.0') violation('A message lacks the member `"jsonrpc": "2.0"`.', frame);
      }
    },
  },
  {
    id: 'jsonrpc/result-or-error',
    title: 'answer with a result or an error, not both',
    says: 'A response has either `result` or `error`. The other member is absent, not null.',
    fix: {
      java: 'Leave out null members (@JsonInclude(NON_NULL)).',
      dotnet: 'Set DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull.',
      go: 'Use omitempty on both members, with pointers or json.RawMessage.',
      rust: 'Use #[serde(skip_serializing_if = "Option::is_none")] on both members.',
      python: 'Leave out members that are None: model_dump(exclude_none=True).',
      node: 'Answer {} for a method without a result: JSON.stringify leaves out undefined. Leave out the other member instead of writing null.',
      any: 'Leave out the member that does not apply instead of writing null. Answer {} for a method without a result.',
    },
    check: ({ seen }) => {
      for (const { frame, message } of messagesIn(seen)) {
        if (message.method !== undefined) continue;
        if ('result' in message && 'error' in message) violation('An answer has a `result` and an `error`.', frame);
        if (!isAnswer(message)) violation('An answer has no `result` and no `error`.', frame);
      }
    },
  },
  {
    id: 'jsonrpc/results-are-objects',
    title: 'answer with an object as the result',
    says: 'The result of every method is a JSON object, which may be empty.',
    fix: 'Answer with an object: {} for a method without a result, {"tools": […]} for a list.',
    check: ({ seen }) => {
      for (const { frame, message } of messagesIn(seen)) {
        if (!isAnswer(message) || 'error' in message || isObject(message.result)) continue;
        violation('The `result` of an answer is not an object.', frame);
      }
    },
  },
  {
    id: 'jsonrpc/error-members',
    title: 'give errors an integer code and a message',
    says: 'The error of a response is an object with an integer `code` and a string `message`.',
    fix: 'Answer errors as {"code": <integer>, "message": <string>}; put further details into `data`.',
    check: ({ seen }) => {
      for (const { frame, message } of messagesIn(seen)) {
        if (!isAnswer(message) || 'result' in message) continue;
        const { error } = message;
        if (!isObject(error)) violation('The `error` of an answer is not an object.', frame);
        if (!Number.isInteger(error.code)) violation('The `code` of an error is not an integer.', frame);
        if (typeof error.message !== 'string') violation('The `message` of an error is not a string.', frame);
      }
    },
  },
  {
    id: 'jsonrpc/notifications-have-no-id',
    title: 'send notifications without an id',
    says: 'A notification has no `id`. With an id it is a request, which the client has to answer.',
    source: notificationSource(),
    fix: 'Leave out the member `id` of messages whose method begins with `notifications/`. Null is an id too.',
    check: ({ seen }) => {
      for (const { frame, message } of messagesIn(seen)) {
        const { method, id } = message;
        if (!('id' in message) || typeof method !== 'string' || !method.startsWith('notifications/')) continue;
        violation(`The server sent \`${method}\` with the id ${JSON.stringify(id)}.`, frame);
      }
    },
  },
]);

const idRules = serverRows({ level: 'MUST', source, runs: 'each era', uses: 'shared' }, [
  {
    id: 'jsonrpc/integer-ids-are-echoed',
    title: 'return integer ids unchanged',
    says: 'A response has the id of its request. Zero, negative and large integers are valid ids.',
    fix: {
      ...exactIds,
      rust: 'Keep the id as serde_json::Value, or as an enum of i64 and String.',
      any: 'Keep the id as a JSON value. Test whether it is absent, not whether it is truthy: 0 is a valid id.',
    },
    check: (ruleRun) => areEchoed(ruleRun, [0, -1, Number.MAX_SAFE_INTEGER]),
  },
  {
    id: 'jsonrpc/string-ids-are-echoed',
    title: 'return string ids unchanged',
    says: 'A response has the id of its request, with the same type. A string of digits stays a string; any text is valid.',
    fix: 'Keep the id as a JSON value. Do not convert digits to a number, and do not test whether it is truthy: "" is a valid id.',
    check: (ruleRun) => areEchoed(ruleRun, ['', '7007', 'null', 'a "b" c/d', 'x'.repeat(300)]),
  },
  {
    id: 'jsonrpc/error-ids-are-echoed',
    endIsReportedBy: 'jsonrpc/unknown-methods-are-refused',
    title: 'return the id of the request in errors too',
    says: 'An error has the id of its request. The id null is only for messages whose id cannot be read: a client cannot assign such an error to a request and keeps waiting.',
    fix: COPY_ID,
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const { probe } = conversation;
      const text = (await isEchoed(conversation, 'plain')) ? ['an error'] : [];
      for (const id of [probe.newId(), ...text]) {
        probe.send({ ...conversation.ping(id), method: UNKNOWN_METHOD });
        await conversation.answer(id, 'a request with an unknown method').catch((error: unknown) => {
          const isOther = error instanceof Violation && error.fix !== COPY_ID;
          if (isOther) notApplicable('an unknown method is not refused (jsonrpc/unknown-methods-are-refused)');
          throw error;
        });
      }
    },
  },
  {
    id: 'jsonrpc/integer-ids-stay-integers',
    level: 'ADVICE',
    title: 'write integer ids without a fraction or an exponent',
    says: 'The ids 7.0 and 7e0 equal the id 7 of a request. Clients that compare the text of ids, or read them as integers, do not recognise them.',
    source: jsonRpc('request_object'),
    fix: {
      python: 'Keep the id as json.loads returns it, without a conversion with float().',
      ...exactIds,
      any: 'Keep the id as a JSON value, not as a floating-point number.',
    },
    check: async (ruleRun) => {
      const id = 7;
      const { frame, id: found } = await echo(await ruleRun.shared(), id);
      if (!frame || found !== id) notApplicable('the id is not returned (jsonrpc/integer-ids-are-echoed)');
      const written = inexactId(Buffer.from(frame.bytes).toString('utf8'));
      if (written !== undefined) violation(`The request with the id ${id} was answered with the id ${written}.`, frame);
    },
  },
]);

const answerRules = serverRows({ level: 'MUST', source, runs: 'each revision', uses: 'seen' }, [
  {
    id: 'jsonrpc/answered-once',
    title: 'answer a request only once',
    says: 'A request gets one response: a result or an error, not one after the other.',
    source: responses,
    fix: 'Return after the answer is sent. Do not send an error for a request whose result is already written.',
    check: ({ seen }) => {
      for (const probe of seen) {
        const { counts } = sentIds(probe);
        const repeated = [...counts].flatMap(([id, sent]) => {
          const answers = id === 'null' ? [] : probe.answersTo(JSON.parse(id));
          return answers.length > sent ? [{ id, answers, more: answers.length - sent }] : [];
        });
        // An answer with a wrong id in place of a string id is not a second answer (jsonrpc/string-ids-are-echoed).
        const misdirected = [...counts.keys()].filter((id) => isText(id) && !probe.answersTo(JSON.parse(id))[0]);
        const [first] = repeated;
        if (!first || repeated.reduce((sum, { more }) => sum + more, 0) <= misdirected.length) continue;
        const { id, answers } = first;
        violation(
          `The request with the id ${shownId(JSON.parse(id))} was answered ${answers.length} times.`,
          ...answers.slice(0, 3),
        );
      }
    },
  },
  {
    id: 'jsonrpc/no-stray-answers',
    title: 'not send answers without a request',
    says: 'A response has the id of a request. Only errors about unreadable messages have no id.',
    fix: 'Send responses only to requests, each with the id of its request. Send everything else as notifications.',
    check: ({ seen }) => {
      for (const probe of seen) refuseStrayAnswers(probe);
    },
  },
]);

export const messageRules = [...shapeRules, ...idRules, ...answerRules];

/** The first revision has the sections on messages on a separate page. */
export function notificationSource() {
  return mcp('basic#notifications', { '2024-11-05': 'basic/messages#notifications' });
}

function* messagesIn(probes: readonly Probe[]): Generator<{ frame: Frame; message: JsonObject }> {
  for (const { frames } of probes) {
    for (const frame of frames) {
      for (const message of messagesOf(frame)) if (isMessage(message)) yield { frame, message };
    }
  }
}

async function areEchoed(ruleRun: ServerRuleRun, ids: readonly (string | number)[]): Promise<void> {
  const conversation = await ruleRun.shared();
  for (const id of ids) {
    const { frame, id: found, sent } = await echo(conversation, id);
    const shown = shownId(id);
    if (!frame) violation(`There was no answer to the request with the id ${shown}.`);
    if (found !== id) violation(`The request with the id ${shown} was answered with another id.`, sent, frame);
  }
}

/** Limit of the candidates in a long answer. */
const MOST_IDS = 20;

/** The id of the message as it is written, if it has a fraction or an exponent. Ids inside the result do not count. */
function inexactId(text: string): string | undefined {
  const candidates = text.matchAll(/"id"\s*:\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g);
  for (const { 0: member, 1: written = '', index } of [...candidates].slice(0, MOST_IDS)) {
    if (/^-?\d+$/.test(written)) continue;
    const marked = parsed(`${text.slice(0, index)}"id":"marked"${text.slice(index + member.length)}`);
    if (isObject(marked) && marked.id === 'marked') return written;
  }
  return undefined;
}

/** Ids with another type, lost digits or other letters are reported by the rules about ids and text. */
function refuseStrayAnswers(probe: Probe): void {
  const { counts, broken } = sentIds(probe);
  const known = new Set([...counts.keys()].map(asText));
  const isLarge = (id: string) => Math.abs(Number(id)) >= 2 ** 31;
  const isUnanswered = (id: string) => !probe.answersTo(JSON.parse(id))[0];
  const isRounded = [...counts.keys()].some((id) => isLarge(id) && isUnanswered(id));
  const isGarbled = [...counts.keys()].some((id) => isText(id) && isUnanswered(id));
  for (const frame of probe.frames) {
    for (const message of messagesOf(frame).filter(isAnswer)) {
      const id = JSON.stringify(message.id) ?? 'null';
      if (id === 'null') continue; // other rules report an answer to a notification or to an unreadable message
      if (known.has(asText(id)) || broken.includes(id) || (isRounded && isLarge(id))) continue;
      if (isGarbled && isText(id)) continue;
      violation(`An answer has the id ${shownId(message.id)}, which does not belong to any request.`, frame);
    }
  }
}

/** `id`: as JSON. */
function isText(id: string): boolean {
  return id.startsWith('"');
}

function asText(id: string): string {
  return isText(id) ? String(JSON.parse(id)) : id;
}

interface SentIds {
  /** Number of requests by the JSON of their id. */
  readonly counts: ReadonlyMap<string, number>;
  /** Lines that are not JSON. A server may find an id in them. */
  readonly broken: string;
}

function sentIds({ transcript }: Probe): SentIds {
  const counts = new Map<string, number>();
  let broken = '';
  const sent = Buffer.concat(transcript.entries.filter(({ kind }) => kind === 'sent').map(({ bytes }) => bytes));
  for (const line of sent.toString('utf8').split(/\r?\n/)) {
    const messages = whole(line);
    if (messages === undefined) broken += `${line}\n`;
    for (const message of [messages].flat()) {
      if (!isObject(message) || 'result' in message || 'error' in message) continue;
      const id = JSON.stringify(message.id) ?? 'null';
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return { counts, broken };
}
