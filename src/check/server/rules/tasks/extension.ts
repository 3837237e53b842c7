// Rules about the answers of servers with the extension of 2026-07-28.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { textOf } from '../../../../base/text-of.ts';
import { TASKS } from '../../../../mcp/extensions/tasks/wire-forms.ts';
import { mcp, tasks } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { serverRows } from '../../server-rule.ts';
import { notificationsIn } from '../methods/exchange.ts';
import { textIn } from '../methods/shape.ts';
import { surveyOf } from '../methods/survey.ts';
import { endOf, followedTasks, lasting, mustDeclare, ofExtension, statusOf, tokenOf } from './followed-tasks.ts';
import {
  endedTasks,
  hasError,
  isUnknown,
  mustBeAcknowledged,
  mustHavePayloads,
  mustHaveType,
  mustNotRepeatKeys,
} from './task-shapes.ts';

const PROGRESS = 'notifications/progress';

export const extensionTaskRules = serverRows({ ...ofExtension, level: 'MUST', uses: 'shared' }, [
  {
    id: 'tasks/declared-as-an-object',
    level: 'SHOULD',
    title: 'declare tasks with an object',
    says: 'A server declares tasks with `io.modelcontextprotocol/tasks` in `extensions` of its capabilities. The value is an object without members.',
    source: tasks('capability-negotiation'),
    fix: 'Answer `server/discover` with "capabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}.',
    check: ({ facts, seen }) => {
      const declared: unknown = facts.capabilities.extensions?.[TASKS];
      if (declared === undefined) notApplicable('the server does not declare tasks');
      if (!isObject(declared))
        violation(
          `\`${TASKS}\` is declared as ${JSON.stringify(declared)}.`,
          ...(seen[0]?.answersTo(1).slice(0, 1) ?? []),
        );
    },
  },
  {
    id: 'tasks/no-experimental-capability',
    level: 'SHOULD',
    title: 'not declare the experimental form of tasks',
    says: 'The capability `tasks` belongs to 2025-11-25. A server does not declare it in a revision that has the extension.',
    source: mcp('https://modelcontextprotocol.io/seps/2663-tasks-extension#backward-compatibility'),
    fix: 'Declare `capabilities.tasks` only in the answer to `initialize` of 2025-11-25.',
    check: (ruleRun) => {
      mustDeclare(ruleRun);
      if (ruleRun.facts.capabilities.tasks !== undefined)
        violation(
          'The server declares `tasks` beside the extension.',
          ...(ruleRun.seen[0]?.answersTo(1).slice(0, 1) ?? []),
        );
    },
  },
  {
    id: 'tasks/result-type',
    title: 'use the result type `task` for new tasks only',
    says: 'The result that creates a task has `resultType` "task". Results of `tasks/get` and `tasks/update` have "complete".',
    source: tasks('polymorphic-results'),
    fix: 'Set `resultType` to "task" in the answer to the call, and to "complete" in answers to `tasks/get`, `tasks/update` and `tasks/cancel`.',
    check: async (ruleRun) => {
      for (const { created, reads, updates } of await followedTasks(ruleRun)) {
        mustHaveType('a call that became a task', created, 'task');
        for (const read of reads) mustHaveType('`tasks/get`', read, 'complete');
        for (const update of updates) mustHaveType('`tasks/update`', update, 'complete');
      }
    },
  },
  {
    id: 'tasks/readable-at-once',
    title: 'make a task readable before its call is answered',
    says: 'A server does not answer with a task before `tasks/get` can find it.',
    source: tasks('task-creation'),
    fix: 'Store the task, and wait until it can be read, before you answer the call.',
    check: async (ruleRun) => {
      for (const { reads, call } of lasting(await followedTasks(ruleRun))) {
        if (reads[0] && isUnknown(reads[0]))
          violation(`\`tasks/get\` did not find the new task of "${call.name}".`, reads[0].frame);
      }
    },
  },
  {
    id: 'tasks/completed-tasks-have-a-result',
    title: 'put the result into a completed task',
    says: 'A task with the status `completed` has `result`, the result that the call would have had.',
    source: tasks('response'),
    fix: 'Add the result of the tool to the answer to `tasks/get`: "result": {"content": […]}.',
    check: (ruleRun) => mustHavePayloads(ruleRun, 'completed'),
  },
  {
    id: 'tasks/failed-tasks-have-an-error',
    title: 'put the error into a failed task',
    says: 'A task with the status `failed` has `error`, the JSON-RPC error of the call.',
    source: tasks('task-execution-errors'),
    fix: 'Add the error to the answer to `tasks/get`: "error": {"code": …, "message": "…"}.',
    check: (ruleRun) => mustHavePayloads(ruleRun, 'failed'),
  },
  {
    id: 'tasks/waiting-tasks-have-questions',
    title: 'put the questions into a task that needs input',
    says: 'A task with the status `input_required` has `inputRequests`, an object with all pending questions: `elicitation/create`, `sampling/createMessage` or `roots/list` with its required parameters.',
    source: tasks('response'),
    fix: 'Add "inputRequests": {"<key>": {"method": "elicitation/create", "params": {…}}} to the answer to `tasks/get`, until each question is answered.',
    check: (ruleRun) => mustHavePayloads(ruleRun, 'input_required'),
  },
  {
    id: 'tasks/tool-errors-complete-a-task',
    title: 'complete a task whose tool reports an error',
    says: 'A tool error is a result with `isError`: its task is `completed`. Only a JSON-RPC error makes a task `failed`.',
    source: tasks('task-execution-errors'),
    fix: 'Set the status `completed` if the tool returned a result, even if it has `isError: true`.',
    check: async (ruleRun) => {
      const plain = (await surveyOf(ruleRun)).calls.filter(({ result }) => result?.isError === true);
      const isSameError = ({ error }: JsonObject, name: string) =>
        plain.some(({ call, result }) => {
          const text = call.name === name ? textIn(result) : undefined;
          return text && isObject(error) && textOf(error.message).includes(text);
        });
      const ended = (await endedTasks(ruleRun)).map((followed) => ({ ...followed, end: endOf(followed)! }));
      const isToolError = ({ call, end }: (typeof ended)[number]) =>
        hasError(end.result?.result) || isSameError(end.result!, call.name);
      const errors = ended.filter(isToolError);
      if (errors.length === 0) notApplicable('no tool that may be called reported an error');
      const failed = errors.find(({ end }) => statusOf(end) === 'failed');
      if (failed)
        violation(`The tool "${failed.call.name}" reports an error, and its task has failed.`, failed.end.frame);
    },
  },
  {
    id: 'tasks/unique-keys',
    title: 'use a key for one question of a task only',
    says: 'A key of `inputRequests` names one question. It is not used again in the task, even after the answer.',
    source: tasks('task-update-requests'),
    fix: 'Number the keys of a task, or make random keys.',
    check: async (ruleRun) => {
      const asking = (await followedTasks(ruleRun)).filter(({ updates }) => updates.length > 0);
      if (asking.length === 0) notApplicable('no task asked a question');
      for (const { reads } of asking) mustNotRepeatKeys(reads);
    },
  },
  {
    id: 'tasks/update-is-acknowledged',
    title: 'acknowledge `tasks/update` with an empty result',
    says: 'The result of `tasks/update` is empty: the answers take effect later, and the client reads the task again.',
    source: tasks('response-1'),
    fix: 'Answer `tasks/update` with {"resultType": "complete"}.',
    check: async (ruleRun) => {
      const updates = (await followedTasks(ruleRun)).flatMap((followed) => followed.updates);
      if (updates.length === 0) notApplicable('no task asked a question');
      const judged = updates.filter((update) => !isUnknown(update));
      if (judged.length === 0) notApplicable('the server refuses the answers of the check');
      for (const update of judged) mustBeAcknowledged('tasks/update', update);
    },
  },
  {
    id: 'tasks/no-progress',
    level: 'SHOULD',
    title: 'not send progress of a task',
    says: 'Progress notifications are not supported on tasks. The progress of a task is its `statusMessage`.',
    source: tasks('task-status-notifications'),
    fix: 'Set `statusMessage` instead of sending `notifications/progress` after the answer to the call.',
    check: async (ruleRun) => {
      const frames = ruleRun.seen.flatMap((probe) => probe.frames);
      for (const { created, call } of await followedTasks(ruleRun)) {
        const after = notificationsIn(frames.slice(frames.indexOf(created.frame)), PROGRESS);
        const own = after.find(({ params }) => params.progressToken === tokenOf(ruleRun, call));
        if (own) violation(`The server sent progress of the task of "${call.name}".`, created.frame, own.frame);
      }
    },
  },
  {
    id: 'tasks/no-progress-in-subscriptions',
    title: 'not send progress or log messages to subscribers of a task',
    says: 'A subscription to a task does not deliver `notifications/progress` and `notifications/message`.',
    source: tasks('task-status-notifications'),
    fix: 'Send only `notifications/tasks` with the id of a subscription to a task.',
    check: async (ruleRun) => {
      const notified = (await followedTasks(ruleRun)).flatMap((followed) => followed.notified);
      if (notified.length === 0) notApplicable('the server does not send notifications about tasks');
      const wrong = notified.find(
        ({ message: { method } }) => method === PROGRESS || method === 'notifications/message',
      );
      if (wrong) violation(`A subscription to a task delivered \`${wrong.message.method}\`.`, wrong.frame);
    },
  },
]);
