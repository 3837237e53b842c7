// Rules about requests to servers with the extension of 2026-07-28.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { TASKS } from '../../../../mcp/extensions/tasks/wire-forms.ts';
import { CLIENT_CAPABILITIES } from '../../../../mcp/meta.ts';
import { mcp, tasks } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import type { PermittedCall } from '../../calls.ts';
import { type Answer, describeError, METHOD_NOT_FOUND, readAnswer } from '../../conversation.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { MISSING_CAPABILITY } from '../methods/shape.ts';
import { callTimeoutMs } from '../methods/survey.ts';
import { LISTEN, notificationsFor, stopListening } from '../modern/listening.ts';
import { allCapabilities } from '../modern/tried-calls.ts';
import { followedTasks, ofExtension, taskIn, taskParams } from './followed-tasks.ts';
import { endedTask, isRefusedAgain, newTask, openTask, succeedsAsTask } from './new-task.ts';
import { isUnknown, mustBeAcknowledged, mustBeRefused, mustHaveType } from './task-shapes.ts';

const COMPATIBILITY = mcp('https://modelcontextprotocol.io/seps/2663-tasks-extension#backward-compatibility');
const REQUIRE =
  'Read `io.modelcontextprotocol/clientCapabilities` of each request. Without the extension, answer with -32021 and `data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } }`.';
const ACKNOWLEDGE = 'Answer `tasks/cancel` with {"resultType": "complete"} whenever the task exists.';

export const extensionTaskRequestRules = serverRows({ ...ofExtension, level: 'MUST', uses: 'shared' }, [
  {
    id: 'tasks/cancel-is-acknowledged',
    title: 'acknowledge `tasks/cancel` with an empty result',
    says: 'The result of `tasks/cancel` is empty, with `resultType` "complete". The server decides whether and when the task ends.',
    source: tasks('response-2'),
    fix: ACKNOWLEDGE,
    check: async (ruleRun) => {
      const task = await (ruleRun.knownLongCall ? openTask(ruleRun) : newTask(ruleRun));
      const answer = await task.request('tasks/cancel');
      if (answer.error) await task.mustGoOn();
      mustBeAcknowledged('tasks/cancel', answer);
      mustHaveType('`tasks/cancel`', answer, 'complete');
    },
  },
  {
    id: 'tasks/cancel-of-an-ended-task',
    level: 'SHOULD',
    title: 'acknowledge `tasks/cancel` of a task that has ended',
    says: 'A client cannot know that a task has just ended. Its `tasks/cancel` is acknowledged like any other; -32602 is for ids that do not exist.',
    source: tasks('task-cancellation'),
    fix: ACKNOWLEDGE,
    check: async (ruleRun) => {
      const task = await endedTask(ruleRun);
      const { error, frame } = await task.request('tasks/cancel');
      if (!error) return;
      await task.mustExist();
      violation(`\`tasks/cancel\` of a task that has ended was refused with ${describeError(error)}.`, frame);
    },
  },
  {
    id: 'tasks/stale-answers-are-ignored',
    level: 'SHOULD',
    title: 'ignore answers to questions that are not open',
    says: 'A server ignores members of `inputResponses` whose key was never used, or was answered before.',
    source: tasks('response-1'),
    fix: 'Take the answers to pending questions from `inputResponses`, and acknowledge the request in any case.',
    check: async (ruleRun) => {
      const task = await openTask(ruleRun);
      const inputResponses = { 'standpipe-unknown': { action: 'decline' } };
      const answer = await task.request('tasks/update', { inputResponses });
      if (answer.error) await task.mustGoOn();
      await task.request('tasks/cancel');
      mustBeAcknowledged('tasks/update', answer);
    },
  },
  {
    id: 'tasks/undeclared-clients-get-no-task',
    title: 'answer a request that does not declare tasks without a task',
    says: 'A server does not answer with a task if the request does not declare the extension. Earlier declarations do not count.',
    source: tasks('capability-negotiation'),
    fix: REQUIRE,
    check: async (ruleRun) => {
      for (const { answer, name } of await undeclaredCalls(ruleRun)) {
        if (taskIn(answer)) violation(`A call of "${name}" that does not declare tasks became a task.`, answer.frame);
      }
    },
  },
  {
    id: 'tasks/undeclared-calls-are-refused-with-a-reason',
    title: 'name the extension in the refusal of a call that requires tasks',
    says: 'A call that the server can only run as a task, of a client that does not declare tasks, is refused with -32021. `requiredCapabilities` in its data names the extension.',
    source: tasks('capability-negotiation'),
    fix: REQUIRE,
    check: async (ruleRun) => {
      const refused = (await undeclaredCalls(ruleRun)).filter(({ answer }) => answer.error);
      const judged: typeof refused = [];
      for (const each of refused) if (await isRefusedForTasks(ruleRun, each)) judged.push(each);
      if (judged.length === 0) notApplicable('no permitted call requires tasks');
      for (const { answer, name } of judged) {
        mustBeRefused(`A call of "${name}" that does not declare tasks`, answer, MISSING_CAPABILITY);
        const { data } = answer.error!;
        const required = isObject(data) ? data.requiredCapabilities : undefined;
        const extensions = isObject(required) ? required.extensions : undefined;
        if (!isObject(extensions) || !isObject(extensions[TASKS]))
          violation(`\`data.requiredCapabilities\` is ${JSON.stringify(required) ?? 'absent'}.`, answer.frame);
      }
    },
  },
  {
    id: 'tasks/requests-declare-the-extension',
    title: 'refuse requests about tasks that do not declare the extension',
    says: '`tasks/get`, `tasks/update` and `tasks/cancel` of a client that does not declare tasks are refused with -32021.',
    source: tasks('protocol-errors'),
    fix: REQUIRE,
    check: async (ruleRun) => {
      const task = await newTask(ruleRun);
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        const params = { taskId: task.id, ...(method === 'tasks/update' && { inputResponses: {} }) };
        const answer = await task.conversation.request(method, params);
        if (isUnknown(answer)) await task.mustExist();
        mustBeRefused(`\`${method}\` of a client that does not declare tasks`, answer, MISSING_CAPABILITY);
      }
    },
  },
  {
    id: 'tasks/subscriptions-declare-the-extension',
    title: 'refuse subscriptions to tasks from clients that do not declare the extension',
    says: '`subscriptions/listen` with `taskIds`, of a client that does not declare tasks, is refused with -32021.',
    source: tasks('task-status-notifications'),
    fix: REQUIRE,
    check: async (ruleRun) => {
      const task = await newTask(ruleRun);
      const { conversation } = task;
      const { probe } = conversation;
      const id = conversation.ask(LISTEN, { notifications: { taskIds: [task.id] } });
      const acknowledged = () => notificationsFor(probe, id)[0];
      await probe.until(() => probe.answersTo(id)[0] ?? acknowledged(), `There was no answer to \`${LISTEN}\``);
      const [frame] = probe.answersTo(id);
      if (!frame) {
        await stopListening(conversation, id);
        violation(`\`${LISTEN}\` of a client that does not declare tasks was acknowledged.`, acknowledged()!.frame);
      }
      const answer = readAnswer(frame, id);
      if (answer.error?.code === METHOD_NOT_FOUND) notApplicable(`the server does not have \`${LISTEN}\``);
      if (isUnknown(answer)) await task.mustExist();
      mustBeRefused(`\`${LISTEN}\` of a client that does not declare tasks`, answer, MISSING_CAPABILITY);
    },
  },
  {
    id: 'tasks/removed-methods',
    level: 'SHOULD',
    title: 'answer methods of the experimental form with -32601',
    says: '`tasks/result` and `tasks/list` belong to 2025-11-25. The extension does not have them: they get the error -32601.',
    source: COMPATIBILITY,
    fix: 'Serve these methods only to clients of 2025-11-25.',
    check: async (ruleRun) => {
      const task = await newTask(ruleRun);
      for (const method of ['tasks/result', 'tasks/list'])
        mustBeRefused(`\`${method}\``, await task.request(method), METHOD_NOT_FOUND);
    },
  },
  {
    id: 'tasks/task-parameter-is-ignored',
    level: 'SHOULD',
    title: 'ignore the parameter `task` of a call',
    says: 'The parameter `task` belongs to 2025-11-25. Here it is an unknown member: it is not an error, and does not ask for a task.',
    source: COMPATIBILITY,
    fix: 'Read `params.task` only in requests of 2025-11-25.',
    check: async (ruleRun) => {
      const { call } = (await followedTasks(ruleRun))[0]!;
      const conversation = await ruleRun.shared();
      const task = { ttl: 60_000 };
      const withTask = () => conversation.request('tools/call', { ...taskParams(ruleRun, call), task });
      const declared = await withTask();
      if (declared.error && (await isRefusedAgain(withTask, [], () => succeedsAsTask(ruleRun, call))))
        violation(`A call of "${call.name}" was refused because of \`task\`.`, declared.frame);
      for (const { answer, name } of await undeclaredCalls(ruleRun, { task }))
        if (taskIn(answer))
          violation(`A call of "${name}" with \`task\`, which does not declare tasks, became a task.`, answer.frame);
    },
  },
]);

const undeclared = ({ name, arguments: args }: PermittedCall): JsonObject => ({
  name,
  arguments: args,
  _meta: { [CLIENT_CAPABILITIES]: allCapabilities },
});

async function isRefusedForTasks(ruleRun: ServerRuleRun, { call, answer }: UndeclaredCall): Promise<boolean> {
  if (answer.error?.code === MISSING_CAPABILITY) return true;
  const conversation = await ruleRun.shared();
  const request = () => conversation.request('tools/call', undeclared(call));
  return isRefusedAgain(request, [MISSING_CAPABILITY], () => succeedsAsTask(ruleRun, call));
}

interface UndeclaredCall {
  readonly call: PermittedCall;
  readonly name: string;
  readonly answer: Answer;
}

/** Makes the calls that became tasks again, without the extension. Calls that are not answered in time are cancelled. */
async function undeclaredCalls(ruleRun: ServerRuleRun, more: JsonObject = {}): Promise<UndeclaredCall[]> {
  const followed = await followedTasks(ruleRun);
  await newTask(ruleRun); // earlier declarations do not count
  const conversation = await ruleRun.shared();
  const { probe } = conversation;
  const ids = followed.map(({ call }) => conversation.ask('tools/call', { ...undeclared(call), ...more }));
  await probe.maybe(() => ids.every((id) => probe.answersTo(id)[0]) || undefined, callTimeoutMs(ruleRun));
  return followed.flatMap(({ call }, at) => {
    const [frame] = probe.answersTo(ids[at]);
    if (!frame) conversation.notify('notifications/cancelled', { requestId: ids[at] });
    return frame ? [{ call, name: call.name, answer: readAnswer(frame, ids[at]) }] : [];
  });
}
