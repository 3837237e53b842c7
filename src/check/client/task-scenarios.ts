// Servers whose call of `echo` becomes a task, in both forms, for clients that support it. Other clients get the usual answers.

import { isObject, type JsonObject, metaOf } from '../../base/json-object.ts';
import { EXPERIMENTAL, RELATED_TASK, TASKS } from '../../mcp/extensions/tasks/wire-forms.ts';
import { CLIENT_CAPABILITIES } from '../../mcp/meta.ts';
import type { PlayedMcp } from './played-mcp.ts';
import type { Answering, Scenario } from './scenario.ts';
import { withResult } from './scenarios.ts';
import { type Asked, echoTool, failed } from './usual-answers.ts';

/** An id that changes if it is trimmed, decoded or encoded. */
export const TASK_ID = ' täsk/1?a=b&c=%20+';
/** The id of the task that answers `tools/list`. */
export const TASK_OF_LIST = 'task-of-a-list';
export const QUESTION = 'colour';

export const POLL_MS = 1_000;
const SHORT_POLL_MS = 50;
const MOST_POLLS = 100;
const TTL_MS = 60_000;
/** The task of a client that does not poll it ends after this time. */
const RESULT_MS = 300;

/** One task of a played server. */
export class PlayedTask {
  readonly taskId: string;
  /** The id of the request that became the task. */
  readonly requestId: unknown;
  /** The times of the requests for its status, by `performance.now()`. */
  readonly pollsMs: number[] = [];
  status = 'working';
  /** The number of polls before the first answer, in 2026-07-28. */
  answeredPolls: number | undefined;
  /** True if the client has read the status `input_required`. */
  hasWaited = false;
  /** The answer to the question of 2025-11-25. Null if it was asked and not answered. */
  answer: JsonObject | null | undefined;
  readonly #createdAt = new Date().toISOString();

  constructor(requestId: unknown, taskId = TASK_ID) {
    this.requestId = requestId;
    this.taskId = taskId;
  }

  /** The members that both forms share. */
  describe(): JsonObject {
    const { taskId, status } = this;
    return { taskId, status, createdAt: this.#createdAt, lastUpdatedAt: new Date().toISOString() };
  }
}

const tasks = new WeakMap<PlayedMcp, PlayedTask>();

export function taskOf(mcp: PlayedMcp): PlayedTask | undefined {
  return tasks.get(mcp);
}

export function declaredExtension({ params }: Asked): unknown {
  const capabilities = metaOf(params)?.[CLIENT_CAPABILITIES];
  const extensions = isObject(capabilities) ? capabilities.extensions : undefined;
  return isObject(extensions) ? extensions[TASKS] : undefined;
}

/** Whether the request, or the session before 2026-07-28, declares elicitation. */
function canBeAsked({ asked }: PlayedMcp): boolean {
  return asked.some(({ params }) => {
    const capabilities = metaOf(params)?.[CLIENT_CAPABILITIES] ?? params.capabilities;
    return isObject(capabilities) && isObject(capabilities.elicitation);
  });
}

const question = {
  method: 'elicitation/create',
  params: {
    message: 'Which colour?',
    requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
  },
};
const content = [{ type: 'text', text: 'done' }];

const extended = { tools: {}, extensions: { [TASKS]: {} } };

/** The status for the next poll. `polls`: the number of polls, including this one. */
type NextStatus = (task: PlayedTask, polls: number, mcp: PlayedMcp) => string;

const afterPolls =
  (most: number): NextStatus =>
  (_, polls) =>
    polls >= most ? 'completed' : 'working';

function extension(name: string, pollIntervalMs: number, next: NextStatus): Scenario {
  const described = (task: PlayedTask) => ({ ...task.describe(), ttlMs: TTL_MS, pollIntervalMs });
  const acknowledge: Answering = ({ id }, mcp) => mcp.send({ jsonrpc: '2.0', id, result: { resultType: 'complete' } });
  return {
    name,
    on: {
      'server/discover': withCapabilities(extended),
      'tools/call': (asked, mcp) => createTask(asked, mcp, TASK_ID, described),
      'tasks/get': (asked, mcp) => {
        const task = ownTask(asked, mcp);
        if (!task) return;
        task.status = next(task, task.pollsMs.push(performance.now()), mcp);
        task.hasWaited ||= task.status === 'input_required';
        const payload =
          task.status === 'input_required'
            ? { inputRequests: { [QUESTION]: question } }
            : task.status === 'completed' && { result: { resultType: 'complete', content } };
        mcp.send({ jsonrpc: '2.0', id: asked.id, result: { resultType: 'complete', ...described(task), ...payload } });
      },
      'tasks/update': (asked, mcp) => {
        const task = ownTask(asked, mcp);
        if (!task) return;
        task.answeredPolls ??= task.pollsMs.length;
        return acknowledge(asked, mcp);
      },
      'tasks/cancel': acknowledge,
    },
  };
}

/** A task with a poll interval of a second. */
export const task = extension('task', POLL_MS, afterPolls(3));

/** A task that ends after many polls. A client may cancel it. */
export const longTask = extension('long-task', SHORT_POLL_MS, afterPolls(20));

/** A task that asks a question and repeats it in two more polls after the answer. Without an answer, it ends after MOST_POLLS polls. */
export const askingTask = extension('asking-task', SHORT_POLL_MS, ({ answeredPolls = MOST_POLLS }, polls, mcp) => {
  const isOver = polls > answeredPolls + 2 || !canBeAsked(mcp);
  return isOver ? 'completed' : 'input_required';
});

/** A server that answers `tools/list` with a task, although only calls may become tasks. */
export const taskForAList: Scenario = {
  name: 'task-for-a-list',
  on: {
    'server/discover': withCapabilities(extended),
    'tools/list': (asked, mcp) =>
      createTask(asked, mcp, TASK_OF_LIST, (task) => ({
        ...task.describe(),
        ttlMs: TTL_MS,
        pollIntervalMs: SHORT_POLL_MS,
      })),
  },
};

const experimental = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };

/** A server of 2025-11-25 whose tool requires tasks. It asks clients that can be asked. */
export const requiredTask: Scenario = {
  name: 'required-task',
  speaks: { only: 'legacy' },
  on: {
    initialize: withCapabilities(experimental),
    'tools/list': (asked, mcp) => {
      const tool = { ...echoTool, execution: { taskSupport: 'required' } };
      mcp.send(isExperimental(mcp) ? withResult(mcp.usual(asked), { tools: [tool] }) : mcp.usual(asked));
    },
    'tools/call': (asked, mcp) => {
      if (!isExperimental(mcp)) return mcp.send(mcp.usual(asked));
      const { id } = asked;
      if (!isObject(asked.params.task)) {
        return mcp.send({ jsonrpc: '2.0', id, ...failed(-32601, 'This tool runs only as a task') });
      }
      const created = new PlayedTask(id);
      tasks.set(mcp, created);
      mcp.send({ jsonrpc: '2.0', id, result: { task: experimentalTask(created) } });
    },
    'tasks/get': (asked, mcp) => {
      const found = ownTask(asked, mcp);
      if (!found) return;
      const polls = found.pollsMs.push(performance.now());
      if (polls === 2 && found.status === 'working' && canBeAsked(mcp)) found.status = 'input_required';
      else if (polls >= 3 && found.answer !== null) found.status = 'completed';
      found.hasWaited ||= found.status === 'input_required';
      mcp.send({ jsonrpc: '2.0', id: asked.id, result: experimentalTask(found) });
    },
    'tasks/result': (asked, mcp) => {
      const found = ownTask(asked, mcp);
      if (found) void sendResult(asked, mcp, found);
    },
    'tasks/cancel': (asked, mcp) => {
      const found = ownTask(asked, mcp);
      if (!found) return;
      found.status = 'cancelled';
      mcp.send({ jsonrpc: '2.0', id: asked.id, result: experimentalTask(found) });
    },
    'tasks/list': (asked, mcp) => mcp.send({ jsonrpc: '2.0', id: asked.id, result: { tasks: [] } }),
  },
};

/** A server of 2025-11-25 with tasks, whose tool does not support them. */
export const forbiddenTask: Scenario = {
  name: 'forbidden-task',
  speaks: { only: 'legacy' },
  on: { initialize: withCapabilities(experimental) },
};

/** Waits for the end of the task, and asks the question in the meantime. */
async function sendResult({ id }: Asked, mcp: PlayedMcp, found: PlayedTask): Promise<void> {
  const _meta = { [RELATED_TASK]: { taskId: TASK_ID } };
  if (found.status === 'input_required' && found.answer === undefined) {
    found.answer = null;
    const params = { ...question.params, _meta };
    found.answer = (await mcp.ask('check-question', question.method, params)) ?? {};
  }
  await mcp.server.maybe(() => found.status === 'completed' || undefined, RESULT_MS);
  found.status = 'completed';
  mcp.send({ jsonrpc: '2.0', id, result: { content, _meta } });
}

function experimentalTask(task: PlayedTask): JsonObject {
  return { ...task.describe(), ttl: TTL_MS, pollInterval: POLL_MS };
}

/** Answers with a task if the request declares the extension. */
function createTask(asked: Asked, mcp: PlayedMcp, id: string, described: (task: PlayedTask) => JsonObject): void {
  if (!isObject(declaredExtension(asked))) return mcp.send(mcp.usual(asked));
  const created = new PlayedTask(asked.id, id);
  tasks.set(mcp, created);
  mcp.send({ jsonrpc: '2.0', id: asked.id, result: { resultType: 'task', ...described(created) } });
}

function withCapabilities(capabilities: JsonObject): Answering {
  return (asked, mcp) => mcp.send(withResult(mcp.usual(asked), { capabilities }));
}

function isExperimental({ session }: PlayedMcp): boolean {
  return session[0]?.params.protocolVersion === EXPERIMENTAL;
}

/** The task that the request names. Otherwise the request is refused. */
function ownTask({ id, params }: Asked, mcp: PlayedMcp): PlayedTask | undefined {
  const found = params.taskId === TASK_ID ? tasks.get(mcp) : undefined;
  if (!found) mcp.send({ jsonrpc: '2.0', id, ...failed(-32602, 'There is no such task') });
  return found;
}

export const taskScenarios: readonly Scenario[] = [
  requiredTask,
  task,
  longTask,
  askingTask,
  taskForAList,
  forbiddenTask,
];
