// Rules about ids: which request an answer belongs to.

import { textOf } from '../../../../../base/text-of.ts';
import { violation } from '../../../../verdict.ts';
import type { LiteServerRule } from '../../lite-server-rule.ts';

/** The smallest that a client may choose, and the largest that fits into 32 bits. */
const edges = [0, 2 ** 31 - 1];

export const idsAreEchoed: LiteServerRule = {
  id: 'litemcp-messages/ids-are-echoed',
  level: 'MUST',
  title: 'answer with the id of the request',
  says: 'The id of an answer is that of the request. A client chooses integers at random.',
  source: { of: 'litemcp' },
  fix: { any: 'Copy "id" of the request into the answer as it is. 0 is an id too.' },
  uses: 'shared',
  check: async (ruleRun) => {
    const probe = await ruleRun.shared();
    for (const id of edges) await probe.answerTo(probe.send('get', {}, id), '"get"');
  },
};

export const onlyAnswers: LiteServerRule = {
  id: 'litemcp-messages/only-answers',
  level: 'SHOULD',
  title: 'not send messages without a request',
  says: 'Messages of a server answer requests of its client. It sends none on its own.',
  source: { of: 'litemcp' },
  fix: { any: 'Write to stdout only in answer to a request, with its id.' },
  uses: 'seen',
  check: ({ seen }) => {
    for (const { messages, sentIds } of seen) {
      const unasked = messages.find(({ message }) => !sentIds.has(textOf(message.id)));
      if (unasked) violation(`No request had the id ${JSON.stringify(unasked.message.id)}.`, unasked);
    }
  },
};

export const answeredOnce: LiteServerRule = {
  id: 'litemcp-messages/answered-once',
  level: 'ADVICE',
  title: 'answer each request once',
  says: 'Each request gets one answer: "get" one "info", and "call" one "result".',
  source: { of: 'standpipe' },
  fix: { any: 'Write one answer for each request.' },
  uses: 'seen',
  check: ({ seen }) => {
    for (const probe of seen) {
      for (const [id, times] of probe.sentIds) {
        const answers = probe.answersTo(Number(id));
        if (times === 1 && answers.length > 1) violation(`The request with id ${id} was answered twice.`, ...answers);
      }
    }
  },
};

export const repeatedIds: LiteServerRule = {
  id: 'litemcp-messages/repeated-ids-are-ignored',
  level: 'SHOULD',
  title: 'ignore a repeated id',
  says: 'Ids of a client are unique. The server ignores a request whose id was used before.',
  source: { of: 'litemcp' },
  fix: { any: 'Remember the ids of the requests, and do not run or answer one with a known id.' },
  uses: 'shared',
  check: async (ruleRun) => {
    const probe = await ruleRun.shared();
    const id = probe.send('get', {});
    await probe.answerTo(id, '"get"');
    await probe.barrier('"get"');
    const before = probe.answersTo(id).length;
    probe.send('get', {}, id);
    await probe.barrier('a repeated id');
    if (probe.answersTo(id).length > before) violation(`The second request with id ${id} was answered too.`);
  },
};
