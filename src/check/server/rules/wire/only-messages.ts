import { logToStderr } from '../../../../diagnosis/advice.ts';
import { violation } from '../../../verdict.ts';
import type { ServerRule } from '../../server-rule.ts';

export const onlyMessages: ServerRule = {
  id: 'wire/only-messages',
  level: 'MUST',
  title: 'stdout carries only messages',
  says: 'A server writes nothing to stdout that is not a valid message of MCP. Logs belong to stderr.',
  source: { of: 'mcp', page: 'basic/transports#stdio', pages: { '2026-07-28': 'basic/transports/stdio' } },
  fix: logToStderr,
  runs: 'each era',
  uses: 'seen',
  check: ({ seen }) => {
    for (const { frames } of seen) {
      const noise = frames.find(({ json, bytes }) => json === undefined && bytes.length > 0);
      if (noise) violation(`The server wrote a line to stdout that is not JSON.`, noise);
    }
  },
};
