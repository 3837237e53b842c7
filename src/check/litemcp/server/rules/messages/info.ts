// Rules about `get` and its answer.

import { toError } from '../../../../../base/errors.ts';
import { isObject } from '../../../../../base/json-object.ts';
import { readTool } from '../../../../../litemcp/tool.ts';
import { violation } from '../../../../verdict.ts';
import type { LiteServerRule } from '../../lite-server-rule.ts';
import { parametersOf } from '../../permitted-call.ts';

export const opens: LiteServerRule = {
  id: 'litemcp-messages/get-is-answered',
  level: 'MUST',
  title: 'answer "get" with "info"',
  says: 'A client asks for the tool with a message of type "get". The server answers with the same id and the type "info".',
  source: { of: 'litemcp' },
  fix: {
    any: 'Read stdin up to three newlines, and answer {"version":[1,0,0],"id":…,"type":"info","data":{…}}. Leave out --litemcp for an MCP server.',
  },
  uses: 'shared',
  check: async (ruleRun) => {
    await (await ruleRun.shared()).info();
  },
};

export const getWithoutData: LiteServerRule = {
  id: 'litemcp-messages/get-without-data',
  level: 'MUST',
  title: 'accept "get" without data',
  says: 'The data of "get" is null. The examples of the specification have an empty object, so both are valid.',
  source: { of: 'litemcp' },
  fix: { any: 'Do not read "data" of a message of type "get".' },
  uses: 'shared',
  check: async (ruleRun) => {
    const answer = await (await ruleRun.shared()).ask('get', null, '"get" with null as data');
    if (answer.message.type !== 'info') violation('"get" with null as data was not answered with "info".');
  },
};

export const toolShape: LiteServerRule = {
  id: 'litemcp-messages/tool',
  level: 'MUST',
  title: 'describe its tool with the fields of a Tool',
  says: 'A Tool has a name; description and example are strings or absent; each of its parameters has a name and a type, both strings.',
  source: { of: 'litemcp' },
  fix: { any: 'Write name, description and example as strings, and parameters as a list of {"name": …, "type": …}.' },
  uses: 'seen',
  check: ({ seen }) => {
    for (const answer of seen.flatMap(({ messages }) => messages)) {
      const { type, data } = answer.message;
      if (type !== 'info') continue;
      try {
        readTool({ ...(data as object), version: undefined });
      } catch (error) {
        violation(`The tool is not valid: ${toError(error).message}.`, answer);
      }
    }
  },
};

export const parameterNames: LiteServerRule = {
  id: 'litemcp-messages/parameter-names-differ',
  level: 'ADVICE',
  title: 'give each parameter its own name',
  says: 'The result of a call has the arguments by the names of the parameters, so two parameters with one name cannot be told apart.',
  source: { of: 'standpipe' },
  fix: { any: 'Give each parameter a name of its own.' },
  uses: 'seen',
  check: ({ seen }) => {
    for (const answer of seen.flatMap(({ messages }) => messages)) {
      const { type, data } = answer.message;
      const names = type === 'info' && isObject(data) ? parametersOf(data).map(({ name }) => name) : [];
      const twice = names.find((name, at) => names.indexOf(name) !== at);
      if (twice !== undefined) violation(`Two parameters are named ${JSON.stringify(twice)}.`, answer);
    }
  },
};
