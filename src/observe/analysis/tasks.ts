// The tasks in the traffic of all servers and clients, from the request that became the task to its end. Derived from the messages
// alone. Bounded in number and in characters: the oldest tasks that have ended are forgotten first.

import type { FlowDirection, FlowEvent, FrameEvent } from '../flow/event.ts';
import type { MessageDescription } from './describe-frame.ts';
import { type Exchange, otherWay } from './exchange.ts';
import type { OpenQuestions, TaskForm, TaskMention, TaskState, TaskStatus } from './task-forms.ts';

/** `lost`: the process exited before the task ended, or the server no longer has the task. */
export type SeenStatus = TaskStatus | 'lost';

export interface TaskChange {
  atMs: number;
  seq: number;
  status: SeenStatus;
  statusMessage?: string | undefined;
}

export interface Task {
  readonly id: number;
  readonly taskId: string;
  /** The server, or the client for a task between a host and its client. */
  readonly server: string;
  /** Process run of the newest message. */
  life: number;
  /** The direction of the request that became the task. */
  readonly direction: FlowDirection;
  readonly form: TaskForm;
  firstSeq: number;
  readonly firstMs: number;
  /** The message whose row stands for the whole task: the request that became the task, or else the first message. */
  headSeq?: number;
  /** The request that became the task, if it was seen. */
  call?: Exchange;
  status: SeenStatus;
  /**
   * The changes of `status`, `statusMessage` and the pending questions, oldest first. If there are many, only the first
   * one and the newest ones.
   */
  changes: TaskChange[];
  changeCount: number;
  endMs?: number | undefined;
  toolError?: true;
  error?: { code: number; message: string };
  messages: number;
  polls: number;
  questions?: OpenQuestions | undefined;
  /** The messages with the pending questions, and with the result or error. */
  questionsSeq?: number | undefined;
  outcomeSeq?: number;
  /** The task of the server behind a task of a client. */
  upstream?: Task;
  /** The task of the client that caused a task of a server. */
  downstream?: Task;
  /** An earlier task to which the server gave the same id. */
  previous?: Task | undefined;
}

export function isOver({ status }: Pick<Task, 'status'>): boolean {
  return status !== 'working' && status !== 'input_required';
}

/** Returns undefined while the task runs, and if the request that became the task was not seen. */
export function durationMs({ call, endMs }: Task): number | undefined {
  return call && endMs !== undefined ? endMs - call.startMs : undefined;
}

const MOST_TASKS = 2_000;
const MOST_CHARS = 16 * 1024 * 1024;
const MOST_CHANGES = 200;
const TASK_CHARS = 1_000;
const CHANGE_CHARS = 100;
const UNKNOWN_TASK = -32602;

export class Tasks {
  readonly #maxTasks: number;
  readonly #maxChars: number;
  /** Tasks by number, oldest first. */
  readonly #byId = new Map<number, Task>();
  /** The newest task of each id, side and direction. */
  readonly #byKey = new Map<string, Task>();
  #changed = new Set<Task>();
  #lastId = 0;
  #chars = 0;

  constructor(maxTasks = MOST_TASKS, maxChars = MOST_CHARS) {
    this.#maxTasks = maxTasks;
    this.#maxChars = maxChars;
  }

  /** Returns the tasks, oldest first. A task that a client sees is not listed if the same task of a server is. */
  list(): Task[] {
    return [...this.#byId.values()].filter(({ upstream }) => !upstream);
  }

  get(id: number): Task | undefined {
    return this.#byId.get(id);
  }

  get size(): number {
    return this.#byId.size;
  }

  get heldChars(): number {
    return this.#chars;
  }

  takeChanged(): ReadonlySet<Task> {
    const changed = this.#changed;
    if (changed.size > 0) this.#changed = new Set();
    return changed;
  }

  /** `exchange`: the request that the message starts, answers or cancels. */
  see(event: FrameEvent, message: MessageDescription, exchange: Exchange | undefined): void {
    if (message.kind === 'response') {
      if (exchange) this.#answer(event, message, exchange);
      return;
    }
    const { task: mention } = message;
    const isAnnounced = message.kind === 'notification' && mention?.state !== undefined;
    const task = this.of(event, message, exchange) ?? (isAnnounced ? this.#add(event, mention) : undefined);
    if (!task) return;
    this.#joined(task, event);
    if (message.method === 'tasks/get') task.polls++;
    if (exchange) exchange.task = task;
    if (mention?.state) this.#state(task, event, mention.state);
  }

  /** The task that a message belongs to. */
  of(event: FrameEvent, { task: mention }: MessageDescription, exchange: Exchange | undefined): Task | undefined {
    return exchange?.task ?? (mention && this.#find(event, mention));
  }

  /**
   * The end of tasks of a process that has exited is unknown. A server may keep them, so a later message can still show
   * their state.
   */
  processExited({ server, life, atMs, seq }: FlowEvent): void {
    for (const task of this.#byId.values()) {
      if (task.server === server && task.life === life && !isOver(task)) this.#lost(task, { atMs, seq });
    }
  }

  #answer(event: FrameEvent, message: MessageDescription, exchange: Exchange): void {
    const { task: mention, tasks = [], error } = message;
    const { method, direction } = exchange;
    const isAboutTasks = method.startsWith('tasks/');
    if (mention?.creates && !isAboutTasks) this.#created(event, mention, exchange);
    else if (mention?.state && isAboutTasks) exchange.task ??= this.#polled(event, mention, exchange);
    const { task } = exchange;
    if (method === 'tasks/list') for (const state of tasks) this.#listed(event, direction, state);
    if (!task) return;
    this.#joined(task, event);
    if (mention?.state) this.#state(task, event, mention.state);
    if (method === 'tasks/result') this.#outcome(task, event, message);
    if (error?.code === UNKNOWN_TASK && method === 'tasks/get' && !isOver(task)) this.#lost(task, event);
  }

  #created(event: FrameEvent, mention: TaskMention, exchange: Exchange): void {
    const known = this.#find(event, mention);
    // Notifications may precede the answer. An older task with the same id is a different task.
    const isSame = known && !known.call && known.firstSeq > exchange.requestSeq;
    const task = isSame ? known : this.#add(event, mention);
    task.call = exchange;
    task.firstSeq = exchange.requestSeq;
    task.headSeq = exchange.requestSeq;
    exchange.task = task;
    task.messages++; // the request counts as a message
    const upstream = exchange.links?.find((link) => link.task?.call === link)?.task;
    if (!upstream || exchange.direction !== 'fromClient') return;
    task.upstream = upstream;
    upstream.downstream = task;
    this.#changed.add(upstream);
  }

  /**
   * Finds the task in the answer to a request about a task whose call was not seen. The request belongs to the task
   * too.
   */
  #polled(event: FrameEvent, mention: TaskMention, { requestSeq, method }: Exchange): Task {
    const task = this.#find(event, mention) ?? this.#add(event, mention);
    task.headSeq ??= requestSeq;
    task.messages++;
    if (method === 'tasks/get') task.polls++;
    return task;
  }

  #listed(event: FrameEvent, direction: FlowDirection, state: TaskState): void {
    const mention: TaskMention = { taskId: state.taskId, fromReceiver: true, state };
    const task = this.#byKey.get(keyOf(event.server, direction, state.taskId)) ?? this.#add(event, mention);
    this.#state(task, event, state);
  }

  /** `mention` must have a state. */
  #add(event: FrameEvent, mention: TaskMention): Task {
    const { server, life, atMs, seq } = event;
    const direction = directionOf(event, mention);
    const key = keyOf(server, direction, mention.taskId);
    const task: Task = {
      id: ++this.#lastId,
      taskId: mention.taskId,
      ...{ server, life, direction, form: mention.state!.form, firstSeq: seq, firstMs: atMs },
      status: 'working',
      changes: [],
      changeCount: 0,
      messages: 0,
      polls: 0,
      previous: this.#byKey.get(key),
    };
    this.#byKey.set(key, task);
    this.#byId.set(task.id, task);
    this.#chars += TASK_CHARS + task.taskId.length;
    this.#forgetWhatIsTooMuch();
    return task;
  }

  #joined(task: Task, { life, seq }: FrameEvent): void {
    task.messages++;
    task.headSeq ??= seq;
    task.life = life;
    this.#changed.add(task);
  }

  /** A task that has reached a final state keeps it. */
  #state(task: Task, { atMs, seq }: FrameEvent, state: TaskState): void {
    const { status, statusMessage, questions, hasOutcome, toolError, error } = state;
    if (hasOutcome) task.outcomeSeq ??= seq;
    if (toolError) task.toolError = true;
    if (error) task.error ??= error;
    if (isOver(task) && task.status !== 'lost') return;
    if (questions !== undefined) task.questionsSeq = seq;
    else if (status !== 'input_required') task.questionsSeq = undefined;
    const last = task.changes.at(-1);
    const isNew = !last || last.status !== status || last.statusMessage !== statusMessage;
    // The answer to the call and the notifications of 2025-11-25 do not contain the questions.
    const asksOther = questions && task.questions && task.questions.keys !== questions.keys;
    if (questions || status !== 'input_required') task.questions = questions;
    if (isNew || asksOther) this.#change(task, { atMs, seq, status, statusMessage });
  }

  /** 2025-11-25: the answer to `tasks/result` ends the task, even if no other message has shown that. */
  #outcome(task: Task, event: FrameEvent, { error, toolError }: MessageDescription): void {
    if (error?.code === UNKNOWN_TASK && !isOver(task)) return this.#lost(task, event);
    task.outcomeSeq ??= event.seq;
    if (toolError) task.toolError = true;
    if (error && task.status !== 'cancelled') task.error = error;
    if (isOver(task)) return;
    const { atMs, seq } = event;
    const status = error || toolError ? 'failed' : 'completed';
    this.#change(task, { atMs, seq, status, statusMessage: task.changes.at(-1)?.statusMessage });
  }

  #lost(task: Task, { atMs, seq }: Pick<FlowEvent, 'atMs' | 'seq'>): void {
    this.#change(task, { atMs, seq, status: 'lost' });
  }

  #change(task: Task, change: TaskChange): void {
    task.status = change.status;
    task.endMs = isOver(task) ? change.atMs : undefined;
    task.changeCount++;
    task.changes.push(change);
    this.#chars += charsOf(change);
    if (task.changes.length > MOST_CHANGES) this.#chars -= charsOf(task.changes.splice(1, 1)[0]!);
    this.#changed.add(task);
    this.#forgetWhatIsTooMuch();
  }

  #find(event: FrameEvent, mention: TaskMention): Task | undefined {
    let task = this.#byKey.get(keyOf(event.server, directionOf(event, mention), mention.taskId));
    while (task && task.firstSeq > event.seq) task = task.previous;
    return task;
  }

  /** Always keeps the newest task. */
  #forgetWhatIsTooMuch(): void {
    while ((this.#byId.size > this.#maxTasks || this.#chars > this.#maxChars) && this.#byId.size > 1) {
      this.#forget(this.#dispensable());
    }
  }

  #dispensable(): Task {
    const [oldest] = this.#byId.values();
    for (const task of this.#byId.values()) if (isOver(task) && task.id !== this.#lastId) return task;
    return oldest!;
  }

  #forget(task: Task): void {
    this.#byId.delete(task.id);
    this.#changed.delete(task);
    this.#chars -= TASK_CHARS + task.taskId.length;
    for (const change of task.changes) this.#chars -= charsOf(change);
    task.changes = []; // requests may still refer to the task
    if (task.upstream) delete task.upstream.downstream;
    if (task.downstream) delete task.downstream.upstream;
    const key = keyOf(task.server, task.direction, task.taskId);
    let newer = this.#byKey.get(key);
    if (newer === task && task.previous) this.#byKey.set(key, task.previous);
    else if (newer === task) this.#byKey.delete(key);
    while (newer && newer.previous !== task) newer = newer.previous;
    if (newer) newer.previous = task.previous;
    task.previous = undefined;
  }
}

function directionOf({ direction }: FrameEvent, { fromReceiver }: TaskMention): FlowDirection {
  return fromReceiver ? otherWay[direction] : direction;
}

function keyOf(server: string, direction: FlowDirection, taskId: string): string {
  return JSON.stringify([server, direction, taskId]);
}

function charsOf({ statusMessage = '' }: TaskChange): number {
  return CHANGE_CHARS + statusMessage.length;
}
