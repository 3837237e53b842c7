// The requests of a client about one task, in the form that the server has. Both forms give a task in the members of
// 2026-07-28.

import { PeerError, RpcError, UsageError } from '../../../base/errors.ts';
import { firstChars } from '../../../base/first-chars.ts';
import { isObject } from '../../../base/json-object.ts';
import type { CallLimits } from '../../meta.ts';
import type { Caller, Params, Result } from '../../service.ts';
import type { InputResponse } from '../../types.ts';
import type { UnfinishedCall } from '../extension.ts';
import { MOST_MESSAGE_CHARS } from './record.ts';
import { EXPERIMENTAL, readExperimental, type TaskState, withoutRelatedTask } from './wire-forms.ts';

/** The requests about one task. A signal cancels the request, not the task. */
export interface TaskClient {
  get(signal?: AbortSignal): Promise<TaskState>;
  answer(responses: Record<string, InputResponse>, signal?: AbortSignal): Promise<void>;
  /** Cancels the task. The state of a task that has ended does not change. */
  cancel(): Promise<void>;
  /** Whether the server agrees to notifications. Otherwise it may send none. */
  readonly agreesToNotify: boolean;
  /**
   * Calls `changed` when the task has changed, with its new state if the server sends the state. Rejects if the server
   * cannot notify.
   */
  watch(changed: (state: TaskState | undefined) => void, ended: () => void): Promise<() => void>;
}

const statuses: ReadonlySet<unknown> = new Set(['working', 'input_required', 'completed', 'failed', 'cancelled']);

/** Limit of an id in characters, because an id is kept as long as its task. */
const MOST_ID_CHARS = 1024;
const known = ['ttlMs', 'pollIntervalMs', 'inputRequests', 'result', 'error'];
const texts = ['statusMessage', 'createdAt', 'lastUpdatedAt'];

/** Copies the members of a task, because a state is kept until the next one. Long texts are cut. */
export function readTask(task: unknown, method: string): TaskState {
  const { taskId, status }: Params = isObject(task) ? task : {};
  const hasId = typeof taskId === 'string';
  if (!hasId || taskId.length > MOST_ID_CHARS || !statuses.has(status)) {
    const isLong = hasId && taskId.length > MOST_ID_CHARS;
    const fault = isLong
      ? `whose taskId is longer than ${MOST_ID_CHARS} characters`
      : 'that has no valid taskId and status';
    throw new PeerError('RESULT_INVALID', `The server answered ${method} with a task ${fault}`);
  }
  const state: Params = { taskId, status };
  for (const [name, value] of Object.entries(task as Params)) {
    if (known.includes(name)) state[name] = value;
    else if (texts.includes(name) && typeof value === 'string') state[name] = firstChars(value, MOST_MESSAGE_CHARS);
  }
  return state as unknown as TaskState;
}

type Send = (method: string, params: Params, signal?: AbortSignal, limits?: CallLimits) => Promise<Result>;

/** Limit of the wait of one `tasks/result`, which is sent again if it is still needed. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** Sends requests about a task separately from its call: they have no progress, and signals of their own. */
function sender({ service, caller }: UnfinishedCall): Send {
  const { timeoutMs } = caller.options ?? {};
  const own: CallLimits = timeoutMs === undefined ? {} : { timeoutMs };
  return async (method, params, signal, options = own) => {
    const following: Caller = {
      client: caller.client,
      asksInResult: caller.asksInResult,
      signal,
      options,
      wantsProgress: false,
      progress: () => undefined,
      log: (message) => caller.log(message),
      ask: (question, name, until) => caller.ask(question, name, until),
    };
    return service.request(method, params, following);
  };
}

/** The extension of 2026-07-28. */
export function extensionTask(call: UnfinishedCall, taskId: string): TaskClient {
  const send = sender(call);
  return {
    get: async (signal) => readTask(await send('tasks/get', { taskId }, signal), 'tasks/get'),
    async answer(inputResponses, signal) {
      await send('tasks/update', { taskId, inputResponses }, signal);
    },
    async cancel() {
      await send('tasks/cancel', { taskId });
    },
    agreesToNotify: true,
    watch: (changed, ended) =>
      new Promise((resolve, reject) => {
        let isAccepted = false;
        const watching = call.service.watch({
          filter: { further: { taskIds: [taskId] } },
          client: call.caller.client,
          accepted({ taskIds }) {
            isAccepted = Array.isArray(taskIds) && taskIds.includes(taskId);
          },
          notified(method, task = {}) {
            if (task.taskId === taskId && statuses.has(task.status)) changed(readTask(task, method));
          },
          ended,
        });
        watching.then((stop) => {
          if (isAccepted) return resolve(stop);
          stop();
          reject(new PeerError('RESULT_INVALID', 'The server sends no notifications about this task'));
        }, reject);
      }),
  };
}

/** The experimental form: the payload and the questions of a task need `tasks/result`, which waits for the end. */
export function experimentalTaskClient(call: UnfinishedCall, taskId: string): TaskClient {
  const send = sender(call);
  let carrying: Promise<Result> | undefined;
  let isEnded = false;
  /** Sends the request that carries the questions of the task to the handlers of this client. */
  const carry = (signal: AbortSignal | undefined) => {
    if (carrying) return;
    carrying = send('tasks/result', { taskId }, signal, { timeoutMs: LONGEST_WAIT_MS });
    const over = (error?: unknown) => {
      isEnded = !signal?.aborted && (error === undefined || error instanceof RpcError);
      if (!isEnded) carrying = undefined; // the request was cancelled or its connection failed: it is sent again if it is needed
    };
    carrying.then(() => over(), over);
  };
  return {
    async get(signal) {
      const state = readTask(readExperimental(await send('tasks/get', { taskId }, signal)), 'tasks/get');
      if (state.status === 'input_required') carry(signal);
      if (state.status !== 'completed' && state.status !== 'failed') return state;
      try {
        const result = await (isEnded ? carrying! : send('tasks/result', { taskId }, signal));
        return { ...state, status: 'completed', result: withoutRelatedTask(result) };
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        const { rpcCode: code, message, data } = error;
        return { ...state, status: 'failed', error: data === undefined ? { code, message } : { code, message, data } };
      }
    },
    answer() {
      const message = `A server of ${EXPERIMENTAL} asks its questions as requests: give handlers to connect() instead`;
      return Promise.reject(new UsageError('NOT_SUPPORTED', message));
    },
    async cancel() {
      const { capabilities } = await call.service.describe();
      if (!capabilities.tasks?.cancel) {
        const message = 'The server cannot cancel tasks: it does not declare "tasks.cancel". The task continues';
        throw new UsageError('NOT_SUPPORTED', message);
      }
      await send('tasks/cancel', { taskId }).catch((error: unknown) => {
        // "Receivers MUST reject cancellation requests for tasks already in a terminal status with error code -32602."
        if (!(error instanceof RpcError) || error.code !== 'INVALID_PARAMS') throw error;
      });
    },
    agreesToNotify: false,
    watch: (changed) =>
      call.service.watch({
        filter: { others: true },
        client: call.caller.client,
        notified: (method, params) => {
          if (method === 'notifications/tasks/status' && params?.taskId === taskId) changed(undefined);
        },
      }),
  };
}
