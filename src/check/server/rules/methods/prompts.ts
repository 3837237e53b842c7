// Rules about prompts and the completion of arguments.

import { isObject, type JsonObject, jsonKind } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { mcp } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import { serverRows } from '../../server-rule.ts';
import { INVALID_PARAMS, proofOf, refused } from './exchange.ts';
import { entriesOf, resultsIn, shapeRule, unique } from './shape.ts';
import { argumentsOf, INVENTED, surveyOf } from './survey.ts';

const none = 'the server has no prompts';
const MOST_VALUES = 100;

export const promptRules = serverRows({ level: 'SHOULD', runs: 'each era', uses: 'shared' }, [
  shapeRule({
    id: 'methods/prompt-entries',
    level: 'MUST',
    title: 'give prompts and their arguments names',
    says: 'Each prompt has a `name`. Its `arguments`, if any, are a list, each with a `name`; `required` is a boolean.',
    source: mcp('server/prompts#prompt'),
    fix: 'Give each prompt and each argument a name. `arguments` is a list, not an object; `required` is true or false, not a string.',
    parts: (survey) => entriesOf(survey, 'prompts'),
    none,
    problem: (prompt) => {
      if (!isObject(prompt)) return `is ${jsonKind(prompt)}`;
      if (typeof prompt.name !== 'string') return wrongMember(prompt, 'name');
      const given = prompt.arguments ?? [];
      if (!Array.isArray(given)) return `has arguments that are ${jsonKind(given)}`;
      for (const argument of given) {
        const { name, required } = isObject(argument) ? argument : {};
        if (typeof name !== 'string') return 'has an argument without a name';
        if (required !== undefined && typeof required !== 'boolean') {
          return `has an argument ${JSON.stringify(name)} with a required that is ${jsonKind(required)}`;
        }
      }
      return undefined;
    },
  }),
  {
    id: 'methods/prompt-names-are-unique',
    level: 'ADVICE',
    title: 'give each prompt a unique name',
    says: 'The name identifies a prompt: it is unique within a server.',
    source: mcp('server/prompts#prompt'),
    fix: 'Rename one of the prompts.',
    runs: 'each revision',
    check: (ruleRun) => unique(ruleRun, 'prompts', 'name', none),
  },
  {
    id: 'methods/prompts-can-be-got',
    level: 'ADVICE',
    title: 'list only prompts that `prompts/get` returns',
    says: 'Every prompt in `prompts/list` can be fetched with `prompts/get`.',
    fix: 'Answer `prompts/get` for each prompt of the list, also for prompts without arguments.',
    runs: 'each revision',
    check: async (ruleRun) => {
      const { gets } = await surveyOf(ruleRun);
      if (gets.length === 0) notApplicable(none);
      for (const get of gets) {
        const { error, failure, params } = get;
        const name = JSON.stringify(params.name);
        if (failure) violation(`${failure} The request was for the prompt ${name}.`, ...proofOf(get));
        if (!error || error.code === METHOD_NOT_FOUND || hasInvented(params)) continue;
        violation(`\`prompts/get\` for ${name} was answered with the error ${describeError(error)}.`, ...proofOf(get));
      }
    },
  },
  shapeRule({
    id: 'methods/prompt-results',
    level: 'MUST',
    title: 'return prompt messages with a role and content',
    says: 'The result of `prompts/get` has `messages`, a list. Each message has the role user or assistant, and one block of content.',
    source: mcp('server/prompts#promptmessage'),
    fix: 'Return `{"messages": [{"role": "user", "content": {"type": "text", "text": …}}]}`. `content` is one block, not a list.',
    parts: ({ gets }) => resultsIn(gets, ({ name }) => `The result of the prompt ${JSON.stringify(name)}`),
    none: 'no prompt could be fetched',
    problem: (result) => {
      const { messages } = result;
      if (!Array.isArray(messages)) return wrongMember(result, 'messages');
      for (const message of messages) {
        if (!isObject(message)) return `has a message that is ${jsonKind(message)}`;
        const { role, content } = message;
        if (role === undefined) return 'has a message without a role';
        if (role !== 'user' && role !== 'assistant') return `has a message with the role ${JSON.stringify(role)}`;
        if (!isObject(content)) return `has a message that ${wrongMember(message, 'content')}`;
      }
      return undefined;
    },
  }),
  {
    id: 'methods/unknown-prompts-are-refused',
    endIsReportedBy: 'methods/wrong-requests-are-answered',
    title: 'refuse an unknown prompt with -32602',
    says: 'A request for a prompt that does not exist is refused with the code -32602.',
    source: mcp('server/prompts#error-handling'),
    fix: 'Answer `prompts/get` for an unknown name with the error -32602.',
    check: async (ruleRun) => {
      if (!ruleRun.facts.capabilities.prompts) notApplicable('the server does not declare prompts');
      const params = { name: 'standpipe_no_such_prompt' };
      const refusal = { method: 'prompts/get', params, code: INVALID_PARAMS, isAboutName: true };
      await refused(ruleRun, 'An unknown prompt', refusal);
    },
  },
  {
    id: 'methods/missing-prompt-arguments-are-refused',
    endIsReportedBy: 'methods/wrong-requests-are-answered',
    title: 'refuse a prompt without a required argument with -32602',
    says: 'A request for a prompt without one of its required arguments is refused with the code -32602.',
    source: mcp('server/prompts#error-handling'),
    fix: 'Check that the required arguments are present, and answer with the error -32602 if one is missing.',
    check: async (ruleRun) => {
      const strict = ruleRun.facts.prompts.filter(
        (prompt) => typeof prompt.name === 'string' && argumentsOf(prompt).some(({ required }) => required === true),
      );
      if (strict.length === 0) notApplicable('no prompt has a required argument');
      for (const { name } of strict.slice(0, 3)) {
        const what = `The prompt ${JSON.stringify(name)} without its required arguments`;
        await refused(ruleRun, what, { method: 'prompts/get', params: { name, arguments: {} }, code: INVALID_PARAMS });
      }
    },
  },
  shapeRule({
    id: 'methods/completion-results',
    level: 'MUST',
    title: 'return at most 100 strings as completions',
    says: 'The result of `completion/complete` has `completion.values`, at most 100 strings. `total` is a number, `hasMore` a boolean.',
    source: mcp('server/utilities/completion#completion-results'),
    fix: 'Return `{"completion": {"values": […]}}` with the first 100 values, and `hasMore: true` if there are more.',
    parts: ({ completions }) =>
      resultsIn(completions, ({ argument }) => `The result of the completion of ${JSON.stringify(argument)}`),
    none: 'the server does not complete arguments',
    problem: (result) => {
      const { completion } = result;
      if (!isObject(completion)) return wrongMember(result, 'completion');
      const { values, total, hasMore } = completion;
      if (!Array.isArray(values)) return wrongMember(completion, 'values');
      if (!values.every((value) => typeof value === 'string')) return 'has values that are not strings';
      if (values.length > MOST_VALUES) return `has ${values.length} values, which is more than ${MOST_VALUES}`;
      if (total !== undefined && typeof total !== 'number') return `has a total that is ${jsonKind(total)}`;
      return hasMore === undefined || typeof hasMore === 'boolean'
        ? undefined
        : `has a hasMore that is ${jsonKind(hasMore)}`;
    },
  }),
  {
    id: 'methods/unknown-completions-are-refused',
    endIsReportedBy: 'methods/wrong-requests-are-answered',
    title: 'refuse a completion for an unknown prompt with -32602',
    says: 'A completion that refers to a prompt that does not exist is refused with the code -32602.',
    source: mcp('server/utilities/completion#error-handling'),
    fix: 'Look up the prompt of the reference, and answer with the error -32602 if it does not exist.',
    since: '2025-03-26',
    check: async (ruleRun) => {
      if (!ruleRun.facts.capabilities.completions) notApplicable('the server does not declare completions');
      const params = {
        ref: { type: 'ref/prompt', name: 'standpipe_no_such_prompt' },
        argument: { name: 'name', value: '' },
      };
      const what = 'A completion for an unknown prompt';
      await refused(ruleRun, what, { method: 'completion/complete', params, code: INVALID_PARAMS });
    },
  },
]);

/** A prompt may refuse a value that the server did not suggest. */
function hasInvented({ arguments: given }: JsonObject): boolean {
  return isObject(given) && Object.values(given).includes(INVENTED);
}
