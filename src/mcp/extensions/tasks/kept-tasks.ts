// Tasks that outlive the host which runs them: a store over the records of the host. Only the creation and the end of a
// task are kept. If the host has ended, a task without a kept end has failed.

import { PeerError, RpcCode } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { requireJson } from '../../../base/to-json.ts';
import { errorAnswer } from '../../../wire/jsonrpc/inbound.ts';
import type { FoundRecord, KeptRecords } from '../extension.ts';
import { expiresMs, isFinal, nextTask, type TaskRecord } from './record.ts';
import { MemoryTaskStore, type TaskLimits, type TaskStore } from './store.ts';

export interface KeptTask extends TaskRecord {
  /** True if the task was completed and its result was too long to be kept. `outcome` is then an error with this reason. */
  readonly lacksResult?: boolean;
}

export class KeptTaskStore implements TaskStore {
  /** The tasks of this process, with their limits. */
  readonly #own: MemoryTaskStore;
  readonly #records: KeptRecords;
  readonly #server: string;

  constructor(records: KeptRecords, server: string, limits?: TaskLimits) {
    this.#own = new MemoryTaskStore(limits);
    this.#records = records;
    this.#server = server;
  }

  get(id: string): TaskRecord | Promise<KeptTask | undefined> {
    return this.#own.get(id) ?? this.#find(id);
  }

  put(task: TaskRecord): void | Promise<void> {
    const isNew = this.#own.get(task.id) === undefined;
    this.#own.put(task);
    if (!isNew && !isFinal(task)) return undefined;
    const kept = this.#keep(task);
    return isNew ? kept.catch((error: unknown) => this.#forget(task.id, error)) : kept;
  }

  delete(id: string): Promise<void> {
    this.#own.delete(id);
    return this.#records.delete(id);
  }

  list(principal: string | undefined): readonly TaskRecord[] {
    return this.#own.list(principal);
  }

  #forget(id: string, error: unknown): never {
    this.#own.delete(id);
    throw error;
  }

  async #find(id: string): Promise<KeptTask | undefined> {
    const found = await this.#records.get(id);
    const task = found && taskIn(found, id);
    if (!task || !found.isOrphaned || isFinal(task)) return task;
    const { error } = errorAnswer(undefined, orphaned(this.#server, found));
    const failed = nextTask(task, { type: 'ended', outcome: { error } }, Math.max(Date.now(), task.updatedMs));
    try {
      await this.#keep(failed, found);
    } catch {
      // Another host may have ended the task at the same time. Its record then applies.
      const other = await this.#records.get(id);
      const ended = other && taskIn(other, id);
      if (ended && isFinal(ended)) return ended;
    }
    return failed;
  }

  #keep(task: TaskRecord, replaces?: FoundRecord): Promise<void> {
    const { mostChars = Number.POSITIVE_INFINITY } = this.#records;
    const { length } = requireJson(task);
    const value = length > mostChars ? withoutResult(task, length) : task;
    const untilMs = Math.min(expiresMs(task), Number.MAX_SAFE_INTEGER);
    return this.#records.put(task.id, { value, untilMs, isFinal: isFinal(task) }, replaces);
  }
}

/**
 * Identities of clients belong to one process, so the identity in the record is removed: another client of this process
 * could have it.
 */
function taskIn({ value }: FoundRecord, id: string): KeptTask | undefined {
  if (!isObject(value) || value.id !== id || typeof value.status !== 'string') return undefined;
  return { ...(value as unknown as TaskRecord), client: '' };
}

function withoutResult(task: TaskRecord, length: number): KeptTask {
  const message = `The task has ended, but its result of ${length} characters was too long to be kept beyond the host that ran it`;
  const outcome = { error: { code: RpcCode.internalError, message } };
  return { ...task, status: 'failed', statusMessage: message, outcome, lacksResult: true };
}

function orphaned(server: string, { ranAt }: FoundRecord): PeerError {
  const why = 'The host that ran the task has ended — tools/call had been sent and may have run';
  const error = new PeerError('OUTCOME_UNKNOWN', why);
  error.ran = { server, pid: null, generation: 0, ...ranAt };
  return error;
}
