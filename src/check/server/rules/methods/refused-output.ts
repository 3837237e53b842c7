// A server that refuses what its own tool returned: SDKs check it before it is sent, and answer the call with an error in its place.

import { notApplicable, violation } from '../../../verdict.ts';
import type { ServerRule } from '../../server-rule.ts';
import { proofOf } from './exchange.ts';
import { refusedOutput, whyNoCalls } from './no-calls.ts';
import { surveyOf } from './survey.ts';

export const toolOutput: ServerRule = {
  id: 'methods/tool-output-is-accepted',
  level: 'SHOULD',
  title: 'not refuse what its own tools return',
  says: 'A tool returns `content`, and structured content that fits its `outputSchema` if it has one. An error in place of the result is for calls that failed.',
  source: { of: 'mcp', page: 'server/tools#tool-result' },
  fix: {
    node: 'Return { content: [{ type: "text", text: "…" }] } from the tool; with an outputSchema also structuredContent that fits it. A number is not a text.',
    python: 'Return from the tool what its type or its outputSchema says; without one, text or a list of content.',
    any: 'Return a list of content from the tool, and with an `outputSchema` also structured content that fits it.',
  },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const survey = await surveyOf(ruleRun);
    if (!survey.calls.some(({ received }) => received)) {
      notApplicable(whyNoCalls(ruleRun, survey, 'no call was answered'));
    }
    for (const made of survey.calls) {
      const refused = refusedOutput(made);
      if (refused === undefined) continue;
      violation(`The server refused what the tool "${made.call.name}" returned: ${refused}.`, ...proofOf(made));
    }
  },
};
