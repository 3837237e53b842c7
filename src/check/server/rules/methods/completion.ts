// Completion of arguments.

import { isObject, jsonKind } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { notApplicable } from '../../../verdict.ts';
import type { ServerRule } from '../../server-rule.ts';
import { INVALID_PARAMS, refused } from './exchange.ts';
import { shapeRule } from './shape.ts';

const MOST_VALUES = 100;

export const completionResults = shapeRule({
  id: 'methods/completion-results',
  level: 'MUST',
  title: 'return at most 100 strings as completions',
  says: 'The result of `completion/complete` has `completion.values`, at most 100 strings. `total` is a number, `hasMore` a boolean.',
  source: { of: 'mcp', page: 'server/utilities/completion#completion-results' },
  fix: {
    any: 'Return `{"completion": {"values": […]}}` with the first 100 values, and `hasMore: true` if there are more.',
  },
  parts: (survey) =>
    survey.completions.flatMap((exchange) => {
      const what = `The result of the completion of ${JSON.stringify(exchange.params.argument)}`;
      return exchange.result ? [{ value: exchange.result, what, exchange }] : [];
    }),
  none: 'the server completes no arguments',
  problem: (result) => {
    const { completion } = result;
    if (!isObject(completion)) return wrongMember(result, 'completion');
    const { values, total, hasMore } = completion;
    if (!Array.isArray(values)) return wrongMember(completion, 'values');
    if (!values.every((value) => typeof value === 'string')) return 'has values that are not strings';
    if (values.length > MOST_VALUES) return `has ${values.length} values`;
    if (total !== undefined && typeof total !== 'number') return `has a total that is ${jsonKind(total)}`;
    return hasMore === undefined || typeof hasMore === 'boolean'
      ? undefined
      : `has a hasMore that is ${jsonKind(hasMore)}`;
  },
});

export const unknownReferences: ServerRule = {
  id: 'methods/unknown-completions-are-refused',
  level: 'SHOULD',
  title: 'refuse a completion for an unknown prompt with -32602',
  says: 'A completion that refers to a prompt that does not exist is refused with the code -32602.',
  source: { of: 'mcp', page: 'server/utilities/completion#error-handling' },
  fix: { any: 'Look up the prompt of the reference, and answer with the error -32602 if there is none.' },
  since: '2025-03-26',
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    if (!ruleRun.facts.capabilities.completions) notApplicable('the server declares no completions');
    const params = {
      ref: { type: 'ref/prompt', name: 'standpipe_no_such_prompt' },
      argument: { name: 'name', value: '' },
    };
    const what = 'A completion for an unknown prompt';
    await refused(ruleRun, what, { method: 'completion/complete', params, code: INVALID_PARAMS });
  },
};
