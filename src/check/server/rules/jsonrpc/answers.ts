// Which answers there may be. These rules read what all processes wrote.

import { violation } from '../../../verdict.ts';
import { isAnswer, messagesOf } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';
import { shownId } from '../answers.ts';
import { sentIds } from './sent-requests.ts';
import { messages } from './source.ts';

const common = { level: 'MUST', source: messages('responses'), runs: 'each revision', uses: 'seen' } as const;

export const answeredOnce: ServerRule = {
  ...common,
  id: 'jsonrpc/answered-once',
  title: 'answer a request only once',
  says: 'A request gets one response: a result or an error, never both one after the other.',
  source: { of: 'json-rpc', anchor: 'response_object' },
  fix: { any: 'Return after the answer was sent. Do not send an error for a request whose result is already written.' },
  check: ({ seen }) => {
    for (const probe of seen) {
      const { counts } = sentIds(probe);
      for (const [id, sent] of counts) {
        const answers = id === 'null' ? [] : probe.answersTo(JSON.parse(id));
        if (answers.length <= sent) continue;
        violation(
          `The request with the id ${shownId(JSON.parse(id))} was answered ${answers.length} times.`,
          ...answers.slice(0, 3),
        );
      }
    }
  },
};

export const noStrayAnswers: ServerRule = {
  ...common,
  id: 'jsonrpc/no-stray-answers',
  title: 'not send answers without a request',
  says: 'A response carries the id of a request that was sent. Only errors about unreadable messages have none.',
  fix: {
    any: 'Send responses only to requests, each with the id of its request. Everything else that a server sends unasked is a notification.',
  },
  check: ({ seen }) => {
    for (const probe of seen) {
      const { counts, broken } = sentIds(probe);
      // An id that changed its type, lost digits or has other letters is a matter of the rules on ids and on text.
      const known = new Set([...counts.keys()].map(asText));
      const isLarge = (id: string) => Math.abs(Number(id)) >= 2 ** 31;
      const isRounded = [...counts.keys()].some((id) => isLarge(id) && !probe.answersTo(JSON.parse(id))[0]);
      const isText = (id: string) => id.startsWith('"');
      const isGarbled = [...counts.keys()].some((id) => isText(id) && !probe.answersTo(JSON.parse(id))[0]);
      for (const frame of probe.frames) {
        for (const message of messagesOf(frame).filter(isAnswer)) {
          const id = JSON.stringify(message.id) ?? 'null';
          if (id === 'null') continue; // an answer to a notification, or to what could not be read: a matter of other rules
          if (known.has(asText(id)) || broken.includes(id) || (isRounded && isLarge(id))) continue;
          if (isGarbled && isText(id)) continue;
          violation(`An answer has the id ${shownId(message.id)}, which no request had.`, frame);
        }
      }
    }
  },
};

function asText(id: string): string {
  return id.startsWith('"') ? String(JSON.parse(id)) : id;
}
