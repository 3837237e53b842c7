import { before } from '../../../rule.ts';
import { violation } from '../../../verdict.ts';
import type { ServerRule } from '../../server-rule.ts';

export const halfMessage: ServerRule = {
  id: 'robustness/half-message-at-the-end',
  level: 'SHOULD',
  levels: before('2026-07-28', 'ADVICE'),
  title: 'exit at the end of stdin inside a message',
  says: 'A server exits when its stdin ends, also in the middle of a message: the client may have been killed.',
  source: {
    of: 'mcp',
    page: 'basic/lifecycle#shutdown',
    pages: { '2026-07-28': 'basic/transports/stdio#shutdown' },
  },
  fix: { any: 'Treat the end of stdin as the end, whatever was read before it.' },
  runs: 'once',
  uses: 'own',
  check: async (ruleRun) => {
    const conversation = await ruleRun.open();
    const { probe } = conversation;
    await conversation.barrier();
    probe.write(JSON.stringify(conversation.ping()).slice(0, 20));
    probe.endInput();
    const status = await probe.exitStatus();
    if (!status) violation(`The server did not exit within ${probe.timeoutMs / 1000} s.`);
    if (status.signal) violation(`The server was ended by ${status.signal}.`);
  },
};
