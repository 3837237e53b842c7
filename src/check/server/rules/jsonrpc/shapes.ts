// The members of messages. These rules read what all processes wrote. JSON that has none of the members of a message is noise, which is a
// matter of the rules of the wire.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { violation } from '../../../verdict.ts';
import { type Frame, isAnswer, messagesOf, type Probe } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';
import { messages } from './source.ts';

const common = { level: 'MUST', runs: 'each revision', uses: 'seen' } as const;

export const versionMember: ServerRule = {
  ...common,
  id: 'jsonrpc/version-member',
  title: 'set `"jsonrpc": "2.0"` in every message',
  says: 'Requests, notifications, results and errors have the member `jsonrpc` with the text "2.0".',
  source: messages('responses'),
  fix: { any: 'Add "jsonrpc": "2.0" to every message, errors and notifications too. It is a string, not a number.' },
  check: ({ seen }) => {
    for (const { frame, message } of messagesIn(seen)) {
      if (message.jsonrpc !== '2.0') violation('A message has no member `"jsonrpc": "2.0"`.', frame);
    }
  },
};

export const resultOrError: ServerRule = {
  ...common,
  id: 'jsonrpc/result-or-error',
  title: 'answer with a result or an error, not both',
  says: 'A response sets either `result` or `error`. The other member is absent, not null.',
  source: messages('responses'),
  fix: {
    java: 'Leave out null members (@JsonInclude(NON_NULL)).',
    dotnet: 'Set DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull.',
    go: 'Use omitempty on both members, with pointers or json.RawMessage.',
    rust: 'Use #[serde(skip_serializing_if = "Option::is_none")] on both members.',
    python: 'Leave out members that are None: model_dump(exclude_none=True).',
    node: 'Answer {} for a method without a result: JSON.stringify leaves out undefined. Leave out the other member instead of writing null.',
    any: 'Leave out the member that does not apply instead of writing null. A method without a result answers {}.',
  },
  check: ({ seen }) => {
    for (const { frame, message } of messagesIn(seen)) {
      if (message.method !== undefined) continue;
      if ('result' in message && 'error' in message) violation('An answer has a `result` and an `error`.', frame);
      if (!isAnswer(message)) violation('An answer has no `result` and no `error`.', frame);
    }
  },
};

export const resultObject: ServerRule = {
  ...common,
  id: 'jsonrpc/results-are-objects',
  title: 'answer with an object as result',
  says: 'The result of every method is a JSON object, also if it is empty.',
  source: messages('responses'),
  fix: { any: 'Answer with an object: {} for a method without a result, {"tools": […]} for a list.' },
  check: ({ seen }) => {
    for (const { frame, message } of messagesIn(seen)) {
      if (!isAnswer(message) || 'error' in message || isObject(message.result)) continue;
      violation('The `result` of an answer is not an object.', frame);
    }
  },
};

export const errorMembers: ServerRule = {
  ...common,
  id: 'jsonrpc/error-members',
  title: 'give errors an integer code and a message',
  says: 'The error of a response is an object with an integer `code` and the text `message`.',
  source: messages('responses'),
  fix: { any: 'Answer errors as {"code": <integer>, "message": <string>}; further details go to `data`.' },
  check: ({ seen }) => {
    for (const { frame, message } of messagesIn(seen)) {
      if (!isAnswer(message) || 'result' in message) continue;
      const { error } = message;
      if (!isObject(error)) violation('The `error` of an answer is not an object.', frame);
      if (!Number.isInteger(error.code)) violation('The `code` of an error is not an integer.', frame);
      if (typeof error.message !== 'string') violation('The `message` of an error is not a string.', frame);
    }
  },
};

export const notificationIds: ServerRule = {
  ...common,
  id: 'jsonrpc/notifications-have-no-id',
  title: 'send notifications without an id',
  says: 'A notification has no `id`. With one it is a request, which the client has to answer.',
  source: messages('notifications'),
  fix: { any: 'Leave out the member `id` of messages whose method begins with `notifications/`. Null is an id too.' },
  check: ({ seen }) => {
    for (const { frame, message } of messagesIn(seen)) {
      const { method, id } = message;
      if (!('id' in message) || typeof method !== 'string' || !method.startsWith('notifications/')) continue;
      violation(`The server sent \`${method}\` with the id ${JSON.stringify(id)}.`, frame);
    }
  },
};

function* messagesIn(probes: readonly Probe[]): Generator<{ frame: Frame; message: JsonObject }> {
  for (const { frames } of probes) {
    for (const frame of frames) {
      for (const message of messagesOf(frame)) if (isMessage(message)) yield { frame, message };
    }
  }
}

function isMessage(message: JsonObject): boolean {
  return ['jsonrpc', 'method', 'result', 'error'].some((member) => member in message);
}
