// Prompts: their list and what they give.

import { isObject, type JsonObject, jsonKind } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import type { ServerRule } from '../../server-rule.ts';
import { INVALID_PARAMS, proofOf, refused } from './exchange.ts';
import { entriesOf, shapeRule } from './shape.ts';
import { argumentsOf, INVENTED, surveyOf } from './survey.ts';
import { unique } from './tool-entries.ts';

const none = 'the server has no prompts';

export const promptEntries = shapeRule({
  id: 'methods/prompt-entries',
  level: 'MUST',
  title: 'give prompts and their arguments names',
  says: 'Each prompt has a `name`. Its `arguments`, if any, are a list, each with a `name`; `required` is a boolean.',
  source: { of: 'mcp', page: 'server/prompts#prompt' },
  fix: {
    any: 'Give each prompt and each argument a name. `arguments` is a list, not an object; `required` is true or false, not a string.',
  },
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
});

export const promptNamesAreUnique: ServerRule = {
  id: 'methods/prompt-names-are-unique',
  level: 'ADVICE',
  title: 'give each prompt its own name',
  says: 'The name identifies a prompt: it is unique within a server.',
  source: { of: 'mcp', page: 'server/prompts#prompt' },
  fix: { any: 'Rename one of the prompts.' },
  runs: 'each revision',
  uses: 'shared',
  check: async (ruleRun) => unique(await surveyOf(ruleRun), 'prompts', 'name', none),
};

export const promptsCanBeGot: ServerRule = {
  id: 'methods/prompts-can-be-got',
  level: 'ADVICE',
  title: 'list only prompts that can be got',
  says: 'What `prompts/list` names can be got with `prompts/get`.',
  source: { of: 'standpipe' },
  fix: { any: 'Answer `prompts/get` for each prompt of the list, also if it has no arguments.' },
  runs: 'each revision',
  uses: 'shared',
  check: async (ruleRun) => {
    const { gets } = await surveyOf(ruleRun);
    if (gets.length === 0) notApplicable(none);
    for (const get of gets) {
      const { error, failure, params } = get;
      const what = `The prompt ${JSON.stringify(params.name)}`;
      if (failure) violation(`${failure} It was for ${what.toLowerCase()}.`, ...proofOf(get));
      if (!error || error.code === METHOD_NOT_FOUND || hasInvented(params)) continue;
      violation(`${what} was answered with the error ${describeError(error)}.`, ...proofOf(get));
    }
  },
};

/** A prompt may refuse a value that is not a suggestion of the server. */
function hasInvented({ arguments: given }: JsonObject): boolean {
  return isObject(given) && Object.values(given).includes(INVENTED);
}

export const promptResults = shapeRule({
  id: 'methods/prompt-results',
  level: 'MUST',
  title: 'return prompt messages with a role and content',
  says: 'The result of `prompts/get` has `messages`, a list. Each has the role user or assistant, and one block of content.',
  source: { of: 'mcp', page: 'server/prompts#promptmessage' },
  fix: {
    any: 'Return `{"messages": [{"role": "user", "content": {"type": "text", "text": …}}]}`. `content` is one block, not a list.',
  },
  parts: (survey) =>
    survey.gets.flatMap((exchange) => {
      const what = `The result of the prompt ${JSON.stringify(exchange.params.name)}`;
      return exchange.result ? [{ value: exchange.result, what, exchange }] : [];
    }),
  none: 'no prompt could be got',
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
});

export const unknownPrompts: ServerRule = {
  id: 'methods/unknown-prompts-are-refused',
  level: 'SHOULD',
  title: 'refuse an unknown prompt with -32602',
  says: 'A prompt that does not exist is refused with the code -32602.',
  source: { of: 'mcp', page: 'server/prompts#error-handling' },
  fix: { any: 'Answer `prompts/get` for an unknown name with the error -32602.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    if (!ruleRun.facts.capabilities.prompts) notApplicable('the server declares no prompts');
    const params = { name: 'standpipe_no_such_prompt' };
    const refusal = { method: 'prompts/get', params, code: INVALID_PARAMS, isAboutName: true };
    await refused(ruleRun, 'An unknown prompt', refusal);
  },
};

export const missingPromptArguments: ServerRule = {
  id: 'methods/missing-prompt-arguments-are-refused',
  level: 'SHOULD',
  title: 'refuse a prompt without a required argument with -32602',
  says: 'A prompt that is got without one of its required arguments is refused with the code -32602.',
  source: { of: 'mcp', page: 'server/prompts#error-handling' },
  fix: { any: 'Check that the required arguments are there, and answer with the error -32602 if not.' },
  runs: 'each era',
  uses: 'shared',
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
};
