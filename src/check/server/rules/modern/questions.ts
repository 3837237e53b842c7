// Rules about questions to clients: which clients get them, and how a request is retried with answers and state.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { methodsOfMcp, questionMethods } from '../../../../mcp/methods.ts';
import { missingFor } from '../../../../mcp/missing-capability.ts';
import type { ClientCapabilities, InputRequest } from '../../../../mcp/types.ts';
import { mcp, responses } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { type Answer, describeError, withoutResult } from '../../conversation.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { MISSING_CAPABILITY } from '../methods/shape.ts';
import { exchangesOf, modern } from './exchanges.ts';
import {
  type AskingCall,
  answersTo,
  askingCall,
  asks,
  canBeAnswered,
  freshAskingCall,
  isSuccess,
  type Question,
  questionOf,
} from './tried-calls.ts';

const workflow = mcp('basic/patterns/mrtr#server-requirements-basic-workflow');
const declare = {
  any: 'Before a call asks a question, read `io.modelcontextprotocol/clientCapabilities` of its request. If a needed capability is missing, answer with -32021 and `data: { requiredCapabilities: { elicitation: { form: {} } } }`.',
};

const INTERNAL_ERROR = -32603;
const MOST_ROUNDS = 10;
const errors = mcp('basic/patterns/mrtr#error-handling');
const protect = {
  any: 'Sign or encrypt `requestState` (HMAC, AEAD) together with an expiry, the method and its parameters, or keep the state on the server under a random key. Refuse a state that fails verification with -32602.',
};

const askedClientRules = serverRows({ ...modern, level: 'MUST' }, [
  {
    id: 'modern/asks-only-able-clients',
    title: 'ask only clients that declared the capability',
    says: 'A server puts a question into `inputRequests` only if the request declares its capability: elicitation with its mode, sampling, roots.',
    source: workflow,
    fix: declare,
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
  },
  {
    id: 'modern/missing-capability',
    title: 'report a missing capability with -32021',
    says: 'A request that requires an undeclared capability of its client gets the error MissingRequiredClientCapability, -32021.',
    source: mcp('basic/index#meta'),
    fix: declare,
    uses: 'shared',
    check: async (ruleRun) => {
      const { error, frame } = await refusal(ruleRun);
      // The result does not show whether the capability was missing or the call failed for another reason.
      if (!error) notApplicable('the call that cannot ask a question fails with a result');
      if (error.code !== MISSING_CAPABILITY) {
        await mustBeRefusedAgain(ruleRun);
        violation(
          `A call that cannot ask its question was answered with ${describeError(error)} instead of ${MISSING_CAPABILITY}.`,
          frame,
        );
      }
    },
  },
  {
    id: 'modern/missing-capability-data',
    title: 'name the missing capability in the error -32021',
    says: 'The data of MissingRequiredClientCapability has `requiredCapabilities`, in the form in which a client declares them.',
    source: mcp('basic/index#meta'),
    fix: declare,
    uses: 'shared',
    check: async (ruleRun) => {
      const { error, frame } = await refusal(ruleRun);
      if (error?.code !== MISSING_CAPABILITY) notApplicable(`the server did not answer with ${MISSING_CAPABILITY}`);
      const required = isObject(error.data) ? error.data.requiredCapabilities : undefined;
      if (!isObject(required) || Object.keys(required).length === 0)
        violation(`\`data.requiredCapabilities\` is ${JSON.stringify(required) ?? 'absent'}.`, frame);
    },
  },
  {
    id: 'modern/input-required-where-allowed',
    title: 'ask only in calls, prompts and resources',
    says: 'Only `tools/call`, `prompts/get` and `resources/read` are answered with `input_required`.',
    source: mcp('basic/patterns/mrtr#supported-requests'),
    fix: 'Answer other requests with a complete result or an error.',
    uses: 'seen',
    check: (ruleRun) => {
      for (const { method, result, frame } of exchangesOf(ruleRun)) {
        if (result?.resultType === 'input_required' && !methodsOfMcp.get(method)?.asks)
          violation(`\`${method}\` was answered with \`input_required\`.`, frame);
      }
    },
  },
  {
    id: 'modern/input-required-shape',
    title: 'put questions or a state into `input_required`',
    says: 'An `input_required` result has `inputRequests`, an object of requests by name, or `requestState`, a string, or both.',
    source: mcp('basic/patterns/mrtr#inputrequiredresult'),
    fix: 'Put each question into `inputRequests` under a separate name, and the data that the retry needs into `requestState` as a string.',
    uses: 'seen',
    check: (ruleRun) => {
      for (const { inputRequests, requestState, frame } of askingResultsOf(ruleRun)) {
        if (inputRequests === undefined && requestState === undefined)
          violation('An `input_required` result has neither `inputRequests` nor `requestState`.', frame);
        if (inputRequests !== undefined && !isObject(inputRequests))
          violation(`\`inputRequests\` is ${JSON.stringify(inputRequests)}, not an object.`, frame);
        if (requestState !== undefined && typeof requestState !== 'string')
          violation(`\`requestState\` is ${JSON.stringify(requestState)}, not a string.`, frame);
      }
    },
  },
  {
    id: 'modern/questions',
    title: 'ask with well-formed requests',
    says: 'Each member of `inputRequests` is `elicitation/create`, `sampling/createMessage` or `roots/list` with its required parameters.',
    source: mcp('basic/patterns/mrtr#inputrequests'),
    fix: 'Form: `message` and `requestedSchema` of type object. URL: `mode: "url"`, `message`, `url`. Sampling: `messages`, `maxTokens`.',
    uses: 'seen',
    check: (ruleRun) => {
      for (const { inputRequests, frame } of askingResultsOf(ruleRun)) {
        for (const [name, request] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
          const fault = faultOf(request);
          if (fault) violation(`The question ${JSON.stringify(name)} is not valid: ${fault}.`, frame);
        }
      }
    },
  },
]);

const roundRules = serverRows({ ...modern, uses: 'shared' }, [
  {
    id: 'modern/retry-is-completed',
    level: 'ADVICE',
    title: 'complete a request whose questions are answered',
    says: 'The client sends the request again with an answer to each question and the received state. The server then completes it, or asks further questions.',
    source: mcp('basic/patterns/mrtr#basic-workflow'),
    fix: 'Continue the request with `inputResponses` and `requestState` of the retry. The retry has another id.',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      let question = await answerable(asking);
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const answer = await asking.request({ ...question.state, inputResponses: answersTo(question) });
        const { result, frame } = answer;
        if (!result) violation(`The retry with all answers was answered with ${withoutResult(answer)}.`, frame);
        if (!asks(answer)) return;
        question = questionOf(result);
      }
      notApplicable(`the call still asks questions after ${MOST_ROUNDS} rounds`);
    },
  },
  {
    id: 'modern/further-answers-are-ignored',
    level: 'SHOULD',
    title: 'ignore answers to questions that it did not ask',
    says: 'A server ignores unknown or unneeded members of `inputResponses`.',
    source: errors,
    fix: 'Read the answers to your questions from `inputResponses`, and ignore other members.',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const question = await answerable(asking);
      const inputResponses = { ...answersTo(question), 'standpipe-check': { action: 'decline' } };
      const answer = await asking.request({ ...question.state, inputResponses });
      if (answer.result) return;
      const again = await answerable(asking);
      const usual = await asking.request({ ...again.state, inputResponses: answersTo(again) });
      if (usual.error) notApplicable('the call refuses the answers of the check');
      violation(`A retry with an additional answer was answered with ${withoutResult(answer)}.`, answer.frame);
    },
  },
  {
    id: 'modern/missing-answers-are-asked-again',
    level: 'SHOULD',
    title: 'repeat a question that was not answered',
    says: 'If the retry lacks an answer that the server needs, the server asks again with `input_required` instead of an error.',
    source: errors,
    fix: 'Answer a retry without the needed `inputResponses` with `input_required`, like the first request.',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const { state } = await someQuestion(asking);
      const { error, frame } = await asking.request({ ...state, inputResponses: {} });
      if (error)
        violation(
          `A retry without an answer to the question was answered with the error ${describeError(error)}.`,
          frame,
        );
    },
  },
  {
    id: 'modern/malformed-answers-are-refused',
    level: 'SHOULD',
    title: 'not accept an answer of the wrong type',
    says: 'A server validates `inputResponses`. It does not complete the request with an answer that is not a result of the question.',
    source: errors,
    fix: 'Validate each member of `inputResponses` before use. Refuse the request with -32602, or ask again.',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const { state, inputRequests } = await someQuestion(asking);
      const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((name) => [name, 12345]));
      const answer = await asking.request({ ...state, inputResponses });
      if (isSuccess(answer))
        violation('A request was completed although the answer to its question was a number.', answer.frame);
    },
  },
  {
    id: 'modern/declined-questions',
    level: 'MUST',
    title: 'answer the request when the user declines or cancels a question',
    says: 'Servers handle users that decline or cancel an elicitation: the request is answered in any case.',
    source: mcp('client/elicitation#error-handling'),
    fix: 'Read `action` of the answer: "accept", "decline" or "cancel". Only "accept" has `content`.',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      for (const action of ['decline', 'cancel']) {
        const { state, inputRequests } = await asking.question();
        const forms = Object.entries(inputRequests).filter(
          ([, request]) => isObject(request) && request.method === 'elicitation/create',
        );
        if (forms.length === 0) notApplicable('the call does not ask the user');
        const { error, frame } = await asking.request({
          ...state,
          inputResponses: {
            ...answersTo({ inputRequests, state, requestState: undefined }),
            ...Object.fromEntries(forms.map(([name]) => [name, { action }])),
          },
        });
        if (error?.code === INTERNAL_ERROR)
          violation(`A retry with the action "${action}" was answered with the error ${describeError(error)}.`, frame);
      }
    },
  },
  {
    id: 'modern/altered-state-is-refused',
    level: 'SHOULD',
    title: 'refuse an altered state',
    says: 'A server treats `requestState` as untrusted input. A state that influences decisions is protected, and a state that fails verification is refused.',
    source: workflow,
    fix: protect,
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const question = await answerable(asking);
      const { requestState } = question;
      if (typeof requestState !== 'string' || requestState === '') notApplicable('the call has no state');
      const answer = await asking.request({ requestState: altered(requestState), inputResponses: answersTo(question) });
      if (isSuccess(answer)) violation('A request was completed with an altered state.', answer.frame);
    },
  },
  {
    id: 'modern/any-state-is-answered',
    level: 'MUST',
    title: 'answer a request with any state',
    says: 'Every request gets an answer, even if its `requestState` is empty, has the wrong type, or was not made by the server.',
    source: responses,
    fix: protect,
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const states = ['', '{}', 'e30=', 'x'.repeat(10_000), 1, {}];
      await Promise.all(states.map((requestState) => asking.request({ requestState, inputResponses: {} })));
      await asking.conversation.barrier();
    },
  },
  {
    id: 'modern/replayed-state-is-answered',
    level: 'MUST',
    title: 'answer a retry that is sent twice',
    says: 'A retry that is sent twice is two requests, and each gets an answer. The server must ensure that effects that may happen once do not happen twice.',
    source: responses,
    fix: protect,
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const question = await answerable(asking);
      const retry = { ...question.state, inputResponses: answersTo(question) };
      await asking.request(retry);
      await Promise.all([asking.request(retry), asking.request(retry)]);
      await asking.conversation.barrier();
    },
  },
  {
    id: 'modern/state-belongs-to-its-request',
    level: 'SHOULD',
    title: 'refuse the state of another request',
    says: 'The protected state identifies the request for which it was made, and is refused in another request.',
    source: workflow,
    fix: protect,
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const name = textArgumentOf(asking) ?? notApplicable('the call that asks has no string argument');
      const args = { ...asking.call.arguments, [name]: 'x' };
      const question = await answerable(asking, args);
      if (question.requestState === undefined) notApplicable('the call has no state');
      const retry = { ...question.state, inputResponses: answersTo(question) };
      const answer = await asking.request(retry, undefined, { ...args, [name]: 'y' });
      if (isSuccess(answer))
        violation(`A state was accepted with another \`${name}\` than that of its request.`, answer.frame);
    },
  },
]);

export const questionRules = [...askedClientRules, ...roundRules];

function askingResultsOf(ruleRun: ServerRuleRun) {
  const asking = exchangesOf(ruleRun).filter(({ result }) => result?.resultType === 'input_required');
  if (asking.length === 0) notApplicable('no request was answered with `input_required`');
  return asking.map(({ result, frame }) => ({ ...result, frame }) as JsonObject & { frame: typeof frame });
}

export function faultOf(request: unknown): string | undefined {
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

/** Changes a character in the middle: the last character of Base64 may have unused bits. */
function altered(state: string): string {
  const at = Math.floor(state.length / 2);
  const other = state[at] === '5' ? '6' : '5';
  return state.slice(0, at) + other + state.slice(at + 1);
}

async function someQuestion(asking: AskingCall): Promise<Question> {
  const question = await asking.question();
  if (Object.keys(question.inputRequests).length === 0) notApplicable('the call asks no question');
  return question;
}

function textArgumentOf({ call }: AskingCall): string | undefined {
  const { properties } = isObject(call.tool.inputSchema) ? call.tool.inputSchema : {};
  const isText = (schema: unknown) =>
    isObject(schema) &&
    schema.type === 'string' &&
    Object.keys(schema).every((key) => ['type', 'title', 'description'].includes(key));
  return Object.entries(isObject(properties) ? properties : {}).find(([, schema]) => isText(schema))?.[0];
}

/** The answer to an asking call of a client without capabilities. */
async function refusal(ruleRun: ServerRuleRun): Promise<Answer> {
  const answer = await (await askingCall(ruleRun)).request({}, {});
  if (asks(answer)) notApplicable('the server asks the client nevertheless');
  if (answer.result && answer.result.isError !== true) notApplicable('the call succeeds without the answer');
  return answer;
}

/** Not applicable if the refusal may have another cause, such as a limit of calls. */
async function mustBeRefusedAgain(ruleRun: ServerRuleRun): Promise<void> {
  const asking = await askingCall(ruleRun);
  await asking.question();
  for (const _ of [1, 2]) {
    const { error } = await refusal(ruleRun);
    if (!error || error.code === MISSING_CAPABILITY)
      notApplicable(`calls of "${asking.call.name}" fail for other reasons too`);
  }
  await asking.question();
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

async function answerable(asking: AskingCall, args?: JsonObject): Promise<Question> {
  const question = await asking.question(args);
  return canBeAnswered(question) ? question : notApplicable('the question of the call requires a browser');
}
