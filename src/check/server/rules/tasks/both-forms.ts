// Rules about tasks for both forms.

import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { tasks } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { INVALID_PARAMS, notificationsIn } from '../methods/exchange.ts';
import {
  asTaskClient,
  declaresMethod,
  endOf,
  type FollowedTask,
  followedTasks,
  lasting,
  mustDeclare,
  NO_CANCEL,
  ofBoth,
  statusOf,
} from './followed-tasks.ts';
import {
  differentChars,
  endedTasks,
  isUnknown,
  mustBeRefused,
  mustBeTask,
  mustHavePayload,
  readsOf,
  severalTasks,
} from './task-shapes.ts';

/** Ids with fewer characters can be guessed, and so can ids that differ in fewer characters. */
const LEAST_ID_CHARS = 16;
const LEAST_DIFFERENT_CHARS = 10;

const MEMBERS =
  'Send `taskId`, `status`, `createdAt` and `lastUpdatedAt` (ISO 8601), `ttlMs` (an integer or null), and optionally `pollIntervalMs` (an integer) and `statusMessage`. In 2025-11-25, `ttl` and `pollInterval` replace `ttlMs` and `pollIntervalMs`.';
const UNKNOWN = 'Look up the task first, and answer with the error -32602 if it does not exist or has expired.';

export const taskRules = serverRows({ ...ofBoth, level: 'MUST', uses: 'shared' }, [
  {
    id: 'tasks/created-task',
    title: 'describe the new task completely in the answer to its call',
    says: 'The result that creates a task has the members of a task: its id, a defined status, two timestamps and the TTL. In 2026-07-28 they are members of the result, in 2025-11-25 of its member `task`.',
    source: tasks('task-creation', 'creating-tasks'),
    fix: MEMBERS,
    check: async (ruleRun) => {
      const { era } = ruleRun;
      for (const { created, task, call } of await followedTasks(ruleRun)) {
        const isFlat = task === created.result;
        if (isFlat !== (era === 'modern'))
          violation(`The task of "${call.name}" is ${isFlat ? 'not ' : ''}in a member \`task\`.`, created.frame);
        mustBeTask(task, era, created.frame);
      }
    },
  },
  {
    id: 'tasks/read-task',
    title: 'describe the task completely in `tasks/get`',
    says: 'The result of `tasks/get` has the members of a task: its id, a defined status, two timestamps and the TTL.',
    source: tasks('task-polling', 'ttl-and-resource-management'),
    fix: MEMBERS,
    check: async (ruleRun) => {
      for (const { followed, result, frame } of await readsOf(ruleRun)) {
        mustBeTask(result, ruleRun.era, frame);
        if (result.taskId !== followed.id) violation('`tasks/get` was answered with another `taskId`.', frame);
      }
    },
  },
  {
    id: 'tasks/notified-task',
    title: 'describe the task completely in notifications',
    says: 'A notification about a task has all members of the task, as `tasks/get` would return them.',
    source: tasks('task-status-notifications', 'task-status-notification'),
    fix: MEMBERS,
    check: async (ruleRun) => {
      const followed = await followedTasks(ruleRun);
      const frames = ruleRun.seen.flatMap((probe) => probe.frames);
      const found =
        ruleRun.era === 'modern'
          ? followed.flatMap((each) =>
              each.notified
                .filter(({ message }) => message.method === 'notifications/tasks')
                .map(({ frame, message: { params } }) => ({ frame, params, of: each })),
            )
          : notificationsIn(frames, 'notifications/tasks/status').map((each) => ({ ...each, of: undefined }));
      if (found.length === 0) notApplicable('the server did not send a notification about a task');
      for (const { frame, params, of } of found) {
        const task: JsonObject = isObject(params) ? params : {};
        mustBeTask(task, ruleRun.era, frame);
        if (of) mustHavePayload(task, frame, of);
      }
    },
  },
  {
    id: 'tasks/final-status',
    level: 'SHOULD',
    levels: { '2025-11-25': 'MUST' },
    title: 'keep the status of a task that has ended',
    says: 'The statuses `completed`, `failed` and `cancelled` are final.',
    source: tasks('task-status', 'task-status-lifecycle'),
    fix: 'Ignore events of a task that has ended.',
    check: async (ruleRun) => {
      for (const followed of await endedTasks(ruleRun)) {
        const end = endOf(followed)!;
        const later = followed.reads.slice(followed.reads.indexOf(end) + 1);
        const other = later.find(({ result }) => result && result.status !== statusOf(end));
        if (other)
          violation(
            `A task that was ${statusOf(end)} was ${JSON.stringify(statusOf(other))} later.`,
            end.frame,
            other.frame,
          );
      }
    },
  },
  {
    id: 'tasks/readable-until-its-ttl',
    level: 'SHOULD',
    title: 'keep a task until its TTL has passed',
    says: 'The server may remove a task after its TTL. Until then its result can be read, also several times.',
    source: tasks('task-polling', 'ttl-and-resource-management'),
    fix: 'Read the task from the store that creates it, and remove it only when `createdAt` plus its TTL has passed.',
    check: async (ruleRun) => {
      for (const { reads } of lasting(await endedTasks(ruleRun))) {
        // In 2025-11-25 a cancelled task may be removed at once.
        if (reads.some((read) => statusOf(read) === 'cancelled')) continue;
        const lost = reads.slice(1).find(isUnknown);
        if (lost) violation('A task could no longer be read, although its TTL had not passed.', lost.frame);
      }
    },
  },
  {
    id: 'tasks/unique-ids',
    level: 'SHOULD',
    levels: { '2025-11-25': 'MUST' },
    title: 'give each task a unique id',
    says: 'An id names one task.',
    source: tasks('tasks', 'task-id-requirements'),
    fix: 'Make a new random id for each task, such as a UUID of version 4.',
    check: async (ruleRun) => {
      const seen = new Map<string, FollowedTask>();
      for (const followed of await severalTasks(ruleRun)) {
        const before = seen.get(followed.id);
        if (before)
          violation(
            `Two tasks have the id ${JSON.stringify(followed.id)}.`,
            before.created.frame,
            followed.created.frame,
          );
        seen.set(followed.id, followed);
      }
    },
  },
  {
    id: 'tasks/unguessable-ids',
    level: 'ADVICE',
    title: 'give tasks ids that cannot be guessed',
    says: 'A client that has the id of a task may be able to read it. Ids have enough entropy that they cannot be guessed: they are long and not sequential.',
    source: tasks('security-considerations', 'task-isolation-and-access-control'),
    fix: 'Make ids with a cryptographic random generator, with at least 128 bits, such as a UUID of version 4.',
    check: async (ruleRun) => {
      const short = (await followedTasks(ruleRun)).find(({ id }) => id !== '' && id.length < LEAST_ID_CHARS);
      if (short)
        violation(`The id ${JSON.stringify(short.id)} has only ${short.id.length} characters.`, short.created.frame);
      const [first, second] = await severalTasks(ruleRun);
      const [a, b] = [first!.id, second!.id];
      const frames = [first!.created.frame, second!.created.frame];
      const length = a === b ? LEAST_DIFFERENT_CHARS : differentChars(a, b);
      if (length < LEAST_DIFFERENT_CHARS)
        violation(
          `The ids ${JSON.stringify(a)} and ${JSON.stringify(b)} differ only in ${length} characters.`,
          ...frames,
        );
    },
  },
  {
    id: 'tasks/failed-tasks-have-a-message',
    level: 'SHOULD',
    title: 'describe a failure in `statusMessage`',
    says: 'A task that has failed has a `statusMessage` with diagnostic information.',
    source: tasks('task-execution-errors', 'task-execution-errors'),
    fix: 'Set `statusMessage` to the message of the error.',
    check: async (ruleRun) => {
      for (const { result, frame } of await readsOf(ruleRun, 'failed')) {
        if (typeof result.statusMessage !== 'string' || result.statusMessage === '')
          violation('A failed task has no `statusMessage`.', frame);
      }
    },
  },
  {
    id: 'tasks/unknown-tasks-are-not-read',
    title: 'refuse to read an unknown task with -32602',
    says: 'A `taskId` that does not exist is refused with -32602 by `tasks/get`, and in 2025-11-25 by `tasks/result`.',
    source: tasks('protocol-errors', 'protocol-errors'),
    fix: UNKNOWN,
    check: (ruleRun) =>
      mustBeUnknown(ruleRun, ruleRun.era === 'modern' ? ['tasks/get'] : ['tasks/get', 'tasks/result']),
  },
  {
    id: 'tasks/unknown-tasks-are-not-changed',
    level: 'SHOULD',
    levels: { '2025-11-25': 'MUST' },
    title: 'refuse to change an unknown task with -32602',
    says: 'A `taskId` that does not exist is refused with -32602 by `tasks/cancel` and `tasks/update`.',
    source: tasks('protocol-errors', 'protocol-errors'),
    fix: UNKNOWN,
    check: async (ruleRun) => {
      const isModern = ruleRun.era === 'modern';
      mustDeclare(ruleRun);
      if (!isModern && !declaresMethod(ruleRun, 'cancel')) notApplicable(NO_CANCEL);
      await mustBeUnknown(ruleRun, isModern ? ['tasks/update', 'tasks/cancel'] : ['tasks/cancel']);
    },
  },
]);

/** Sends an unknown id in the form that most servers use (a UUID). */
async function mustBeUnknown(ruleRun: ServerRuleRun, methods: readonly string[]): Promise<void> {
  mustDeclare(ruleRun);
  const conversation = await ruleRun.shared();
  for (const method of methods) {
    const params = { taskId: randomUUID(), ...(method === 'tasks/update' && { inputResponses: {} }) };
    const answer = await conversation.request(method, asTaskClient(ruleRun, params));
    mustBeRefused(`\`${method}\` with an unknown id`, answer, INVALID_PARAMS);
  }
}
