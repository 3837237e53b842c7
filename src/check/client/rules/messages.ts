// What a client writes: lines, messages, ids.

import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject, jsonKind } from '../../../base/json-object.ts';
import { NEWEST_LEGACY } from '../../../mcp/revisions.ts';
import { writeOneLine, writeUtf8 } from '../../../wire/diagnosis/advice.ts';
import type { Source } from '../../rule.ts';
import { isAnswer, messagesOf } from '../../server/probe.ts';
import { notApplicable, violation } from '../../verdict.ts';
import type { ClientRule } from '../client-rule.ts';
import { older, plain } from '../scenarios/index.ts';
import { OLDER_REVISION } from '../scenarios/versions.ts';

const stdio: Source = { of: 'mcp', page: 'basic/transports#stdio', pages: { '2026-07-28': 'basic/transports/stdio' } };
const requests: Source = {
  of: 'mcp',
  page: 'basic/index#requests',
  pages: { '2024-11-05': 'basic/messages#requests' },
};
const read = { scenarios: [plain] };

export const onlyMessages: ClientRule = {
  id: 'client-wire/only-messages',
  level: 'MUST',
  title: 'write only messages to stdin of the server',
  says: 'A client writes nothing to stdin of the server that is not a valid message. A message has no newline in it.',
  source: stdio,
  fix: writeOneLine,
  ...read,
  check: ({ servers }) => {
    for (const { frames } of servers) {
      const other = frames.find(({ json }) => !isObject(json) && !Array.isArray(json));
      if (!other) continue;
      const what = other.bytes.length === 0 ? 'a blank line' : 'a line that is not a JSON object';
      violation(`The client wrote ${what}.`, other);
    }
  },
};

export const endsLines: ClientRule = {
  id: 'client-wire/ends-lines',
  level: 'ADVICE',
  title: 'end each message with a newline',
  says: 'Messages are delimited by newlines. A server reads a message when its newline has arrived.',
  source: stdio,
  fix: { any: 'Write a newline after each message, also after the last one.' },
  ...read,
  check: ({ servers }) => {
    for (const { rest, server } of servers) {
      if (rest.length === 0 || !server.has('stdin ended')) continue;
      violation(`The last ${rest.length} bytes have no newline.`, { kind: 'received', bytes: rest });
    }
  },
};

export const utf8: ClientRule = {
  id: 'client-wire/utf-8',
  level: 'MUST',
  title: 'write UTF-8',
  says: 'Messages are encoded as UTF-8.',
  source: { of: 'mcp', page: 'basic/transports', pages: { '2026-07-28': 'basic/transports#messages' } },
  fix: writeUtf8,
  since: '2025-03-26',
  ...read,
  check: ({ servers }) => {
    for (const { frames } of servers) {
      const other = frames.find(({ bytes }) => !isUtf8(bytes));
      if (other) violation('The client wrote bytes that are not UTF-8.', other);
    }
  },
};

export const singleMessages: ClientRule = {
  id: 'client-wire/no-batches',
  level: 'MUST',
  title: 'not send batches',
  says: 'Each line is one request, notification or response. Only 2025-03-26 has batches.',
  source: stdio,
  fix: { any: 'Write each message on a line of its own, not an array of messages.' },
  scenarios: [plain],
  check: ({ servers }) => {
    for (const { frames, asked } of servers) {
      if (asked.some(({ params }) => params.protocolVersion === OLDER_REVISION))
        notApplicable('its revision has batches');
      const batch = frames.find(({ json }) => Array.isArray(json));
      if (batch) violation('The client sent an array of messages.', batch);
    }
  },
};

export const jsonRpc: ClientRule = {
  id: 'client-wire/json-rpc',
  level: 'MUST',
  title: 'send messages in the form of JSON-RPC 2.0',
  says: 'A message has `jsonrpc` "2.0", and a `method` with `params`, an object if there are any, or the `result` or the `error` of a request. A notification has no `id`.',
  source: { of: 'mcp', page: 'basic/index#messages', pages: { '2024-11-05': 'basic/messages' } },
  fix: {
    any: 'Send {"jsonrpc":"2.0","id":…,"method":…,"params":{…}}, and messages whose method begins with `notifications/` without `id`.',
  },
  ...read,
  check: ({ servers }) => {
    for (const frame of servers.flatMap(({ frames }) => frames)) {
      for (const message of messagesOf(frame)) {
        const fault = faultOf(message);
        if (fault) violation(`A message of the client has ${fault}.`, frame);
      }
    }
  },
};

function faultOf(message: JsonObject): string | undefined {
  if (message.jsonrpc !== '2.0') return `\`jsonrpc\` ${JSON.stringify(message.jsonrpc) ?? 'left out'}`;
  if (isAnswer(message)) return undefined;
  if (typeof message.method !== 'string') return 'neither a method nor a result nor an error';
  if ('id' in message && message.method.startsWith('notifications/')) {
    return `an \`id\` and is the notification \`${message.method}\``;
  }
  const { params } = message;
  return params === undefined || isObject(params) ? undefined : `\`params\` that is ${jsonKind(params)}`;
}

export const idTypes: ClientRule = {
  id: 'client-wire/id-types',
  level: 'MUST',
  title: 'use strings or integers as ids',
  says: 'A request has an id that is a string or an integer. It is not null.',
  source: requests,
  fix: { any: 'Count up an integer for each request.' },
  ...read,
  check: ({ servers }) => {
    for (const frame of servers.flatMap(({ frames }) => frames)) {
      for (const { id, method } of messagesOf(frame)) {
        if (method === undefined || id === undefined || typeof id === 'string' || Number.isInteger(id)) continue;
        violation(`The id of \`${String(method)}\` is ${JSON.stringify(id)}.`, frame);
      }
    }
  },
};

export const uniqueIds: ClientRule = {
  id: 'client-wire/unique-ids',
  level: 'MUST',
  title: 'not use an id twice in a session',
  says: 'The id of a request was not used before by the same client in the same session.',
  source: requests,
  fix: { any: 'Count up an integer for each request.' },
  until: NEWEST_LEGACY,
  scenarios: [older],
  check: ({ servers }) => {
    for (const { session } of servers) {
      const ids = session.map(({ id }) => JSON.stringify(id));
      const again = ids.find((id, at) => ids.indexOf(id) !== at);
      if (again !== undefined) violation(`The id ${again} was used for more than one request.`);
    }
  },
};

export const messageRules = [onlyMessages, endsLines, utf8, singleMessages, jsonRpc, idTypes, uniqueIds];
