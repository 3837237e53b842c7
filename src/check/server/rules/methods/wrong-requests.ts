// Requests that a server must refuse, but also answer: unknown names, missing params, params of another type. Rules about single methods
// judge the codes of the answers.

import type { JsonObject } from '../../../../base/json-object.ts';
import { responses } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { exchange, proofOf } from './exchange.ts';
import { argumentsOf, declaredLists } from './survey.ts';

type WrongRequest = readonly [method: string, what: string, params: JsonObject];

const UNKNOWN = 'standpipe-unknown';
const MOST_PROMPTS = 3;

export const wrongRequestRules = serverRows({ runs: 'each era', uses: 'shared' }, [
  {
    id: 'methods/wrong-requests-are-answered',
    level: 'MUST',
    title: 'answer requests with unknown names and invalid params, and keep running',
    says: 'Every request gets an answer: also one that names an unknown tool, prompt or resource, that lacks a required member, or that has a member of another type.',
    source: responses,
    fix: {
      python:
        'Put the handling of one request into try … except Exception, and answer with an error there. A KeyError of a name that does not exist must not leave the read loop.',
      node: 'Put the handling of one request into try … catch, also around what you await, and answer with an error there.',
      any: 'Catch the errors of each request where you dispatch it, and answer with the error -32602.',
    },
    fixIsAboutEnd: true,
    check: async (ruleRun) => {
      const requests = wrongRequests(ruleRun);
      if (requests.length === 0) notApplicable('the server has no tools, prompts or resources');
      for (const [method, what, params] of requests) {
        const made = await exchange(ruleRun, method, params);
        if (made.failure) violation(`${made.failure} The request had ${what}.`, ...proofOf(made));
      }
    },
  },
]);

function wrongRequests({ facts, era }: ServerRuleRun): WrongRequest[] {
  const { tools, prompts, resources, completions, logging } = facts.capabilities;
  const strict = facts.prompts.filter((prompt) => argumentsOf(prompt).some(({ required }) => required === true));
  return [
    ...(tools ? wrongNames('tools/call', 'name', { arguments: {} }) : []),
    ...(prompts ? wrongNames('prompts/get', 'name') : []),
    ...strict.slice(0, MOST_PROMPTS).map(({ name }): WrongRequest => {
      return ['prompts/get', 'no required arguments', { name, arguments: {} }];
    }),
    ...(resources ? wrongNames('resources/read', 'uri', {}, `${UNKNOWN}://no/such/resource`) : []),
    ...(completions
      ? wrongNames('completion/complete', 'ref', { argument: { name: 'name', value: '' } }, unknownRef)
      : []),
    ...(logging && era === 'legacy' ? wrongNames('logging/setLevel', 'level') : []),
    ...declaredLists(facts).flatMap(({ method }): WrongRequest[] => [
      [method, 'an unknown cursor', { cursor: UNKNOWN }],
      [method, 'a number as `cursor`', { cursor: 7 }],
    ]),
  ];
}

const unknownRef = { type: 'ref/prompt', name: UNKNOWN };

/** Requests with an unknown or invalid name. `member`: the parameter with the name. */
function wrongNames(
  method: string,
  member: string,
  others: JsonObject = {},
  unknown: unknown = UNKNOWN,
): WrongRequest[] {
  return [
    [method, `an unknown \`${member}\``, { ...others, [member]: unknown }],
    [method, `no \`${member}\``, others],
    [method, `a number as \`${member}\``, { ...others, [member]: 7 }],
  ];
}
