// Several requests in flight.

import { notApplicable, violation } from '../../../verdict.ts';
import { type Conversation, withoutResult } from '../../conversation.ts';
import { type Frame, messagesOf } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { allAnswered } from '../answers.ts';

const MANY = 10;

export const atOnce: ServerRule = {
  id: 'jsonrpc/requests-at-once-are-answered',
  level: 'MUST',
  title: 'answer all requests that come together',
  says: 'A client need not wait for an answer before it sends the next request. Each of them is answered, in any order.',
  source: { of: 'json-rpc', anchor: 'response_object' },
  fix: {
    any: 'Split the input at newlines and handle every line, also if one read returns several. Do not drop a request because another is in progress.',
  },
  runs: 'each era',
  uses: 'shared',
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    const { probe, simplestMethod: method } = conversation;
    const requests = Array.from({ length: MANY }, () => ({
      jsonrpc: '2.0',
      id: probe.newId(),
      method,
      params: conversation.params(),
    }));
    probe.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
    await allAnswered(
      ruleRun,
      conversation,
      requests.map(({ id }) => id),
      'that were written at once',
    );
  },
};

const duringCall = {
  fix: {
    python: 'Run blocking work with await asyncio.to_thread(…), or in a thread pool, so that stdin is read on.',
    node: 'Await work instead of blocking the event loop (no execSync, no busy loops), or move it to a worker thread.',
    java: 'Handle each request in an executor; the thread that reads stdin must not run tools.',
    dotnet: 'Handle each request in a task of its own; the reader must not await it.',
    go: 'Handle each request in a goroutine; write answers under a mutex.',
    rust: 'Handle each request with tokio::spawn, and blocking work with spawn_blocking.',
    any: 'Read and answer requests while a tool runs: handle each request in a thread or task of its own.',
  },
  runs: 'each era',
  uses: 'own',
} as const;

export const pingDuringCall: ServerRule = {
  ...duringCall,
  id: 'jsonrpc/ping-during-a-call',
  level: 'MUST',
  title: 'answer a ping while a call runs',
  says: 'The receiver of a ping answers promptly. A call that takes long does not delay it.',
  source: { of: 'mcp', page: 'basic/utilities/ping#behavior-requirements' },
  until: '2025-11-25',
  check: (ruleRun) => isAnsweredDuringCall(ruleRun, 'ping'),
};

export const requestDuringCall: ServerRule = {
  ...duringCall,
  id: 'jsonrpc/requests-during-a-call',
  level: 'ADVICE',
  title: 'answer other requests while a call runs',
  says: 'Hosts send requests of several conversations over one connection. A call that takes long does not hold up the others.',
  source: { of: 'standpipe' },
  check: (ruleRun) => isAnsweredDuringCall(ruleRun, 'tools/list'),
};

/** The call never ends before the answer unless it is no long one, or the server handles one request after the other. */
async function isAnsweredDuringCall(ruleRun: ServerRuleRun, method: string): Promise<void> {
  const { name, arguments: args } = ruleRun.longCall();
  const conversation = await ruleRun.open();
  const { probe } = conversation;
  const call = conversation.ask('tools/call', { name, arguments: args });
  const id = `${method} during the call`;
  probe.send({ jsonrpc: '2.0', id, method, params: conversation.params() });
  const what = `\`${method}\` while \`${name}\` runs`;
  const isFirst = (frame: Frame) => messagesOf(frame).some((message) => message.id === id || message.id === call);
  const first = await probe.until(() => probe.frames.find(isFirst), `There was no answer to ${what}`);
  if (first !== probe.answersTo(id)[0]) await callEndedFirst(conversation, call, name, method);
  conversation.notify('notifications/cancelled', { requestId: call });
}

async function callEndedFirst(conversation: Conversation, call: number, name: string, method: string): Promise<never> {
  const answer = await conversation.answer(call, `\`${name}\``);
  const { result, frame } = answer;
  if (!result) notApplicable(`the call of \`${name}\` was answered with ${withoutResult(answer)}`);
  if (result.isError === true) notApplicable(`the call of \`${name}\` failed`);
  violation(`\`${method}\` was not answered before \`${name}\` ended.`, frame);
}
