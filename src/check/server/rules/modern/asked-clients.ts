// Which clients are asked, and what the others get.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { methodsOfMcp, questionMethods } from '../../../../mcp/methods.ts';
import { missingFor } from '../../../../mcp/missing-capability.ts';
import type { ClientCapabilities, InputRequest } from '../../../../mcp/types.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { type Answer, describeError } from '../../conversation.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { exchangesOf } from './exchanges.ts';
import { modernRule, page } from './modern-rule.ts';
import { askingCall, asks, freshAskingCall, questionOf } from './tried-calls.ts';

const MISSING = -32021;
const mrtr = page('basic/patterns/mrtr#server-requirements-basic-workflow');
const fix = {
  any: 'Before a call asks, look at `io.modelcontextprotocol/clientCapabilities` of its request. If what is needed is not there, answer with -32021 and `data: { requiredCapabilities: { elicitation: { form: {} } } }`.',
};

/** What an asking call gets that comes from a client without capabilities. */
async function refusal(ruleRun: ServerRuleRun): Promise<Answer> {
  const answer = await (await askingCall(ruleRun)).request({}, {});
  if (asks(answer)) notApplicable('the server asks the client all the same');
  if (answer.result && answer.result.isError !== true) notApplicable('the call does without the answer');
  return answer;
}

/** The first question that a client with these capabilities cannot answer. */
function unanswerable(result: JsonObject, capabilities: ClientCapabilities): string | undefined {
  const questions = Object.values(questionOf(result).inputRequests).filter(isObject);
  const known = questions.filter(({ method }) =>
    questionMethods.includes(method as string),
  ) as unknown as InputRequest[];
  const wrong = known.find((question) =>
    missingFor({ params: {}, ...question } as InputRequest, { capabilities, revision: '2026-07-28' }),
  );
  return wrong?.method;
}

export const askedClientRules = [
  modernRule({
    id: 'modern/asks-only-able-clients',
    level: 'MUST',
    title: 'ask only clients that declared the capability',
    says: 'A server puts no question into `inputRequests` for which the request declares no capability: elicitation with its mode, sampling, roots.',
    source: mrtr,
    fix,
    uses: 'own',
    check: async (ruleRun) => {
      const asking = await freshAskingCall(ruleRun);
      for (const capabilities of [{}, { elicitation: { url: {} } }, { elicitation: {} }, { roots: {} }]) {
        const { result, frame } = await asking.request({}, capabilities);
        const wrong = result?.resultType === 'input_required' && unanswerable(result, capabilities);
        if (wrong)
          violation(`A client with the capabilities ${JSON.stringify(capabilities)} was asked \`${wrong}\`.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/missing-capability',
    level: 'MUST',
    title: 'report a missing capability with -32021',
    says: 'A request that cannot be served without a capability that its client does not declare gets the error MissingRequiredClientCapability, -32021.',
    source: page('basic/index#meta'),
    fix,
    uses: 'shared',
    check: async (ruleRun) => {
      const { error, frame } = await refusal(ruleRun);
      // Whether the call needed the capability, or failed for another reason, is not visible.
      if (!error) notApplicable('the call that cannot ask fails with a result');
      if (error.code !== MISSING)
        violation(`A call that cannot ask was answered with ${describeError(error)} instead of ${MISSING}.`, frame);
    },
  }),
  modernRule({
    id: 'modern/missing-capability-data',
    level: 'MUST',
    title: 'name the missing capability in the error -32021',
    says: 'The data of MissingRequiredClientCapability has `requiredCapabilities`, in the form in which a client declares them.',
    source: page('basic/index#meta'),
    fix,
    uses: 'shared',
    check: async (ruleRun) => {
      const { error, frame } = await refusal(ruleRun);
      if (error?.code !== MISSING) notApplicable(`the server did not answer with ${MISSING}`);
      const required = isObject(error.data) ? error.data.requiredCapabilities : undefined;
      if (!isObject(required) || Object.keys(required).length === 0)
        violation(`\`data.requiredCapabilities\` is ${JSON.stringify(required)}.`, frame);
    },
  }),
  modernRule({
    id: 'modern/input-required-where-allowed',
    level: 'MUST',
    title: 'ask only in calls, prompts and resources',
    says: 'Only `tools/call`, `prompts/get` and `resources/read` are answered with `input_required`.',
    source: page('basic/patterns/mrtr#supported-requests'),
    fix: { any: 'Answer other requests with a complete result or an error.' },
    uses: 'seen',
    check: (ruleRun) => {
      for (const { method, result, frame } of exchangesOf(ruleRun)) {
        if (result?.resultType === 'input_required' && !methodsOfMcp.get(method)?.asks)
          violation(`\`${method}\` was answered with \`input_required\`.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/input-required-shape',
    level: 'MUST',
    title: 'put questions or a state into `input_required`',
    says: 'An `input_required` result has `inputRequests`, an object of requests by name, or `requestState`, a string, or both.',
    source: page('basic/patterns/mrtr#inputrequiredresult'),
    fix: {
      any: 'Put each question under a name of its own into `inputRequests`, and what the retry needs as a string into `requestState`.',
    },
    uses: 'seen',
    check: (ruleRun) => {
      for (const { inputRequests, requestState, frame } of askingResultsOf(ruleRun)) {
        if (inputRequests === undefined && requestState === undefined)
          violation('An `input_required` result has neither `inputRequests` nor `requestState`.', frame);
        if (inputRequests !== undefined && !isObject(inputRequests))
          violation(`\`inputRequests\` is ${JSON.stringify(inputRequests)}: not an object.`, frame);
        if (requestState !== undefined && typeof requestState !== 'string')
          violation(`\`requestState\` is ${JSON.stringify(requestState)}: not a string.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/questions',
    level: 'MUST',
    title: 'ask with well-formed requests',
    says: 'Each of `inputRequests` is `elicitation/create`, `sampling/createMessage` or `roots/list` with the parameters that it requires.',
    source: page('basic/patterns/mrtr#inputrequests'),
    fix: {
      any: 'Form: `message` and `requestedSchema` of type object. URL: `mode: "url"`, `message`, `url`. Sampling: `messages`, `maxTokens`.',
    },
    uses: 'seen',
    check: (ruleRun) => {
      for (const { inputRequests, frame } of askingResultsOf(ruleRun)) {
        for (const [name, request] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
          const fault = faultOf(request);
          if (fault) violation(`The question ${JSON.stringify(name)} is not valid: ${fault}.`, frame);
        }
      }
    },
  }),
];

function askingResultsOf(ruleRun: ServerRuleRun) {
  const asking = exchangesOf(ruleRun).filter(({ result }) => result?.resultType === 'input_required');
  if (asking.length === 0) notApplicable('no request was answered with `input_required`');
  return asking.map(({ result, frame }) => ({ ...result, frame }) as JsonObject & { frame: typeof frame });
}

function faultOf(request: unknown): string | undefined {
  const { method, params = {} } = isObject(request) ? request : {};
  if (!questionMethods.includes(method as string)) return `its method is ${JSON.stringify(method)}`;
  if (!isObject(params)) return 'its `params` are not an object';
  if (method === 'sampling/createMessage') {
    if (!Array.isArray(params.messages)) return '`messages` is not a list';
    return typeof params.maxTokens === 'number' ? undefined : '`maxTokens` is not a number';
  }
  if (method === 'roots/list') return undefined;
  if (typeof params.message !== 'string') return '`message` is not a string';
  if (params.mode === 'url')
    return typeof params.url === 'string' && URL.canParse(params.url) ? undefined : '`url` is not a URL';
  if (params.mode !== undefined && params.mode !== 'form') return `its mode is ${JSON.stringify(params.mode)}`;
  return isObject(params.requestedSchema) && params.requestedSchema.type === 'object'
    ? undefined
    : '`requestedSchema` is not a schema of type object';
}
