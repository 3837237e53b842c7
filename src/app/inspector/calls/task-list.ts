// The tasks in the stored traffic, as the page shows them. Nothing is requested from a server unless the user answers a question or
// cancels a task.

import { decodeText } from '../../../base/decode-text.ts';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { isNestedTooDeeply } from '../../../base/to-json.ts';
import { readMcpCallResult } from '../../../mcp/client/tolerated-results.ts';
import type { CallHandle } from '../../../mcp/extensions/default-extensions.ts';
import { resumeTask } from '../../../mcp/extensions/tasks/tasks.ts';
import { readHandle } from '../../../mcp/handles.ts';
import type { InputResponse } from '../../../mcp/types.ts';
import { isOver, type Task } from '../../../observe/analysis/tasks.ts';
import { HttpProblem } from '../../../wire/http/http-problem.ts';
import type { CallUpdate, TaskDetail, TaskSummary } from '../api.ts';
import { asItIs, taskFailure } from '../views/event-rows.ts';
import type { InspectorView } from '../views/view.ts';
import type { Calls } from './calls.ts';
import { readAnswer, taskQuestions } from './questions.ts';

type Call = NonNullable<ReturnType<Calls['get']>>;
const GONE = 'The message with this part of the task is too long to be kept, or no longer stored.';

const NOT_SHOWN = 'Some questions of the task cannot be shown here: see its messages on the wire.';

interface Found {
  /** The task; absent while the messages of the task of a call are not here yet. */
  task: Task | undefined;
  /** The call of the page that became the task. */
  call: Call | undefined;
}

export class TaskList {
  readonly #view: InspectorView;
  readonly #calls: Calls;

  constructor(view: InspectorView, calls: Calls) {
    this.#view = view;
    this.#calls = calls;
  }

  /** Returns the tasks, oldest first. */
  async list(): Promise<TaskSummary[]> {
    await this.#view.caughtUp();
    return this.#view.analysis.tasks.list().map((task) => this.of(task));
  }

  of(task: Task): TaskSummary {
    const listed = task.upstream ?? task;
    return this.#summary(listed, this.#callOf(listed));
  }

  async detail(id: string): Promise<TaskDetail> {
    await this.#view.caughtUp();
    const { task, call } = this.#find(id);
    if (!task) throw unknown();
    return { ...this.#summary(task, call), ...this.#contents(task, call) };
  }

  async cancel(id: string): Promise<void> {
    await (await this.#handle(this.#find(id))).cancel();
  }

  async answer(id: string, key: string, given: unknown): Promise<void> {
    const found = this.#find(id);
    const asked = found.call?.update.task?.questions ?? (await this.detail(id)).asked;
    const question = asked.find(({ task }) => task?.key === key);
    if (!question) throw new HttpProblem(404, 'This question is no longer pending');
    const answer = readAnswer(question.kind, given);
    if ('refuse' in answer && question.kind === 'sample') {
      throw new HttpProblem(409, 'A task has no means to refuse this. Cancel the task instead.');
    }
    const response = 'refuse' in answer ? { action: 'cancel' } : answer;
    await (await this.#handle(found)).answer({ [key]: response as InputResponse });
  }

  #callOf(task: Task): Call | undefined {
    return this.#calls.withTask((call) => isTaskOf(task, call));
  }

  /** Finds a task by its own id, or by the id of its call. */
  #find(id: string): Found {
    const { tasks } = this.#view.analysis;
    const own = this.#calls.get(id)?.update;
    const task = own?.task ? tasks.list().findLast((each) => isTaskOf(each, own)) : tasks.get(Number(id));
    const call = own?.task ? this.#calls.get(id) : task && this.#callOf(task);
    if (!task && !call) throw unknown();
    return { task, call };
  }

  /** Throws if the page can only watch the task. */
  async #handle({ task, call }: Found): Promise<CallHandle> {
    if (call?.handle) return call.handle;
    const found = task && this.#hostOf(task);
    if (!task || !found) throw new HttpProblem(409, 'This task can only be watched');
    const { taskId, form: revision, status } = task;
    const now = new Date().toISOString();
    const state = { taskId, status, createdAt: now, lastUpdatedAt: now, ttlMs: null } as Parameters<
      typeof resumeTask
    >[1]['task'];
    return resumeTask(found.host.client(found.name), { tool: task.call?.tool ?? '', revision, task: state });
  }

  #hostOf({ server, direction }: Task) {
    try {
      return direction === 'toServer' ? this.#view.source.host?.find(server) : undefined;
    } catch {
      return undefined; // no host here runs the server
    }
  }

  #summary(task: Task, call: Call | undefined): TaskSummary {
    const { taskId, server, direction, form, status, endMs, messages, polls, changeCount, headSeq, downstream } = task;
    const isOfClient = direction === 'fromClient' || direction === 'toClient';
    const request = task.call;
    return {
      id: String(task.id),
      taskId,
      server: serverOf(task),
      client: isOfClient ? server : request?.causes?.[0]?.server,
      method: request?.method,
      tool: request?.tool,
      form,
      status,
      statusMessage: task.changes.at(-1)?.statusMessage,
      failure: taskFailure(task, asItIs),
      startMs: request?.startMs ?? task.firstMs,
      endMs,
      messages,
      polls,
      changes: changeCount,
      questions: task.questions?.count ?? 0,
      row: headSeq === undefined ? undefined : task.id,
      clientRow: downstream?.id,
      callId: call?.update.id,
      canAct: !isOver(task) && (call?.handle ?? this.#hostOf(task)) !== undefined,
    };
  }

  #contents(task: Task, call: Call | undefined): Omit<TaskDetail, keyof TaskSummary> {
    const { questionsSeq, outcomeSeq, form, status, server } = task;
    const history = task.changes.map(({ seq: _, ...change }) => change);
    const body = questionsSeq === undefined ? undefined : bodyOf(this.#message(questionsSeq));
    const asked = taskQuestions(call?.update.id ?? String(task.id), server, body?.inputRequests);
    if (questionsSeq !== undefined && !body) return { history, asked, missing: GONE };
    if (asked.length < (task.questions?.count ?? 0)) return { history, asked, missing: NOT_SHOWN };
    if (outcomeSeq === undefined || status === 'cancelled') return { history, asked };
    // 2025-11-25: the message itself is the answer of the call.
    const message = this.#message(outcomeSeq);
    const { result, error } = (form === '2025-11-25' ? message : bodyOf(message)) ?? {};
    if (isObject(result)) return { history, asked, result: readMcpCallResult(result, () => undefined) };
    if (!isObject(error)) return { history, asked, missing: GONE };
    return { history, asked, error: { code: String(error.code), message: String(error.message) } };
  }

  /** Returns an empty object if the message is not stored in full. */
  #message(seq: number): JsonObject {
    const event = this.#view.source.flow.get(seq);
    if (event?.kind !== 'frame' || event.cut) return {};
    try {
      const message: unknown = JSON.parse(decodeText(event.payload));
      return isObject(message) && !isNestedTooDeeply(message) ? message : {};
    } catch {
      return {}; // there is text before the message, or the frame is a batch
    }
  }
}

/** The result of an answer, or the parameters of a notification. */
function bodyOf({ result, params }: JsonObject): JsonObject | undefined {
  return [result, params].find(isObject);
}

/** The server behind a task of a client: the host ran a plain call as a task, or passed the task on. */
function serverOf({ server, call }: Task): string {
  const isOfClient = call?.direction === 'fromClient';
  return (isOfClient && call.links?.[0]?.server) || server;
}

/** Whether the call of the page became this task. In a fleet, the id that a client gets also names the instance. */
function isTaskOf(seen: Task, { server, task }: CallUpdate): boolean {
  if (!task || serverOf(seen) !== server) return false;
  let { taskId } = task;
  for (let inner = readHandle(taskId); inner && taskId !== seen.taskId; inner = readHandle(taskId)) taskId = inner.id;
  return taskId === seen.taskId;
}

function unknown(): HttpProblem {
  return new HttpProblem(404, 'There is no such task, or it was dropped');
}
