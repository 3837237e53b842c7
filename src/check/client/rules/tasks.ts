// Rules about tasks: the extension of 2026-07-28, and the experimental form of 2025-11-25.

import { isObject, metaOf } from '../../../base/json-object.ts';
import { EXPERIMENTAL, RELATED_TASK, TASKS } from '../../../mcp/extensions/tasks/wire-forms.ts';
import { NEWEST_MODERN } from '../../../mcp/revisions.ts';
import { messagesOf } from '../../server/probe.ts';
import { mcp, tasks } from '../../sources.ts';
import { notApplicable, violation } from '../../verdict.ts';
import { type ClientRuleRun, clientRows, endOf } from '../client-rule-run.ts';
import type { PlayedMcp } from '../played-mcp.ts';
import { plain, questions } from '../scenarios.ts';
import {
  askingTask,
  declaredExtension,
  forbiddenTask,
  longTask,
  type PlayedTask,
  POLL_MS,
  QUESTION,
  requiredTask,
  TASK_ID,
  TASK_OF_LIST,
  task,
  taskForAList,
  taskOf,
} from '../task-scenarios.ts';
import type { Asked } from '../usual-answers.ts';

const isAboutTasks = ({ method }: Asked) => method.startsWith('tasks/');
const hasCancelled = ({ asked }: PlayedMcp) => asked.some(({ method }) => method === 'tasks/cancel');
const DECLARE =
  'Add "extensions": {"io.modelcontextprotocol/tasks": {}} to `io.modelcontextprotocol/clientCapabilities` in `_meta` of each call and of each request about a task.';

const extensionRules = clientRows({ since: NEWEST_MODERN, level: 'MUST' }, [
  {
    id: 'client-tasks/declared-as-an-object',
    level: 'SHOULD',
    title: 'declare tasks with an object',
    says: 'A client declares tasks with `io.modelcontextprotocol/tasks` in `extensions` of its capabilities. The value is an object without members.',
    source: tasks('capability-negotiation'),
    fix: DECLARE,
    scenarios: [plain],
    check: (ruleRun) => {
      const declared = ruleRun.asked().map(declaredExtension);
      const values = declared.filter((value) => value !== undefined);
      if (values.length === 0) notApplicable('the client does not declare tasks');
      const wrong = values.find((value) => !isObject(value));
      if (wrong !== undefined) violation(`The client declares \`${TASKS}\` as ${JSON.stringify(wrong)}.`);
    },
  },
  {
    id: 'client-tasks/handles-tasks',
    title: 'handle a task as the result of a call',
    says: 'A client that declares tasks handles both results of a call: the result of the tool, and a task.',
    source: tasks('capability-negotiation'),
    fix: 'Read `resultType` of the result of `tools/call`. If it is "task", read the task with `tasks/get` until it ends.',
    scenarios: [task],
    check: (ruleRun) => {
      createdTasks(ruleRun);
      if (ruleRun.plain.clientRun.exitStatus && endOf(ruleRun.run()) !== endOf(ruleRun.plain))
        violation(
          `The client ends differently after a task. With a task: ${endOf(ruleRun.run())} With a plain result: ${endOf(ruleRun.plain)}`,
        );
    },
  },
  {
    id: 'client-tasks/polls-to-the-end',
    level: 'SHOULD',
    title: 'read a task until it has ended',
    says: 'A client reads a task until it is completed, failed or cancelled, or until it cancels the task.',
    source: tasks('task-polling'),
    fix: 'Repeat `tasks/get` while the status is `working` or `input_required`, and send `tasks/cancel` before you give up.',
    scenarios: [longTask],
    check: (ruleRun) => {
      for (const { created, server } of createdTasks(ruleRun)) {
        const polls = created.pollsMs.length;
        if (polls === 0) notApplicable('the client does not read the task');
        if (created.status !== 'completed' && !hasCancelled(server))
          violation(`The client stopped after ${polls} polls of a task that was working. ${endOf(ruleRun.run())}`);
      }
    },
  },
  {
    id: 'client-tasks/requests-declare-the-extension',
    level: 'SHOULD',
    title: 'declare tasks in requests about tasks',
    says: 'Servers refuse `tasks/get`, `tasks/update` and `tasks/cancel` of a client whose request does not declare the extension.',
    source: tasks('protocol-errors'),
    fix: DECLARE,
    scenarios: [task, longTask],
    check: (ruleRun) => {
      const wrong = taskRequests(ruleRun).find((asked) => !isObject(declaredExtension(asked)));
      if (wrong) violation(`\`${wrong.method}\` does not declare tasks.`);
    },
  },
  {
    id: 'client-tasks/answers-questions',
    level: 'SHOULD',
    title: 'answer the questions of a task',
    says: 'A client answers the questions in `inputRequests` of a task with `tasks/update`.',
    source: tasks('task-update-requests'),
    fix: 'Treat each entry of `inputRequests` like a request of the server, and send its result as the member of `inputResponses` with the same key.',
    scenarios: [askingTask],
    check: (ruleRun) => {
      if (updatesOf(ruleRun).length === 0 && !ruleRun.servers.some(hasCancelled))
        violation('The client read a task that needs input, and did not send `tasks/update`.');
    },
  },
  {
    id: 'client-tasks/answers-once',
    level: 'SHOULD',
    title: 'answer each question of a task once',
    says: 'The answers of a client take effect later. Until then `tasks/get` repeats the question. A client does not answer the same key again.',
    source: tasks('task-update-requests'),
    fix: 'Keep the keys that you have answered, and skip them in later results of `tasks/get`.',
    scenarios: [askingTask],
    check: (ruleRun) => {
      const times = answeredKeys(ruleRun).filter((key) => key === QUESTION).length;
      if (times > 1) violation(`The client answered the question "${QUESTION}" ${times} times.`);
    },
  },
  {
    id: 'client-tasks/answers-open-questions',
    title: 'answer only questions that the task has asked',
    says: 'Each key of `inputResponses` is a key of a pending question.',
    source: tasks('request-1'),
    fix: 'Use the key of the question in `inputRequests` for its answer.',
    scenarios: [askingTask],
    check: (ruleRun) => {
      const unknown = answeredKeys(ruleRun).find((key) => key !== QUESTION);
      if (unknown !== undefined) violation(`The client answered ${JSON.stringify(unknown)}, which was not asked.`);
    },
  },
  {
    id: 'client-tasks/only-calls-become-tasks',
    title: 'not follow a task that answers another request than a call',
    says: 'Only `tools/call` may become a task. A task as the answer to another request is an invalid response.',
    source: tasks('capability-negotiation'),
    fix: 'Accept `resultType: "task"` only in results of `tools/call`, and fail the other request.',
    scenarios: [taskForAList],
    check: (ruleRun) => {
      if (ruleRun.servers.every((server) => !taskOf(server)))
        notApplicable('the client does not declare tasks in `tools/list`');
      const wrong = ruleRun.asked().find((asked) => isAboutTasks(asked) && asked.params.taskId === TASK_OF_LIST);
      if (wrong) violation(`\`tools/list\` was answered with a task, and the client sent \`${wrong.method}\`.`);
    },
  },
  {
    id: 'client-tasks/no-task-parameter',
    level: 'ADVICE',
    title: 'not send the parameter `task`',
    says: 'The server decides which calls become tasks. The parameter `task` belongs to 2025-11-25.',
    source: tasks('capability-negotiation'),
    fix: 'Send `task` only to servers of 2025-11-25.',
    scenarios: [plain],
    check: (ruleRun) => {
      const calls = ruleRun.asked('tools/call').filter(({ era }) => era === 'modern');
      if (calls.length === 0) notApplicable('the client did not call the tool `echo`');
      if (calls.some(({ params }) => params.task !== undefined)) violation('The client sent a call with `task`.');
    },
  },
  {
    id: 'client-tasks/no-removed-methods',
    level: 'ADVICE',
    title: 'not send methods of the experimental form',
    says: '`tasks/result` and `tasks/list` belong to 2025-11-25. The result of a task is in the result of `tasks/get`.',
    source: tasks('task-polling'),
    fix: 'Read `result` of a completed task, and `error` of a failed one, in the result of `tasks/get`.',
    scenarios: [task],
    check: (ruleRun) => {
      const wrong = taskRequests(ruleRun).find(({ method }) => method === 'tasks/result' || method === 'tasks/list');
      if (wrong) violation(`The client sent \`${wrong.method}\`.`);
    },
  },
]);

const bothRules = clientRows({ since: EXPERIMENTAL, level: 'MUST' }, [
  {
    id: 'client-tasks/poll-interval',
    level: 'SHOULD',
    title: 'respect the poll interval of the server',
    says: 'A task suggests an interval in milliseconds: `pollIntervalMs`, or `pollInterval` in 2025-11-25. A client does not read the task more often.',
    source: tasks('task-polling', 'getting-tasks'),
    fix: 'Wait for the interval of the last answer before you send the next `tasks/get`.',
    scenarios: [task, requiredTask],
    check: (ruleRun) => {
      const polled = createdTasks(ruleRun).filter(({ created }) => created.pollsMs.length > 1);
      if (polled.length === 0) notApplicable('the client did not read a task twice');
      for (const { created } of polled) {
        const { pollsMs } = created;
        const polls = pollsMs.length;
        const tookMs = pollsMs[polls - 1]! - pollsMs[0]!;
        // The first request may arrive late.
        if (tookMs < ((polls - 1) * POLL_MS) / 2)
          violation(
            `The client read a task ${polls} times in ${Math.round(tookMs)} ms. Its interval is ${POLL_MS} ms.`,
          );
      }
    },
  },
  {
    id: 'client-tasks/task-ids-are-kept',
    title: 'return the id of a task unchanged',
    says: 'A client uses the `taskId` that the server has made in all requests about the task.',
    source: tasks('task-creation', 'task-id-requirements'),
    fix: 'Return `taskId` as the same JSON string: not trimmed, decoded or encoded.',
    scenarios: [task, requiredTask],
    check: (ruleRun) => {
      const wrong = taskRequests(ruleRun).find(
        ({ method, params }) => method !== 'tasks/list' && params.taskId !== TASK_ID,
      );
      if (wrong)
        violation(
          `\`${wrong.method}\` names the task ${JSON.stringify(wrong.params.taskId) ?? 'undefined'}, which does not exist.`,
        );
    },
  },
  {
    id: 'client-tasks/cancels-with-tasks-cancel',
    title: 'cancel a task with `tasks/cancel`',
    says: 'A client cancels a task with `tasks/cancel`. `notifications/cancelled` cancels a request that was not answered.',
    source: tasks('task-cancellation', 'basic/utilities/cancellation#behavior-requirements'),
    fix: 'Send `tasks/cancel` with the `taskId` when the call was answered with a task.',
    scenarios: [longTask, requiredTask],
    check: (ruleRun) => {
      let isCancelled = false;
      for (const { created, server } of createdTasks(ruleRun)) {
        const { frames } = server;
        isCancelled ||= hasCancelled(server);
        // Before its first request about the task, the client may not have read the answer.
        const known = frames.findIndex((frame) => messagesOf(frame).some(({ method }) => method === 'tasks/get'));
        const wrong = frames
          .slice(known < 0 ? frames.length : known)
          .find((frame) =>
            messagesOf(frame).some(
              ({ method, params }) =>
                method === 'notifications/cancelled' && isObject(params) && params.requestId === created.requestId,
            ),
          );
        if (wrong) violation('The client cancelled a task with `notifications/cancelled`.', wrong);
      }
      if (!isCancelled) notApplicable('the client did not cancel a task');
    },
  },
]);

const experimentalRules = clientRows({ since: EXPERIMENTAL, until: EXPERIMENTAL, level: 'MUST' }, [
  {
    id: 'client-tasks/task-where-supported',
    title: 'send `task` only where the server supports it',
    says: 'A client sends a call with `task` only if the server declares `tasks.requests.tools.call`, and the tool has the task support "optional" or "required".',
    source: mcp('basic/utilities/tasks#tool-level-negotiation'),
    fix: 'Read `tasks` of the capabilities and `execution.taskSupport` of the tool before you add `task` to a call.',
    scenarios: [questions, forbiddenTask],
    check: (ruleRun) => {
      for (const { run, why } of [
        { run: ruleRun.run(questions), why: 'The server does not declare tasks' },
        { run: ruleRun.run(forbiddenTask), why: 'The tool does not support tasks' },
      ]) {
        const calls = run.servers.flatMap(({ session }) => session).filter(({ method }) => method === 'tools/call');
        if (calls.length === 0) notApplicable('the client did not call the tool `echo`');
        if (calls.some(({ params }) => params.task !== undefined))
          violation(`${why}, and the client sent a call with \`task\`.`);
      }
    },
  },
  {
    id: 'client-tasks/required-tools',
    level: 'ADVICE',
    title: 'call a tool that requires tasks as a task',
    says: 'A tool with the task support "required" can only be called with `task`. A client without tasks cannot use it.',
    source: mcp('basic/utilities/tasks#tool-level-negotiation'),
    fix: 'Add "task": {} to the call, read the task with `tasks/get`, and its result with `tasks/result`.',
    scenarios: [requiredTask],
    check: (ruleRun) => {
      const calls = ruleRun.asked('tools/call');
      if (calls.length === 0) notApplicable('the client did not call the tool `echo`');
      if (calls.every(({ params }) => !isObject(params.task)))
        violation('The tool requires tasks, and the client called it without `task`.');
    },
  },
  {
    id: 'client-tasks/result-of-waiting-tasks',
    level: 'SHOULD',
    title: 'send `tasks/result` when a task needs input',
    says: 'A server may send its questions while `tasks/result` waits. A client that reads the status `input_required` sends `tasks/result`.',
    source: mcp('basic/utilities/tasks#input-required-status'),
    fix: 'Send `tasks/result` when the status is `input_required`, and answer the requests of the server meanwhile.',
    scenarios: [requiredTask],
    check: (ruleRun) => {
      const waiting = createdTasks(ruleRun).filter(({ created }) => created.hasWaited);
      if (waiting.length === 0)
        notApplicable('the client does not declare elicitation, or did not read the task twice');
      if (waiting.some(({ created }) => created.answer === undefined))
        violation('A task needed input, and the client did not send `tasks/result`.');
    },
  },
  {
    id: 'client-tasks/answers-name-their-task',
    title: 'name the task in answers to its questions',
    says: 'The answer to a question of a task has `io.modelcontextprotocol/related-task` in `_meta`, as the question has.',
    source: mcp('basic/utilities/tasks#associating-task-related-messages'),
    fix: 'Copy `io.modelcontextprotocol/related-task` from `_meta` of the question into `_meta` of the result.',
    scenarios: [requiredTask],
    check: (ruleRun) => {
      const answers = createdTasks(ruleRun)
        .flatMap(({ created }) => created.answer?.result ?? [])
        .filter(isObject);
      if (answers.length === 0) notApplicable('the client did not answer a question of a task');
      for (const answer of answers) {
        const related = metaOf(answer)?.[RELATED_TASK];
        if (!isObject(related) || related.taskId !== TASK_ID)
          violation(`\`related-task\` of the answer is ${JSON.stringify(related) ?? 'absent'}.`);
      }
    },
  },
  {
    id: 'client-tasks/no-needless-related-task',
    level: 'SHOULD',
    title: 'not name the task in `_meta` of requests about it',
    says: 'Requests about a task have its `taskId` as a parameter. They do not repeat it as `io.modelcontextprotocol/related-task` in `_meta`.',
    source: mcp('basic/utilities/tasks#associating-task-related-messages'),
    fix: 'Send only `taskId` in `tasks/get`, `tasks/result` and `tasks/cancel`.',
    scenarios: [requiredTask],
    check: (ruleRun) => {
      const wrong = taskRequests(ruleRun).find(({ params }) => metaOf(params)?.[RELATED_TASK] !== undefined);
      if (wrong) violation(`\`${wrong.method}\` has \`related-task\`.`);
    },
  },
]);

export const taskRules = [...extensionRules, ...bothRules, ...experimentalRules];

/** The tasks that were created in the scenarios, and their servers. Not applicable if there is none. */
function createdTasks({ servers }: ClientRuleRun): { created: PlayedTask; server: PlayedMcp }[] {
  const found = servers.flatMap((server) => {
    const created = taskOf(server);
    return created ? [{ created, server }] : [];
  });
  return found.length > 0 ? found : notApplicable('no call of the client became a task');
}

/** The requests about tasks. Not applicable if there is none. */
function taskRequests(ruleRun: ClientRuleRun): Asked[] {
  createdTasks(ruleRun);
  const found = ruleRun.asked().filter(isAboutTasks);
  return found.length > 0 ? found : notApplicable('the client did not send a request about a task');
}

/** The keys that the client answered, in order. Not applicable if there is none. */
function answeredKeys(ruleRun: ClientRuleRun): string[] {
  const keys = updatesOf(ruleRun).flatMap(({ params }) =>
    Object.keys(isObject(params.inputResponses) ? params.inputResponses : {}),
  );
  return keys.length > 0 ? keys : notApplicable('the client did not answer a question of a task');
}

/**
 * The requests `tasks/update` to servers whose task that needs input was read. Not applicable if the client cannot be
 * asked.
 */
function updatesOf(ruleRun: ClientRuleRun): Asked[] {
  const asking = createdTasks(ruleRun).filter(({ created }) => created.hasWaited);
  if (asking.length === 0) notApplicable('the client does not declare elicitation, or does not read the task');
  return asking.flatMap(({ server }) => server.asked.filter(({ method }) => method === 'tasks/update'));
}
