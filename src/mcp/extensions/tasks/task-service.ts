// Runs tool calls as tasks and answers the methods of both forms, for a declared server or a host. A client of 2026-07-28
// gets the extension if its request declares it, one of 2025-11-25 gets the experimental form if its request has `task`.

import type { Clock } from '../../../base/clock.ts';
import { RpcError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { resultFor } from '../../adapter/down-level.ts';
import { invalidParams, methodNotFound, missingCapability } from '../../protocol-errors.ts';
import { isModernRevision } from '../../revisions.ts';
import type { Caller, ClientFacts, Params, Result, Watcher } from '../../service.ts';
import type { InputRequest } from '../../types.ts';
import { type RunningTask, TaskEngine } from './engine.ts';
import { isFinal, type TaskRecord } from './record.ts';
import { SharedDescription } from './shared-description.ts';
import { MemoryTaskStore } from './store.ts';
import { TaskCaller } from './task-caller.ts';
import type { TasksOptions } from './tasks.ts';
import {
  declaresTasks,
  detailedTask,
  EXPERIMENTAL,
  experimentalTask,
  modernTask,
  TASKS,
  type TaskSupport,
  wantsTask,
  withRelatedTask,
} from './wire-forms.ts';

const DEFAULT_TTL_MS = 60 * 60_000;
export const DEFAULT_AFTER_MS = 100;
const PAGE_SIZE = 100;
/** Limit of the ids in one `subscriptions/listen`. */
const MOST_WATCHED = 1000;
/**
 * Limit of subscriptions to one task, because each of them serializes the result, which can be large. Clients whose
 * subscription is refused poll.
 */
const MOST_LISTENERS = 16;

/** Runs a tool call. `task` of 2025-11-25 is still in its parameters. */
type RunCall = (params: Params, caller: Caller) => Result | Promise<Result>;

type Answer = (service: TaskService, params: Params, caller: Caller) => Promise<Result>;

export class TaskService {
  readonly #run: RunCall;
  readonly #clock: Clock;
  readonly #engine: TaskEngine;
  readonly #options: TasksOptions;
  readonly #description = new SharedDescription();

  constructor(run: RunCall, clock: Clock, options: TasksOptions) {
    const { ttlMs = DEFAULT_TTL_MS, pollMs, store } = options;
    this.#run = run;
    this.#clock = clock;
    this.#options = options;
    this.#engine = new TaskEngine({ clock, ttlMs, pollMs, store: store ?? new MemoryTaskStore(options) });
  }

  /** Abandons the calls of all tasks. */
  close(): void {
    this.#engine.close();
  }

  static readonly #modern: Readonly<Record<string, Answer>> = {
    'tasks/get': async (service, params, caller) => ({
      ...detailedTask(await service.#find(params, caller), service.#engine.nowMs),
    }),
    'tasks/update': async (service, { taskId, inputResponses }, caller) => {
      if (!isObject(inputResponses)) throw invalidParams('tasks/update needs "inputResponses", an object');
      await service.#engine.answer(taskId, principalOf(caller), inputResponses);
      return {};
    },
    'tasks/cancel': async (service, { taskId }, caller) => {
      await service.#engine.cancel(taskId, principalOf(caller));
      return {};
    },
  };

  static readonly #experimental: Readonly<Record<string, Answer>> = {
    'tasks/get': async (service, params, caller) =>
      experimentalTask(await service.#find(params, caller), service.#engine.nowMs),
    'tasks/cancel': async (service, params, caller) => {
      const { status } = await service.#find(params, caller);
      if (isFinal({ status })) throw invalidParams(`The task cannot be cancelled: its status is ${status}`);
      return experimentalTask(await service.#engine.cancel(params.taskId, principalOf(caller)), service.#engine.nowMs);
    },
    'tasks/list': async (service, { cursor }, caller) => {
      const tasks = await service.#engine.list(caller.client.identity);
      const start = cursor === undefined ? 0 : tasks.findIndex(({ id }) => id === cursor) + 1;
      if (cursor !== undefined && start === 0) throw invalidParams('Unknown cursor: its task has expired; list again');
      const page = tasks.slice(start, start + PAGE_SIZE);
      const more = start + PAGE_SIZE < tasks.length && { nextCursor: page.at(-1)!.id };
      return { tasks: page.map((task) => experimentalTask(task, service.#engine.nowMs)), ...more };
    },
    'tasks/result': (service, params, caller) => service.#result(params, caller),
  };

  /** The time is read for each call, because the config of a host may change. */
  get #afterMs(): number {
    return this.#options.afterMs ?? DEFAULT_AFTER_MS;
  }

  /** Calls a tool with this support for tasks; undefined if it has none. */
  callTool(params: Params, caller: Caller, support: TaskSupport | undefined): Result | Promise<Result> {
    const isModern = isModernRevision(caller.client.revision);
    return isModern ? this.#callModern(params, caller, support) : this.#callExperimental(params, caller, support);
  }

  /** Answers the methods of tasks. */
  request(method: string, params: Params, caller: Caller): Promise<Result> {
    const { client } = caller;
    if (isModernRevision(client.revision)) {
      if (!declaresTasks(client)) throw tasksRequired();
      return find(TaskService.#modern, method)(this, params, caller);
    }
    if (client.revision !== EXPERIMENTAL) throw methodNotFound(method, `it came with ${EXPERIMENTAL}`);
    return find(TaskService.#experimental, method)(this, params, caller);
  }

  async watch(watcher: Watcher): Promise<() => void> {
    const { client, filter } = watcher;
    const ids = filter.further?.taskIds;
    if (ids !== undefined && client) return this.#watchIds(ids, client, watcher);
    if (!filter.others || client?.revision !== EXPERIMENTAL) return () => undefined;
    return this.#engine.watchClient(client.identity, (task) =>
      watcher.notified('notifications/tasks/status', experimentalTask(task, this.#engine.nowMs)),
    );
  }

  async #watchIds(ids: unknown, client: ClientFacts, watcher: Watcher): Promise<() => void> {
    if (!declaresTasks(client)) throw tasksRequired();
    if (!Array.isArray(ids) || ids.length > MOST_WATCHED) {
      throw invalidParams(`"taskIds" must be a list of at most ${MOST_WATCHED} ids of tasks`);
    }
    const engine = this.#engine;
    const { principal } = client.identity;
    const found = await Promise.all([...new Set(ids)].map((id) => engine.get(id, principal).catch(() => undefined)));
    const taskIds = found.flatMap((task) => (task && engine.listeners(task.id) < MOST_LISTENERS ? task.id : []));
    watcher.accepted?.({ taskIds });
    const notify = (task: TaskRecord) =>
      watcher.notified('notifications/tasks', { ...detailedTask(task, engine.nowMs) });
    const stop = engine.watch(taskIds, notify);
    // A task that needs the client now is announced at once; otherwise it would wait for the next poll.
    for (const id of taskIds) {
      void engine.get(id, principal).then(
        (task) => task.status !== 'working' && notify(task),
        () => undefined,
      );
    }
    return stop;
  }

  #callModern(params: Params, caller: Caller, support: TaskSupport | undefined): Result | Promise<Result> {
    if (!declaresTasks(caller.client)) {
      if (support === 'required') throw tasksRequired();
      return this.#run(params, caller);
    }
    const isTask = support === 'required' || this.#afterMs === 0;
    return isTask ? this.#begin(params, caller).then(this.#begun) : this.#runUntilDue(params, caller);
  }

  readonly #begun = ({ record }: RunningTask): Result => ({
    resultType: 'task',
    ...modernTask(record, this.#engine.nowMs),
  });

  /** "Servers MUST return a -32601 (Method not found) error if a client does not attempt to do so." */
  async #callExperimental(params: Params, caller: Caller, support: TaskSupport | undefined): Promise<Result> {
    if (!wantsTask(params, caller.client)) {
      if (support === 'required') throw methodNotFound('tools/call', 'this tool runs only as a task');
      return this.#run(params, caller);
    }
    if (!support) throw methodNotFound('tools/call', 'this tool cannot run as a task');
    const { record } = await this.#begin(params, caller, isObject(params.task) ? params.task.ttl : undefined);
    // "Tasks MUST begin in the `working` status", even if the handler has already ended. The client gets no
    // `resultType`.
    const begun = { ...record, status: 'working', isToolError: false } as const;
    return { resultType: 'task', task: experimentalTask(begun, this.#engine.nowMs) };
  }

  /** Waits for the end. Meanwhile the questions of the task are requests to the client that wait on this one. */
  async #result(params: Params, caller: Caller): Promise<Result> {
    const asked = new Set<string>();
    const { id, outcome } = await this.#engine.finished(
      await this.#find(params, caller),
      ({ id, open }) => {
        for (const [key, request] of Object.entries(open)) {
          if (!asked.has(key)) void this.#carry(id, key, request, caller);
          asked.add(key);
        }
      },
      caller.signal,
    );
    if (!outcome) throw invalidParams('The task was cancelled: it has no result');
    if ('result' in outcome) {
      return withRelatedTask(resultFor(caller.client.revision, 'tools/call', outcome.result), id);
    }
    const { code, message, data } = outcome.error;
    throw new RpcError(code, message, data);
  }

  /**
   * Sends a question of the task to the client. If the request ends before the client has answered, the next
   * `tasks/result` sends it again.
   */
  async #carry(id: string, key: string, request: InputRequest, caller: Caller): Promise<void> {
    const question = { ...request, params: withRelatedTask(request.params ?? {}, id) } as InputRequest;
    try {
      await this.#engine.answer(id, principalOf(caller), { [key]: await caller.ask(question, key) });
    } catch (error) {
      if (!caller.signal?.aborted) this.#engine.refuse(id, key, error);
    }
  }

  #find({ taskId }: Params, caller: Caller): Promise<TaskRecord> {
    return this.#engine.get(taskId, principalOf(caller));
  }

  /** Creates the task before its handler runs: if there is no space for the task, nothing has run. */
  async #begin(params: Params, first: Caller, ttl?: unknown): Promise<RunningTask> {
    const caller = new TaskCaller(first);
    const task = await caller.become(this.#create(caller, ttl));
    queueMicrotask(() => task.ended(asPromise(() => this.#run(params, caller))));
    return task;
  }

  /** The result if the call ends in time or no task can be created. */
  #runUntilDue(params: Params, first: Caller): Result | Promise<Result> {
    const caller = new TaskCaller(first);
    const result = this.#run(params, caller);
    if (!(result instanceof Promise)) return result;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const over = () => {
        isOver = true;
        caller.ended();
      };
      result.then(
        (given) => {
          over();
          resolve(given);
        },
        (error) => {
          over();
          reject(error);
        },
      );
      caller.whenDue(this.#clock, this.#afterMs, () => {
        caller.become(this.#create(caller)).then(
          (task) => {
            // The plain answer may have been sent while the task was created. Then no client knows the task.
            if (isOver) return this.#engine.remove(task);
            task.ended(result);
            resolve(this.#begun(task));
          },
          () => undefined, // there is no space: the call is answered when it ends
        );
      });
    });
  }

  #create(caller: TaskCaller, ttl?: unknown): Promise<RunningTask> {
    caller.client = this.#description.of(caller.client, caller.request?.params);
    const { client, heldBytes, signal } = caller;
    return this.#engine.create(client.identity, signal, heldBytes, ttl);
  }
}

function find(answers: Readonly<Record<string, Answer>>, method: string): Answer {
  const answer = Object.hasOwn(answers, method) ? answers[method] : undefined;
  if (!answer) throw methodNotFound(method);
  return answer;
}

function asPromise(run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return Promise.resolve(run());
  } catch (error) {
    return Promise.reject(error);
  }
}

function principalOf({ client }: Caller): string | undefined {
  return client.identity.principal;
}

function tasksRequired(): RpcError {
  return missingCapability({ extensions: { [TASKS]: {} } });
}
