// Messages of the right form with odd values.

import type { Conversation } from '../../conversation.ts';
import { responses } from '../wire/sources.ts';
import { catchPerMessage, stillAnswers } from './still-answers.ts';

function withId(conversation: Conversation, id: string): string {
  return JSON.stringify(conversation.ping(0)).replace('"id":0', `"id":${id}`);
}

export const hugeNumbers = stillAnswers({
  id: 'robustness/huge-numbers',
  title: 'survive ids that no number type holds',
  says: 'JSON sets no limit for numbers. A server that cannot hold an id reports an error and goes on.',
  fix: {
    java: 'Read ids as Object or JsonNode, not as int or long.',
    dotnet: 'Read ids as JsonElement, not as int or long.',
    go: 'Read ids as json.RawMessage, not as int64.',
    rust: 'Read ids as serde_json::Value, not as u64.',
    any: 'Keep the id as the JSON that came, and handle the error of the parser.',
  },
  sent: (conversation) =>
    Object.fromEntries(
      ['1152921504606846977', '-18446744073709551617', '1e400', '-1e-400', '9'.repeat(1_000)].map((id) => [
        `a request with the id ${id.length > 30 ? `${id.slice(0, 10)}… (${id.length} digits)` : id}`,
        withId(conversation, id),
      ]),
    ),
});

const HUGE_METHOD = 256 * 1024;

export const hugeMethod = stillAnswers({
  id: 'robustness/huge-method',
  title: 'survive a method name of 256 KiB',
  says: 'An unknown method is answered with an error, however long its name is.',
  fix: { any: 'Look up the method as it is, and cut it where it is quoted or logged.' },
  sent: (conversation) => ({
    'a request with a method name of 256 KiB': JSON.stringify({
      ...conversation.ping(),
      method: 'm'.repeat(HUGE_METHOD),
    }),
  }),
});

const MANY_MEMBERS = 20_000;

export const oddMembers = stillAnswers({
  id: 'robustness/odd-members',
  title: 'survive odd members',
  says: 'Members that a server does not know are ignored: also doubled ones, those without a name, and those with a meaning in a language.',
  fix: {
    ...catchPerMessage,
    node: 'Copy members only by names that you know; keep others in a Map or an object without prototype.',
  },
  sent: (conversation) => {
    const withMeta = (json: string) =>
      JSON.stringify(conversation.ping(undefined, { _meta: { odd: 0 } })).replace('"odd":0', json);
    const many = Array.from({ length: MANY_MEMBERS }, (_, at) => `"m${at}":${at}`).join();
    return {
      'a member named `__proto__`': withMeta('"__proto__":{"method":"x","toString":null},"constructor":null'),
      'doubled members': withMeta('"twice":1,"twice":{"a":[]}').replace('{', '{"jsonrpc":"2.0",'),
      'members without a name and with a very long one': withMeta(`"":1," ":2,"\\u0000":3,"${'n'.repeat(100_000)}":4`),
      'a request with 20,000 members': withMeta(many),
    };
  },
});

export const strayResponses = stillAnswers({
  id: 'robustness/stray-responses',
  title: 'ignore responses to requests that it never sent',
  says: 'A response with an id that no request of the server had means nothing to it.',
  until: '2025-11-25',
  fix: catchPerMessage,
  sent: () => ({
    'a result for an unknown id': JSON.stringify({ jsonrpc: '2.0', id: 'never-sent', result: {} }),
    'an error for an unknown id': JSON.stringify({
      jsonrpc: '2.0',
      id: 987_654_321,
      error: { code: -32603, message: 'Of no request' },
    }),
  }),
});

export const strayNotifications = stillAnswers({
  id: 'robustness/stray-notifications',
  level: 'MUST',
  title: 'go on after cancellations and progress of unknown requests',
  says: 'Every request gets an answer, also after a cancellation of a request that is unknown or has been answered. Such a notification, and progress of one, are ignored.',
  source: responses,
  runs: 'each era',
  fix: { any: 'Look up the request by its id, and do nothing if there is none.' },
  sent: (conversation) => {
    const cancelled = (requestId?: unknown) =>
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: conversation.params({ requestId, reason: 'A check' }) ?? {},
      });
    return {
      'a cancellation of an unknown request': cancelled('never-sent'),
      'a cancellation of a request that was answered': cancelled(1),
      'a cancellation without an id': cancelled(),
      'a cancellation with an object as id': cancelled({ wrong: true }),
      'progress of an unknown request': JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: conversation.params({ progressToken: 'never-given', progress: 1 }),
      }),
    };
  },
});
