// Names of members that are almost those of the specification. Of required members other rules say that they are missing, and how they are misspelt.

import { methodsOfMcp } from '../../../../mcp/methods.ts';
import { misspelling } from '../../../../observe/analysis/schema-check.ts';
import { Violation } from '../../../verdict.ts';
import { type Frame, isAnswer, messagesOf } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';
import { resultsOf } from './official-schema.ts';

const methods = [...methodsOfMcp.keys()];

export const memberNames: ServerRule = {
  id: 'methods/member-names',
  level: 'ADVICE',
  title: 'spell optional members as the specification does',
  says: 'Clients ignore members that they do not know. One whose name differs from that of the specification only in case, `_` or `-`, such as `next_cursor`, has no effect.',
  source: { of: 'standpipe' },
  fix: { any: 'Rename the member. MCP uses camelCase: `nextCursor`, `mimeType`, `isError`, `structuredContent`.' },
  runs: 'each revision',
  uses: 'seen',
  check: async ({ seen }) => {
    const judged = new Set<string>(); // many rules ask for the same list
    const judge = async (kind: 'asked' | 'result', method: string, value: unknown, frame: Frame) => {
      const text = method + JSON.stringify(value);
      if (judged.has(text)) return;
      judged.add(text);
      const found = await misspelling(method, kind, value);
      if (!found) return;
      const { name, meant } = found;
      const what = kind === 'result' ? `The result of \`${method}\`` : `\`${method}\``;
      throw new Violation(
        `${what} has \`${name}\`, which clients ignore: the specification has \`${meant}\`.`,
        [frame],
        `Rename \`${name}\` to \`${meant}\`.`,
      );
    };
    for (const probe of seen) {
      for (const { method, result, frame } of resultsOf(probe, methods)) await judge('result', method, result, frame);
      for (const frame of probe.frames) {
        for (const message of messagesOf(frame)) {
          if (isAnswer(message) || typeof message.method !== 'string') continue;
          await judge('asked', message.method, message, frame);
        }
      }
    }
  },
};
