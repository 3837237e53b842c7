// Rules about the experimental form of tasks in 2025-11-25.

import { isObject, type JsonObject, metaOf } from '../../../../base/json-object.ts';
import { RELATED_TASK } from '../../../../mcp/extensions/tasks/wire-forms.ts';
import { mcp } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { METHOD_NOT_FOUND } from '../../conversation.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { INVALID_PARAMS } from '../methods/exchange.ts';
import { whyNoCalls } from '../methods/shape.ts';
import { answerTo } from '../modern/tried-calls.ts';
import {
  declaresMethod,
  follow,
  followedTasks,
  isFinal,
  mustDeclare,
  NO_CANCEL,
  ofExperiment,
  statuses,
  statusOf,
  supportOf,
  taskCalls,
  taskParams,
} from './followed-tasks.ts';
import {
  endedTask,
  isOtherError,
  isRefusedAgain,
  type NewTask,
  newTask,
  openTask,
  succeedsAsTask,
} from './new-task.ts';
import { hasError, mustBeRefused, mustBeTask, readsOf, resultsOf } from './task-shapes.ts';

const INVALID_REQUEST = -32600;
const MOST_PAGES = 50;
const NEGOTIATION = mcp('basic/utilities/tasks#tool-level-negotiation');
const CANCELLATION = mcp('basic/utilities/tasks#task-cancellation');

export const experimentalTaskRules = serverRows({ ...ofExperiment, level: 'MUST', uses: 'shared' }, [
  {
    id: 'tasks/task-is-created',
    title: 'answer a call with `task` with a task',
    says: 'A server that accepts a call with `task`, of a tool that supports tasks, answers with a task and not with the result of the tool.',
    source: mcp('basic/utilities/tasks#result-retrieval'),
    fix: 'Answer with {"task": {…}} at once, and return the result of the tool in `tasks/result`.',
    check: async (ruleRun) => {
      mustDeclare(ruleRun);
      const calls = await taskCalls(ruleRun);
      const plain = calls.find(({ followed, answer }) => !followed && answer.result);
      if (plain)
        violation(`A call of "${plain.call.name}" with \`task\` was answered without a task.`, plain.answer.frame);
      await followedTasks(ruleRun);
    },
  },
  {
    id: 'tasks/begins-working',
    title: 'create a task with the status `working`',
    says: 'The first status of a task is `working`, even if the tool has ended when the call is answered.',
    source: mcp('basic/utilities/tasks#task-status-lifecycle'),
    fix: 'Set `status` to "working" in the answer to the call.',
    check: async (ruleRun) => {
      for (const { task, created } of await followedTasks(ruleRun)) {
        if (statuses.includes(task.status) && task.status !== 'working')
          violation(`A new task has the status ${JSON.stringify(task.status)}.`, created.frame);
      }
    },
  },
  {
    id: 'tasks/result-names-its-task',
    title: 'name the task in the result of `tasks/result`',
    says: 'The result of `tasks/result` has `io.modelcontextprotocol/related-task` in `_meta`, with the `taskId`.',
    source: mcp('basic/utilities/tasks#related-task-metadata'),
    fix: 'Add "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "…"}} to the result.',
    check: async (ruleRun) => {
      for (const { id, result } of await resultsOf(ruleRun)) {
        const related = metaOf(result.result)?.[RELATED_TASK];
        if (!isObject(related) || related.taskId !== id)
          violation(`\`related-task\` of a result is ${JSON.stringify(related) ?? 'absent'}.`, result.frame);
      }
    },
  },
  {
    id: 'tasks/result-of-the-call',
    title: 'return the result of the tool in `tasks/result`',
    says: '`tasks/result` returns exactly what the call would have returned: the result of the tool, with its `content`.',
    source: mcp('basic/utilities/tasks#result-retrieval'),
    fix: 'Return the result of the tool as the result of `tasks/result`, not as a member of it.',
    check: async (ruleRun) => {
      for (const { result } of await resultsOf(ruleRun)) {
        if (!Array.isArray(result.result?.content))
          violation('The result of `tasks/result` has no list `content`.', result.frame);
      }
    },
  },
  {
    id: 'tasks/result-waits',
    title: 'answer `tasks/result` when the task has ended',
    says: '`tasks/result` of a task that has not ended is answered when it ends.',
    source: mcp('basic/utilities/tasks#result-retrieval'),
    fix: 'Keep the request `tasks/result` until the task is completed, failed or cancelled.',
    check: async (ruleRun) => {
      const answered = (await followedTasks(ruleRun)).filter(({ afterResult }) => afterResult);
      if (answered.length === 0) notApplicable('`tasks/result` was not answered in time');
      for (const { result, afterResult } of answered) {
        const status = statusOf(afterResult);
        if (statuses.includes(status) && !isFinal(status))
          violation(
            `\`tasks/result\` was answered, and the task was ${status} afterwards.`,
            result!.frame,
            afterResult!.frame,
          );
      }
    },
  },
  {
    id: 'tasks/tool-errors-fail-a-task',
    level: 'SHOULD',
    title: 'fail a task whose tool reports an error',
    says: 'A task whose tool returned a result with `isError: true` has the status `failed`.',
    source: mcp('basic/utilities/tasks#task-execution-errors'),
    fix: 'Set the status `failed` if the result of the tool has `isError: true`.',
    check: async (ruleRun) => {
      const errors = (await resultsOf(ruleRun)).filter(({ result }) => hasError(result.result));
      if (errors.length === 0) notApplicable('no tool that may be called reported an error');
      const completed = errors.find(({ afterResult }) => statusOf(afterResult) === 'completed');
      if (completed)
        violation(
          'The tool reported an error, and its task is completed.',
          completed.result.frame,
          completed.afterResult!.frame,
        );
    },
  },
  {
    id: 'tasks/no-needless-related-task',
    level: 'SHOULD',
    title: 'not name the task in `_meta` of `tasks/get`',
    says: 'Results of `tasks/get` have the `taskId` as a member. They do not repeat it as `io.modelcontextprotocol/related-task` in `_meta`.',
    source: mcp('basic/utilities/tasks#related-task-metadata'),
    fix: 'Add `related-task` to messages that do not have the id of the task elsewhere.',
    check: async (ruleRun) => {
      for (const { result, frame } of await readsOf(ruleRun)) {
        if (metaOf(result)?.[RELATED_TASK] !== undefined)
          violation('A result of `tasks/get` has `related-task`.', frame);
      }
    },
  },
  {
    id: 'tasks/required-tools',
    title: 'refuse a call without `task` of a tool that requires tasks',
    says: 'A tool with `taskSupport: "required"` runs only as a task: a call without `task` is refused with -32601. The page also allows -32600.',
    source: NEGOTIATION,
    fix: 'Answer a call without `task` with the error -32601, or declare `taskSupport: "optional"`.',
    check: async (ruleRun) => {
      const { call, conversation } = await toolWith(ruleRun, 'required');
      const plain = () => conversation.request('tools/call', { name: call.name, arguments: call.arguments });
      const answer = await plain();
      const codes = [METHOD_NOT_FOUND, INVALID_REQUEST];
      if (isOtherError(answer, codes) && !(await isRefusedAgain(plain, codes, () => succeedsAsTask(ruleRun, call))))
        notApplicable(`the calls of "${call.name}" fail for other reasons`);
      mustBeRefused(`A call of "${call.name}" without \`task\``, answer, ...codes);
    },
  },
  {
    id: 'tasks/forbidden-tools',
    level: 'SHOULD',
    title: 'refuse a call with `task` of a tool without tasks',
    says: 'A tool without `taskSupport`, or with "forbidden", does not run as a task: a call with `task` is refused with -32601.',
    source: NEGOTIATION,
    fix: 'Answer a call with `task` with the error -32601, or declare `taskSupport: "optional"`.',
    check: async (ruleRun) => {
      const { call, conversation } = await toolWith(ruleRun, 'forbidden');
      const withTask = () => conversation.request('tools/call', taskParams(ruleRun, call));
      const plain = () => conversation.request('tools/call', { name: call.name, arguments: call.arguments });
      const answer = await withTask();
      const codes = [METHOD_NOT_FOUND];
      if (isOtherError(answer, codes) && !(await isRefusedAgain(withTask, codes, async () => !(await plain()).error)))
        notApplicable(`the calls of "${call.name}" fail for other reasons`);
      mustBeRefused(`A call of "${call.name}" with \`task\``, answer, ...codes);
    },
  },
  {
    id: 'tasks/cancel-ends-the-task',
    title: 'answer `tasks/cancel` with a cancelled task',
    says: 'The task has the status `cancelled` before `tasks/cancel` is answered. The result is the task.',
    source: CANCELLATION,
    fix: 'Set the status to `cancelled`, and answer with the task.',
    check: async (ruleRun) => {
      const task = await cancellableTask(ruleRun);
      const answer = await task.request('tasks/cancel');
      if (!answer.result) await task.mustGoOn();
      mustBeTask(answer.result ?? {}, 'legacy', answer.frame);
      if (statusOf(answer) !== 'cancelled')
        violation(`After \`tasks/cancel\`, the task is ${JSON.stringify(statusOf(answer))}.`, answer.frame);
    },
  },
  {
    id: 'tasks/cancelled-stays',
    title: 'keep a cancelled task cancelled',
    says: 'A cancelled task stays `cancelled`, even if its work goes on and ends. The server may remove it.',
    source: CANCELLATION,
    fix: 'Ignore the result of a tool whose task was cancelled.',
    check: async (ruleRun) => {
      const task = await cancellableTask(ruleRun);
      if (statusOf(await task.request('tasks/cancel')) !== 'cancelled')
        notApplicable('the task was not cancelled (tasks/cancel-ends-the-task)');
      await task.conversation.probe.exitLater(); // the work of the task may end in the meantime
      const answer = await task.request('tasks/get');
      if (answer.result && statusOf(answer) !== 'cancelled')
        violation(`A cancelled task is ${JSON.stringify(statusOf(answer))} later.`, answer.frame);
    },
  },
  {
    id: 'tasks/ended-tasks-are-not-cancelled',
    title: 'refuse to cancel a task that has ended',
    says: '`tasks/cancel` of a task that is completed, failed or cancelled is refused with -32602.',
    source: CANCELLATION,
    fix: 'Answer with the error -32602 if the status of the task is final.',
    check: async (ruleRun) => {
      mustCancel(ruleRun);
      const task = await endedTask(ruleRun);
      mustBeRefused('`tasks/cancel` of a task that has ended', await task.request('tasks/cancel'), INVALID_PARAMS);
    },
  },
  {
    id: 'tasks/listed',
    title: 'list the tasks that can be read',
    says: 'A task that a client can read with `tasks/get` is in the list of `tasks/list`.',
    source: mcp('basic/utilities/tasks#task-listing'),
    fix: 'List all tasks of the client, on as many pages as are needed, with a `nextCursor` on each page but the last.',
    check: async (ruleRun) => {
      mustList(ruleRun);
      const task = await newTask(ruleRun);
      let cursor: unknown;
      for (let page = 0; page < MOST_PAGES; page++) {
        const { result, frame } = await task.conversation.request('tasks/list', cursor === undefined ? {} : { cursor });
        if (!Array.isArray(result?.tasks)) violation('`tasks/list` was not answered with a list `tasks`.', frame);
        if (result.tasks.some((each) => isObject(each) && each.taskId === task.id)) return;
        cursor = result.nextCursor;
        if (typeof cursor === 'string') continue;
        const read = await task.request('tasks/get');
        if (!read.result) notApplicable('the task can no longer be read');
        violation('A task is not listed, and `tasks/get` can read it.', frame, read.frame);
      }
      notApplicable(`the list has more than ${MOST_PAGES} pages`);
    },
  },
  {
    id: 'tasks/invalid-cursors-are-refused',
    title: 'refuse an invalid cursor of `tasks/list` with -32602',
    says: 'A cursor that `tasks/list` did not return is refused with -32602.',
    source: mcp('basic/utilities/tasks#protocol-errors'),
    fix: 'Validate the cursor, and answer with the error -32602 if it is unknown.',
    check: async (ruleRun) => {
      mustList(ruleRun);
      const conversation = await ruleRun.shared();
      const answer = await conversation.request('tasks/list', { cursor: 'standpipe-unknown' });
      mustBeRefused('`tasks/list` with an unknown cursor', answer, INVALID_PARAMS);
    },
  },
  {
    id: 'tasks/questions-name-their-task',
    title: 'name the task in its questions',
    says: 'A request of the server that belongs to a task has `io.modelcontextprotocol/related-task` in `_meta`, with the `taskId`.',
    source: mcp('basic/utilities/tasks#input-required-status'),
    fix: 'Add "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "…"}} to the parameters of the question.',
    uses: 'own',
    check: async (ruleRun) => {
      const calls = (await followedTasks(ruleRun)).map(({ call }) => call);
      const asked: JsonObject[] = [];
      const handle = (method: string) => (params: JsonObject) => {
        asked.push(params);
        return answerTo({ method, params });
      };
      const methods = ['elicitation/create', 'sampling/createMessage'];
      const conversation = await ruleRun.open({
        capabilities: { elicitation: {}, sampling: {} },
        handlers: Object.fromEntries(methods.map((method) => [method, handle(method)])),
      });
      const made = await Promise.all(calls.map((call) => follow(ruleRun, conversation, call)));
      const ids = made.map(({ followed }) => followed?.id);
      if (asked.length === 0) notApplicable('no task asked a question');
      for (const params of asked) {
        const related = metaOf(params)?.[RELATED_TASK];
        if (!isObject(related) || !ids.includes(String(related.taskId)))
          violation(`\`related-task\` of a question is ${JSON.stringify(related) ?? 'absent'}.`);
      }
    },
  },
]);

function mustCancel(ruleRun: ServerRuleRun): void {
  mustDeclare(ruleRun);
  if (!declaresMethod(ruleRun, 'cancel')) notApplicable(NO_CANCEL);
}

function mustList(ruleRun: ServerRuleRun): void {
  mustDeclare(ruleRun);
  if (!declaresMethod(ruleRun, 'list')) notApplicable('the server does not declare `tasks.list`');
}

function cancellableTask(ruleRun: ServerRuleRun): Promise<NewTask> {
  mustCancel(ruleRun);
  return openTask(ruleRun);
}

async function toolWith(ruleRun: ServerRuleRun, support: string) {
  mustDeclare(ruleRun);
  const isWanted = (tool: JsonObject) => supportOf(tool) === support;
  const call = ruleRun.calls.find(({ tool }) => isWanted(tool));
  const none = `no tool has the task support "${support}"`;
  if (!call) notApplicable(whyNoCalls(ruleRun, { calls: [] }, none, isWanted));
  return { call, conversation: await ruleRun.shared() };
}
