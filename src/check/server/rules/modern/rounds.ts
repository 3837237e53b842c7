// A request that asked is sent again: with answers, with others, and with a state that is not the server's.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, withoutResult } from '../../conversation.ts';
import { modernRule, page } from './modern-rule.ts';
import {
  type AskingCall,
  answersTo,
  askingCall,
  asks,
  canBeAnswered,
  isSuccess,
  type Question,
  questionOf,
} from './tried-calls.ts';

const INTERNAL_ERROR = -32603;
const MOST_ROUNDS = 10;
const workflow = page('basic/patterns/mrtr#server-requirements-basic-workflow');
const errors = page('basic/patterns/mrtr#error-handling');
const protect = {
  any: 'Sign or encrypt `requestState` (HMAC, AEAD) together with an expiry, the method and its parameters, or keep the state on the server under a random key. Refuse what does not verify with -32602.',
};

async function answerable(asking: AskingCall, args?: JsonObject): Promise<Question> {
  const question = await asking.question(args);
  return canBeAnswered(question) ? question : notApplicable('what the call asks needs a browser');
}

export const roundRules = [
  modernRule({
    id: 'modern/retry-is-completed',
    level: 'ADVICE',
    title: 'complete a request whose questions are answered',
    says: 'The client sends the request again with an answer to each question and the state that it got. The server then completes it, or asks for more.',
    source: page('basic/patterns/mrtr#basic-workflow'),
    fix: {
      any: 'Continue the request with `inputResponses` and `requestState` of the retry. The retry has another id.',
    },
    uses: 'shared',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      let question = await answerable(asking);
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const answer = await asking.request({ ...question.state, inputResponses: answersTo(question) });
        const { result, frame } = answer;
        if (!result) violation(`The retry with all answers got ${withoutResult(answer)}.`, frame);
        if (!asks(answer)) return;
        question = questionOf(result);
      }
      notApplicable(`the call still asks after ${MOST_ROUNDS} rounds`);
    },
  }),
  modernRule({
    id: 'modern/further-answers-are-ignored',
    level: 'SHOULD',
    title: 'ignore answers to questions that it did not ask',
    says: 'A server ignores members of `inputResponses` that it does not know or need.',
    source: errors,
    fix: { any: 'Take from `inputResponses` what was asked for, and ignore all else.' },
    uses: 'shared',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const question = await answerable(asking);
      const inputResponses = { ...answersTo(question), 'standpipe-check': { action: 'decline' } };
      const answer = await asking.request({ ...question.state, inputResponses });
      if (answer.result) return;
      const again = await answerable(asking);
      const usual = await asking.request({ ...again.state, inputResponses: answersTo(again) });
      if (usual.error) notApplicable('the call refuses the answers of the check');
      violation(`A retry with one answer too many got ${withoutResult(answer)}.`, answer.frame);
    },
  }),
  modernRule({
    id: 'modern/missing-answers-are-asked-again',
    level: 'SHOULD',
    title: 'repeat a question without an answer',
    says: 'If an answer that the server needs is missing in the retry, the server asks again with `input_required` instead of an error.',
    source: errors,
    fix: { any: 'Answer a retry without the needed `inputResponses` with `input_required`, as the first request.' },
    uses: 'shared',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const { state } = await someQuestion(asking);
      const { error, frame } = await asking.request({ ...state, inputResponses: {} });
      if (error) violation(`A retry without an answer got the error ${describeError(error)}.`, frame);
    },
  }),
  modernRule({
    id: 'modern/malformed-answers-are-refused',
    level: 'SHOULD',
    title: 'not accept an answer of a wrong type',
    says: 'A server validates `inputResponses`. It does not complete the request with an answer that is not a result of the question.',
    source: errors,
    fix: { any: 'Validate each of `inputResponses` before use. Refuse the request with -32602, or ask again.' },
    uses: 'shared',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const { state, inputRequests } = await someQuestion(asking);
      const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((name) => [name, 12345]));
      const answer = await asking.request({ ...state, inputResponses });
      if (isSuccess(answer)) violation('A request was completed with a number for an answer.', answer.frame);
    },
  }),
  modernRule({
    id: 'modern/declined-questions',
    level: 'MUST',
    title: 'handle users that decline or dismiss a question',
    says: 'Servers handle users that decline or cancel an elicitation: the request is answered in any case.',
    source: page('client/elicitation#error-handling'),
    fix: { any: 'Look at `action` of the answer: "accept", "decline" or "cancel". Only the first has `content`.' },
    uses: 'shared',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      for (const action of ['decline', 'cancel']) {
        const { state, inputRequests } = await asking.question();
        const forms = Object.entries(inputRequests).filter(
          ([, request]) => isObject(request) && request.method === 'elicitation/create',
        );
        if (forms.length === 0) notApplicable('the call asks the user nothing');
        const { error, frame } = await asking.request({
          ...state,
          inputResponses: {
            ...answersTo({ inputRequests, state, requestState: undefined }),
            ...Object.fromEntries(forms.map(([name]) => [name, { action }])),
          },
        });
        if (error?.code === INTERNAL_ERROR)
          violation(`An answer with the action "${action}" got the error ${describeError(error)}.`, frame);
      }
    },
  }),
  modernRule({
    id: 'modern/altered-state-is-refused',
    level: 'SHOULD',
    title: 'refuse an altered state',
    says: 'A server treats `requestState` as input of an attacker. If the state decides anything, it is protected, and a state that does not verify is refused.',
    source: workflow,
    fix: protect,
    uses: 'shared',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const question = await answerable(asking);
      const { requestState } = question;
      if (typeof requestState !== 'string' || requestState === '') notApplicable('the call has no state');
      const answer = await asking.request({ requestState: altered(requestState), inputResponses: answersTo(question) });
      if (isSuccess(answer)) violation('A request was completed with a state that had been altered.', answer.frame);
    },
  }),
  modernRule({
    id: 'modern/any-state-is-answered',
    level: 'MUST',
    title: 'answer a state of any form',
    says: 'Every request gets an answer, also one whose `requestState` is empty, of a wrong type, or not made by the server.',
    source: { of: 'json-rpc', anchor: 'response_object' },
    fix: protect,
    uses: 'shared',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const states = ['', '{}', 'e30=', 'x'.repeat(10_000), 1, {}];
      await Promise.all(states.map((requestState) => asking.request({ requestState, inputResponses: {} })));
      await asking.conversation.barrier();
    },
  }),
  modernRule({
    id: 'modern/replayed-state-is-answered',
    level: 'MUST',
    title: 'answer a state that is sent twice',
    says: 'A retry that comes twice is two requests: each gets an answer. What must happen only once, the server itself has to ensure.',
    source: { of: 'json-rpc', anchor: 'response_object' },
    fix: protect,
    uses: 'shared',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const question = await answerable(asking);
      const retry = { ...question.state, inputResponses: answersTo(question) };
      await asking.request(retry);
      await Promise.all([asking.request(retry), asking.request(retry)]);
      await asking.conversation.barrier();
    },
  }),
  modernRule({
    id: 'modern/state-belongs-to-its-request',
    level: 'SHOULD',
    title: 'refuse a state with another request',
    says: 'The protected state names the request that it was made for, and is refused with another one.',
    source: workflow,
    fix: protect,
    uses: 'shared',
    check: async (ruleRun) => {
      const asking = await askingCall(ruleRun);
      const name = textArgumentOf(asking) ?? notApplicable('the call that asks takes no text');
      const args = { ...asking.call.arguments, [name]: 'x' };
      const question = await answerable(asking, args);
      if (question.requestState === undefined) notApplicable('the call has no state');
      const retry = { ...question.state, inputResponses: answersTo(question) };
      const answer = await asking.request(retry, undefined, { ...args, [name]: 'y' });
      if (isSuccess(answer))
        violation(`A state was taken with another \`${name}\` than it was made for.`, answer.frame);
    },
  }),
];

/** One character in the middle: the last of Base64 may have bits without meaning. */
function altered(state: string): string {
  const at = Math.floor(state.length / 2);
  const other = state[at] === '5' ? '6' : '5';
  return state.slice(0, at) + other + state.slice(at + 1);
}

async function someQuestion(asking: AskingCall): Promise<Question> {
  const question = await asking.question();
  if (Object.keys(question.inputRequests).length === 0) notApplicable('the call asks nothing');
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
