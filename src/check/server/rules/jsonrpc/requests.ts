// Rules about concurrent, unknown and malformed requests.

import { RpcCode } from '../../../../base/errors.ts';
import { jsonRpc, mcp, responses } from '../../../sources.ts';
import { NotApplicable, notApplicable, Violation, violation } from '../../../verdict.ts';
import { type Answer, type Conversation, describeError, UNKNOWN_METHOD } from '../../conversation.ts';
import type { Frame } from '../../probe.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { allAnswered, anonymousAnswers, framesAfter, idsOf } from '../answers.ts';
import { beginLongCall, notLong } from '../long-call.ts';

const MANY = 10;
const errorObject = jsonRpc('error_object');

const whileCalling = {
  python: 'Run blocking work with await asyncio.to_thread(…), or in a thread pool, so that stdin is still read.',
  node: 'Await work instead of blocking the event loop with execSync or busy loops, or move it to a worker thread.',
  java: 'Handle each request in an executor; the thread that reads stdin must not run tools.',
  dotnet: 'Handle each request in a separate task; the reader must not await it.',
  go: 'Handle each request in a goroutine; write answers under a mutex.',
  rust: 'Handle each request with tokio::spawn, and blocking work with spawn_blocking.',
  any: 'Read and answer requests while a tool runs: handle each request in a separate thread or task.',
};

export const requestRules = serverRows({ level: 'ADVICE', runs: 'each era', uses: 'shared' }, [
  {
    id: 'jsonrpc/requests-at-once-are-answered',
    level: 'MUST',
    title: 'answer all requests that arrive together',
    says: 'A client may send requests without waiting for earlier answers. Each request is answered, in any order.',
    source: responses,
    fix: 'Split the input at newlines and handle every line, even if one read returns several. Do not drop a request because another is in progress.',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const requests = Array.from({ length: MANY }, () => conversation.ping());
      conversation.probe.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
      await allAnswered(ruleRun, conversation, idsOf(requests), 'that were written at once');
    },
  },
  {
    id: 'jsonrpc/ping-during-a-call',
    level: 'MUST',
    title: 'answer a ping during a call',
    says: 'The receiver of a ping answers promptly. A long call does not delay the answer.',
    source: mcp('basic/utilities/ping#behavior-requirements'),
    until: '2025-11-25',
    fix: whileCalling,
    uses: 'own',
    check: (ruleRun) => isAnsweredDuringCall(ruleRun, 'ping'),
  },
  {
    id: 'jsonrpc/requests-during-a-call',
    title: 'answer other requests during a call',
    says: 'Hosts send requests of several conversations over one connection. A long call does not delay the other requests.',
    fix: whileCalling,
    uses: 'own',
    check: (ruleRun) => isAnsweredDuringCall(ruleRun, 'tools/list'),
  },
  {
    id: 'jsonrpc/unknown-methods-are-refused',
    level: 'MUST',
    title: 'answer an unknown method with an error',
    says: 'Every request is answered. If its method does not exist, the answer is an error.',
    source: responses,
    fix: 'Answer a request for an unknown method with "error": {"code": -32601, "message": …} in place of "result".',
    check: async (ruleRun) => {
      await (await ruleRun.shared()).error(UNKNOWN_METHOD);
    },
  },
  {
    id: 'jsonrpc/method-not-found-code',
    endIsReportedBy: 'jsonrpc/unknown-methods-are-refused',
    title: 'answer an unknown method with the code -32601',
    says: 'The code -32601 means that a method does not exist. Clients use it to determine which methods a server supports.',
    source: errorObject,
    fix: 'Look up the method before you validate its params, and answer with -32601 if it does not exist.',
    check: async (ruleRun) => {
      const { error, frame } = await (await ruleRun.shared()).request(UNKNOWN_METHOD);
      if (!error) notApplicable('an unknown method is not refused (jsonrpc/unknown-methods-are-refused)');
      if (error.code !== RpcCode.methodNotFound) {
        violation(`An unknown method was answered with the error ${describeError(error)}, not -32601.`, frame);
      }
    },
  },
  {
    id: 'jsonrpc/invalid-params',
    endIsReportedBy: 'methods/wrong-requests-are-answered',
    title: 'answer params of a wrong type with -32602',
    says: 'A request whose params do not have the form that its method requires is answered with the error -32602.',
    source: errorObject,
    fix: {
      node: 'Throw new McpError(ErrorCode.InvalidParams, …) of the official SDK, or an error with code -32602, when validation fails.',
      python: 'Answer with INVALID_PARAMS (-32602) when validation fails, not with an internal error.',
      any: 'Validate the params of each request, and answer with -32602 if they are invalid, not with -32603 or a result.',
    },
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
  },
  {
    id: 'jsonrpc/positional-params-are-answered',
    title: 'answer a request whose params are an array',
    says: 'JSON-RPC allows an array as params; MCP uses only objects. Such a request is refused or answered, not ignored.',
    source: jsonRpc('parameter_structures'),
    fix: 'Answer a request whose params are an array with the error -32602.',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const { probe } = conversation;
      const id = probe.newId();
      const frames = await framesAfter(conversation, () =>
        probe.send({ jsonrpc: '2.0', id, method: 'tools/list', params: [] }),
      );
      if (probe.answersTo(id)[0] || anonymousAnswers(frames)[0]) return;
      await conversation.request('tools/list'); // a concurrent server answers the request above in about the same time
      await conversation.settled();
      if (!probe.answersTo(id)[0]) violation('A request with the params [] was not answered.');
    },
  },
  {
    id: 'jsonrpc/unknown-params-are-ignored',
    title: 'ignore unknown members of params',
    says: 'The params of a request are an open object: a client of a later revision may send members that are unknown to the server.',
    source: mcp('basic#requests', { '2024-11-05': 'basic/messages#requests' }),
    fix: {
      python: 'Set model_config = ConfigDict(extra="ignore"), not "forbid".',
      java: 'Set FAIL_ON_UNKNOWN_PROPERTIES to false (@JsonIgnoreProperties(ignoreUnknown = true)).',
      go: 'Do not call DisallowUnknownFields.',
      rust: 'Leave out #[serde(deny_unknown_fields)].',
      node: 'Do not use .strict() of zod, or additionalProperties: false, for params.',
      any: 'Ignore unknown members of params.',
    },
    check: (ruleRun) => isTolerated(ruleRun, { 'standpipe/unknown': [1] }, {}, 'an unknown member in params'),
  },
  {
    id: 'jsonrpc/unknown-members-are-ignored',
    title: 'ignore unknown members of a request',
    says: 'Specifications do not forbid members beside `id`, `method` and `params`. A server that ignores them works with more clients.',
    fix: {
      node: 'The official SDK drops such messages without an answer. In your own server, do not use .strict() of zod for messages.',
      any: 'Ignore unknown members of a message.',
    },
    check: (ruleRun) => isTolerated(ruleRun, {}, { 'standpipe/unknown': true }, 'an unknown member'),
  },
  {
    id: 'jsonrpc/parse-error',
    endIsReportedBy: 'robustness/garbage-text',
    title: 'answer a line that is not JSON with -32700',
    says: 'A server that receives invalid JSON answers with the error -32700. Its id is null, or absent since 2025-11-25.',
    source: errorObject,
    fix: 'Catch the error of the JSON parser for each line, and answer {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}.',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      const sent = () => conversation.probe.write('{"jsonrpc": "2.0", "method": "ping", "id"\n');
      const frames = await framesAfter(conversation, sent).catch((error: unknown) => {
        throw error instanceof Violation
          ? new NotApplicable('the server does not answer after a line that is not JSON (robustness/garbage-text)')
          : error;
      });
      mustBeRefused(anonymousAnswers(frames), RpcCode.parseError, 'A line that is not JSON');
    },
  },
  {
    id: 'jsonrpc/invalid-request',
    title: 'answer a message that is not a request with -32600',
    says: 'JSON that is not a valid request, such as a message whose method is a number, is answered with the error -32600.',
    source: errorObject,
    fix: 'Check the members of each message before you dispatch it. Answer with the error -32600 and the id of the message, or null if it has none.',
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
  },
]);

/** A call that ends soon after the request may have ended by itself: it proves nothing. */
async function isAnsweredDuringCall(ruleRun: ServerRuleRun, method: string): Promise<void> {
  const call = await beginLongCall(ruleRun);
  const { conversation, name, patienceMs } = call;
  const { probe } = conversation;
  const id = conversation.ask(method);
  const proof = [call.sent, probe.transcript.entries.at(-1)!];
  const startMs = performance.now();
  const isAnswer = (frame: Frame) => frame === probe.anyAnswerTo(id) || frame === probe.anyAnswerTo(call.id);
  const first = await probe.maybe(() => probe.frames.find(isAnswer)); // one read may return both answers
  const what = `\`${method}\` was not answered`;
  if (!first && probe.ended) violation(`${what} while \`${name}\` was running: ${await probe.howItEnded()}.`);
  if (!first) violation(`${what} within ${probe.timeoutMs / 1000} s while \`${name}\` was running.`, ...proof);
  if (first !== probe.anyAnswerTo(id)) {
    const { result } = await conversation.answer(call.id, `\`${name}\``);
    if (performance.now() - startMs < patienceMs || !result || result.isError === true) await notLong(call);
    violation(`${what} before \`${name}\` ended.`, ...proof, first);
  }
  conversation.notify('notifications/cancelled', { requestId: call.id });
}

function malformedRequests({ capabilities }: Conversation): (readonly [string, Record<string, unknown>])[] {
  return [
    ...(capabilities.tools ? [['tools/call', { name: 7 }] as const] : []),
    ...(capabilities.prompts ? [['prompts/get', { name: 7 }] as const] : []),
    ...(capabilities.resources ? [['resources/read', { uri: 7 }] as const] : []),
  ];
}

async function isTolerated(ruleRun: ServerRuleRun, params: object, members: object, what: string): Promise<void> {
  const conversation = await ruleRun.shared();
  const { probe, simplestMethod: method } = conversation;
  if ((await conversation.request(method)).error) notApplicable(`\`${method}\` is also refused without ${what}`);
  const id = probe.newId();
  const request = { jsonrpc: '2.0', id, method, params: { ...conversation.params(), ...params }, ...members };
  await framesAfter(conversation, () => probe.send(request));
  if (!probe.answersTo(id)[0]) violation(`A request with ${what} was not answered.`);
  const { error, frame } = await conversation.answer(id, 'it');
  if (error) violation(`A request with ${what} was refused with the error ${describeError(error)}.`, frame);
}

function mustBeRefused(answers: readonly Pick<Answer, 'frame' | 'error'>[], code: number, what: string): void {
  if (answers.some(({ error }) => error?.code === code)) return;
  const [first] = answers;
  if (!first) violation(`${what} was not answered.`);
  if (!first.error) violation(`${what} was answered with a result.`, first.frame);
  violation(`${what} was answered with the error ${describeError(first.error)}, not ${code}.`, first.frame);
}
