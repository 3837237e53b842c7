// The interface of a store for tasks, and a store in memory, which a `Server` uses; a host can keep records elsewhere.
// Records hold only JSON.

import { heldBytesOf } from '../../../base/count-json-values.ts';
import { RpcCode, RpcError } from '../../../base/errors.ts';
import { requireJson } from '../../../base/to-json.ts';
import type { TaskOutcome, TaskRecord } from './record.ts';

type Awaitable<T> = T | Promise<T>;

export interface TaskStore {
  get(id: string): Awaitable<TaskRecord | undefined>;
  /**
   * Adds or replaces a record. Throws an RpcError if there is no space: a new task is then not created, and a result is
   * not kept. A task that exists is readable until its TTL ends, so a store must not remove others to make space.
   */
  put(task: TaskRecord): Awaitable<void>;
  delete(id: string): Awaitable<void>;
  /** The tasks of one principal, oldest first. */
  list(principal: string | undefined): Awaitable<readonly TaskRecord[]>;
}

export interface TaskLimits {
  /** The maximum number of tasks, running and finished. Default: 100,000. */
  maxTasks?: number;
  /** The maximum number of tasks of one principal. Default: 10,000. */
  maxPrincipalTasks?: number;
  /** The maximum bytes of kept results as JSON, and of the requests and pending questions of running tasks. Default: 256 MiB. */
  maxTaskBytes?: number;
  /** The same maximum for one principal. Default: 64 MiB. */
  maxPrincipalTaskBytes?: number;
}

const MIB = 1024 * 1024;
/**
 * A payload up to this size is always kept, so that every task can end. The number of tasks limits the total of such
 * payloads.
 */
const ALWAYS_KEPT = 1024;

interface Use {
  tasks: Set<Kept>;
  bytes: number;
}

interface Kept {
  task: TaskRecord;
  /** The part of `bytes` that belongs to questions. */
  asked: number;
  bytes: number;
}

export class MemoryTaskStore implements TaskStore {
  readonly #limits: Required<TaskLimits>;
  readonly #tasks = new Map<string, Kept>();
  readonly #byPrincipal = new Map<string | undefined, Use>();
  #bytes = 0;

  constructor(limits: TaskLimits = {}) {
    this.#limits = {
      maxTasks: limits.maxTasks ?? 100_000,
      maxPrincipalTasks: limits.maxPrincipalTasks ?? 10_000,
      maxTaskBytes: limits.maxTaskBytes ?? 256 * MIB,
      maxPrincipalTaskBytes: limits.maxPrincipalTaskBytes ?? 64 * MIB,
    };
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** The bytes of requests, kept results and questions. */
  get bytes(): number {
    return this.#bytes;
  }

  get(id: string): TaskRecord | undefined {
    return this.#tasks.get(id)?.task;
  }

  put(task: TaskRecord): void {
    const known = this.#tasks.get(task.id);
    const use = this.#byPrincipal.get(task.principal) ?? { tasks: new Set<Kept>(), bytes: 0 };
    const text = task.outcome && requireJson(task.outcome);
    const asked = known?.task.open === task.open ? known.asked : questionsBytes(task);
    const bytes = task.requestBytes + asked + (text?.length ?? 0);
    const more = bytes - (known?.bytes ?? 0);
    this.#check(known === undefined, bytes > ALWAYS_KEPT ? more : 0, use);
    const kept = { task: text === undefined ? task : withOutcome(task, text), asked, bytes };
    if (known) Object.assign(known, kept);
    else {
      this.#tasks.set(task.id, kept);
      use.tasks.add(kept);
      this.#byPrincipal.set(task.principal, use);
    }
    use.bytes += more;
    this.#bytes += more;
  }

  delete(id: string): void {
    const known = this.#tasks.get(id);
    if (!known) return;
    const { principal } = known.task;
    const use = this.#byPrincipal.get(principal)!;
    this.#tasks.delete(id);
    use.tasks.delete(known);
    use.bytes -= known.bytes;
    this.#bytes -= known.bytes;
    if (use.tasks.size === 0) this.#byPrincipal.delete(principal);
  }

  list(principal: string | undefined): readonly TaskRecord[] {
    return [...(this.#byPrincipal.get(principal)?.tasks ?? [])].map(({ task }) => task);
  }

  #check(isNew: boolean, more: number, use: Use): void {
    const { maxTasks, maxPrincipalTasks, maxTaskBytes, maxPrincipalTaskBytes } = this.#limits;
    if (isNew && use.tasks.size >= maxPrincipalTasks) {
      throw full(`this principal has ${maxPrincipalTasks} tasks, which is the limit of a principal`);
    }
    if (isNew && this.#tasks.size >= maxTasks) throw full(`the server has ${maxTasks} tasks, which is its limit`);
    if (more <= 0) return;
    if (use.bytes + more > maxPrincipalTaskBytes) {
      throw full(`the tasks of this principal would keep more than ${maxPrincipalTaskBytes} bytes`);
    }
    if (this.#bytes + more > maxTaskBytes) throw full(`all tasks would keep more than ${maxTaskBytes} bytes`);
  }
}

/** The outcome is kept as text and parsed when it is read: its objects can take 25 times the memory. */
function withOutcome({ outcome: _, ...task }: TaskRecord, text: string): TaskRecord {
  return {
    ...task,
    get outcome(): TaskOutcome {
      return JSON.parse(text);
    },
  };
}

function questionsBytes({ open, answered }: TaskRecord): number {
  let bytes = 0;
  for (const [key, request] of Object.entries(open)) bytes += key.length + questionBytes(request);
  for (const key of answered) bytes += key.length;
  return bytes;
}

/** A question is measured once, because each further question of its task changes the record. */
const measured = new WeakMap<object, number>();

function questionBytes(request: object): number {
  let bytes = measured.get(request);
  if (bytes === undefined) {
    bytes = heldBytesOf(request);
    measured.set(request, bytes);
  }
  return bytes;
}

function full(why: string): RpcError {
  return new RpcError(
    RpcCode.serverBusy,
    `No space for this task: ${why}. Finished tasks are removed when their TTL ends.`,
  );
}
