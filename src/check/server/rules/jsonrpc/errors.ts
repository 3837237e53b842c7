// What is answered to messages that are wrong.

import { RpcCode } from '../../../../base/errors.ts';
import { NotApplicable, notApplicable, Violation, violation } from '../../../verdict.ts';
import { type Answer, type Conversation, describeError, UNKNOWN_METHOD } from '../../conversation.ts';
import type { ServerRule } from '../../server-rule.ts';
import { anonymousAnswers, framesAfter } from './frames-after.ts';

const errorObject = { of: 'json-rpc', anchor: 'error_object' } as const;

export const parseError: ServerRule = {
  id: 'jsonrpc/parse-error',
  level: 'ADVICE',
  title: 'answer a line that is not JSON with -32700',
  says: 'A server that receives invalid JSON answers with the error -32700. Its id is null, or absent since 2025-11-25.',
  source: errorObject,
  fix: {
    any: 'Catch the error of the JSON parser for each line, and answer {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}.',
  },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    const sent = () => conversation.probe.write('{"jsonrpc": "2.0", "method": "ping", "id"\n');
    const frames = await framesAfter(conversation, sent).catch((error: unknown) => {
      throw error instanceof Violation
        ? new NotApplicable('the server does not survive a line that is not JSON')
        : error;
    });
    mustBeRefused(anonymousAnswers(frames), RpcCode.parseError, 'A line that is not JSON');
  },
};

export const invalidRequest: ServerRule = {
  id: 'jsonrpc/invalid-request',
  level: 'ADVICE',
  title: 'answer a message that is not a request with -32600',
  says: 'JSON that is not a valid request, such as one whose method is a number, is answered with the error -32600.',
  source: errorObject,
  fix: {
    any: 'Check the members of each message before it is dispatched, and answer with the error -32600 and the id of the message, or null if it has none.',
  },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    const id = conversation.probe.newId();
    const frames = await framesAfter(conversation, () =>
      conversation.probe.send({ jsonrpc: '2.0', id, method: 7, params: conversation.params() }),
    );
    const answer = conversation.probe.answersTo(id)[0] && (await conversation.answer(id, 'it'));
    const found = answer ? [answer] : anonymousAnswers(frames);
    mustBeRefused(found, RpcCode.invalidRequest, 'A request whose method is a number');
  },
};

function mustBeRefused(answers: readonly Pick<Answer, 'frame' | 'error'>[], code: number, what: string): void {
  if (answers.some(({ error }) => error?.code === code)) return;
  const [first] = answers;
  if (!first) violation(`${what} was not answered.`);
  if (!first.error) violation(`${what} was answered with a result.`, first.frame);
  violation(`${what} was answered with the error ${describeError(first.error)}, not ${code}.`, first.frame);
}

export const unknownMethods: ServerRule = {
  id: 'jsonrpc/unknown-methods-are-refused',
  level: 'MUST',
  title: 'answer an unknown method with an error',
  says: 'A request is always answered. If its method does not exist, the answer is an error.',
  source: { of: 'json-rpc', anchor: 'response_object' },
  fix: { any: 'Answer a request for an unknown method with the error -32601; do not ignore it.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    await (await ruleRun.shared()).error(UNKNOWN_METHOD);
  },
};

export const methodNotFound: ServerRule = {
  id: 'jsonrpc/method-not-found-code',
  level: 'ADVICE',
  title: 'answer an unknown method with the code -32601',
  says: 'The code -32601 says that a method does not exist. Clients use it to find out what a server supports.',
  source: errorObject,
  fix: { any: 'Look up the method before its params are validated, and answer with -32601 if there is none.' },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const { error, frame } = await (await ruleRun.shared()).request(UNKNOWN_METHOD);
    if (!error) notApplicable('an unknown method is not refused (jsonrpc/unknown-methods-are-refused)');
    if (error.code !== RpcCode.methodNotFound) {
      violation(`An unknown method was answered with the error ${describeError(error)}, not -32601.`, frame);
    }
  },
};

export const invalidParams: ServerRule = {
  id: 'jsonrpc/invalid-params',
  level: 'ADVICE',
  title: 'answer params of a wrong type with -32602',
  says: 'A request whose params do not have the form that its method requires is answered with the error -32602.',
  source: errorObject,
  fix: {
    node: 'Throw new McpError(ErrorCode.InvalidParams, …) of the official SDK, or an error with code -32602, when validation fails.',
    python: 'Answer with INVALID_PARAMS (-32602) when validation fails, not with an internal error.',
    any: 'Validate the params of each request, and answer with -32602 if they do not fit: not with -32603, and not with a result.',
  },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    let any = false;
    for (const [method, params] of malformedRequests(conversation)) {
      const { error, frame } = await conversation.request(method, params);
      if (error?.code === RpcCode.methodNotFound && (await conversation.lacksMethodsOf(method))) continue;
      any = true;
      const what = `\`${method}\` with ${JSON.stringify(params)}`;
      if (!error) violation(`${what} was answered with a result.`, frame);
      if (error.code !== RpcCode.invalidParams) {
        violation(`${what} was answered with the error ${describeError(error)}, not -32602.`, frame);
      }
    }
    if (!any) notApplicable('the server has no tools, prompts or resources');
  },
};

function malformedRequests({ capabilities }: Conversation): (readonly [string, Record<string, unknown>])[] {
  return [
    ...(capabilities.tools ? [['tools/call', { name: 7 }] as const] : []),
    ...(capabilities.prompts ? [['prompts/get', { name: 7 }] as const] : []),
    ...(capabilities.resources ? [['resources/read', { uri: 7 }] as const] : []),
  ];
}
