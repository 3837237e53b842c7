// Rules about messages that are neither `get` nor `call`.

import { PROTOCOL_VERSION } from '../../../../../litemcp/version.ts';
import { violation } from '../../../../verdict.ts';
import type { LiteServerRule } from '../../lite-server-rule.ts';

export const unknownTypes: LiteServerRule = {
  id: 'litemcp-messages/unknown-types',
  level: 'ADVICE',
  title: 'refuse or ignore an unknown type',
  says: 'The types are get, info, call and result. A later version may have more: a server refuses such a request or ignores it, and goes on.',
  source: { of: 'standpipe' },
  fix: { any: 'Answer a request of an unknown type with a result whose "error" is true, and read on.' },
  uses: 'shared',
  check: async (ruleRun) => {
    const probe = await ruleRun.shared();
    const id = probe.send('standpipe/unknown', {});
    await probe.barrier('a request of an unknown type');
    const served = probe.answersTo(id).find(({ message }) => message.type === 'info');
    if (served) violation('A request of an unknown type was answered with "info", as if it were "get".');
  },
};

export const answersAreNotAnswered: LiteServerRule = {
  id: 'litemcp-messages/answers-are-not-answered',
  level: 'ADVICE',
  title: 'ignore answers that it receives',
  says: 'Info and result are sent by servers only. A server that answers one could do so without end with another server.',
  source: { of: 'standpipe' },
  fix: { any: 'Ignore messages of the types "info" and "result".' },
  uses: 'shared',
  check: async (ruleRun) => {
    const probe = await ruleRun.shared();
    const response = { content: [], error: false };
    const ids = [
      probe.send('info', { version: PROTOCOL_VERSION, name: 'other', parameters: [] }),
      probe.send('result', { version: PROTOCOL_VERSION, params: {}, response }),
    ];
    await probe.barrier('an answer to no request');
    const answered = ids.find((id) => probe.answersTo(id).length > 0);
    if (answered !== undefined) violation('The server answered a message that is itself an answer.');
  },
};
