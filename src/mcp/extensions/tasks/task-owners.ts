// The principals of tasks that a server answers for itself. The server does not know principals: any client with the id
// may use the task. To another principal, a task must not exist. A host does not know the tasks from before its start;
// their ids are secrets.

import { randomText } from '../../adapter/suspended-calls.ts';
import type { ClientFacts, Params, Result } from '../../service.ts';

/** Limit of known tasks; the oldest are forgotten first. */
const MOST_TASKS = 100_000;
const LONGEST_ID = 256;

export class TaskOwners {
  readonly #principals = new Map<string, string>();

  /** Must be called with each result of a call that may be a task. */
  created({ resultType, taskId }: Result, { identity: { principal } }: ClientFacts): void {
    if (resultType !== 'task' || principal === undefined) return;
    if (typeof taskId !== 'string' || taskId.length > LONGEST_ID || this.#principals.has(taskId)) return;
    if (this.#principals.size >= MOST_TASKS) this.#principals.delete(this.#principals.keys().next().value!);
    this.#principals.set(taskId, principal);
  }

  /** The parameters of a request to the server. The id of a task of another principal is replaced by an unknown id. */
  own(params: Params, client: ClientFacts): Params {
    return this.#isOthers(params.taskId, client) ? { ...params, taskId: randomText(16) } : params;
  }

  ownIds(ids: unknown, client: ClientFacts | undefined): unknown {
    return Array.isArray(ids) ? ids.filter((id) => !client || !this.#isOthers(id, client)) : ids;
  }

  #isOthers(id: unknown, { identity: { principal } }: ClientFacts): boolean {
    const owner = this.#principals.get(id as string);
    return owner !== undefined && owner !== principal;
  }
}
