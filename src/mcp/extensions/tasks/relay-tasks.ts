// Tasks of a server that another host runs. That host has the tasks of clients of both forms: requests are passed to it
// with the revision of the client. The records show the tasks that have ended, and those whose host has ended.

import { Cancellable } from '../../../base/cancel-signal.ts';
import { RpcError, toError } from '../../../base/errors.ts';
import { SILENT, within } from '../../../base/wait.ts';
import { readHandle } from '../../handles.ts';
import { changedFacts } from '../../layers/layer.ts';
import type { Caller, ClientFacts, Params, Result, Service } from '../../service.ts';
import type { InputRequest, Tool } from '../../types.ts';
import { withHandle } from '../assigned-ids.ts';
import type { HostedServer, KeptRecords } from '../extension.ts';
import { type KeptTask, KeptTaskStore } from './kept-tasks.ts';
import { passing } from './passing-caller.ts';
import { isFinal } from './record.ts';
import type { TaskService } from './task-service.ts';
import { EXPERIMENTAL, factsWithTasks, formOf, withRelatedTask, withTools } from './wire-forms.ts';

/** Limit of the wait for the host of a running task before its record is read: the host may have ended without notice. */
const ANSWER_MS = 2_000;
/** The longest wait of one `tasks/result`. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

export function relayTasks(service: Service, server: HostedServer): Partial<Service> {
  let loading: Promise<{ store: KeptTaskStore; tasks: TaskService }> | undefined;
  const load = (records: KeptRecords) => {
    loading ??= import('./task-service.ts').then(({ TaskService }) => {
      const store = new KeptTaskStore(records, server.config.name);
      const run = (params: Params, caller: Caller) => service.request('tools/call', params, caller);
      return { store, tasks: new TaskService(run, server.clock, { store }) };
    });
    return loading;
  };
  const requestOfTask = async (records: KeptRecords, method: string, params: Params, caller: Caller) => {
    const { store, tasks } = await load(records);
    const named = readHandle(params.taskId);
    const taskId = named?.id ?? String(params.taskId);
    const stop = new Cancellable();
    const { signal } = caller;
    if (signal?.aborted) stop.cancel(signal.reason);
    signal?.addEventListener('abort', () => stop.cancel(signal.reason));
    const ask = async () => service.request(method, params, passing(caller, { signal: stop }));
    const read = async () => store.get(taskId);
    const kept = await read().catch(toError);
    // If the records cannot be read, the host of the task may still answer. If that host does not know the task, this
    // proves nothing.
    if (kept instanceof Error) return ask().catch((error) => Promise.reject(isUnknown(error) ? kept : error));
    if (!kept || kept.principal !== caller.client.identity.principal) return ask();
    const answerFromRecord = async (): Promise<Result> => {
      const result = await tasks.request(method, { ...params, taskId }, caller);
      return named ? withHandle(named.owner, method, result) : result;
    };
    if (isFinal(kept)) return (kept as KeptTask).lacksResult ? ask().catch(answerFromRecord) : answerFromRecord();
    if (method === 'tasks/get') {
      const answered = await within(server.clock, ANSWER_MS, ask().catch(toError));
      return answered === SILENT || answered instanceof Error ? answerFromRecord() : answered;
    }
    const asked = ask().catch(toError);
    for (;;) {
      const answered = await within(server.clock, ANSWER_MS, asked);
      if (answered !== SILENT && !(answered instanceof Error)) return answered;
      // The host of the task may have ended in the meantime.
      const newest = await read().catch(() => undefined);
      if (newest && isFinal(newest) && !(newest as KeptTask).lacksResult) {
        stop.cancel(new Error('The task has ended'));
        return answerFromRecord();
      }
      if (answered instanceof Error) throw answered;
    }
  };
  const toolFor = (tool: Tool, client: ClientFacts): Tool =>
    client.revision === EXPERIMENTAL && hasTasks(server)
      ? { ...tool, execution: { ...tool.execution, taskSupport: 'optional' } }
      : tool;
  return {
    describe: changedFacts(service, (client, facts) => (formOf(facts) ? factsWithTasks(client) : undefined)),
    toolFor,
    request(method, params, caller) {
      const { records } = server;
      if (method === 'tools/list' && caller.client.revision === EXPERIMENTAL) {
        return withTools(service.request(method, params, caller), (tool) => toolFor(tool, caller.client));
      }
      const by = method === 'tasks/result' ? waiting(caller, params.taskId) : caller;
      const isOfTask = records && method.startsWith('tasks/') && params.taskId !== undefined;
      return isOfTask ? requestOfTask(records, method, params, by) : service.request(method, params, by);
    },
  };
}

function hasTasks({ facts }: HostedServer): boolean {
  return facts !== undefined && formOf(facts) !== undefined;
}

/**
 * The caller of `tasks/result`, which waits for the end of the task. Questions to it contain the id of the task that this client uses.
 */
function waiting(caller: Caller, taskId: unknown): Caller {
  return passing(caller, {
    options: { ...caller.options, timeoutMs: LONGEST_WAIT_MS },
    ask: (question, name, signal) =>
      caller.ask(
        { ...question, params: withRelatedTask(question.params ?? {}, String(taskId)) } as InputRequest,
        name,
        signal,
      ),
  });
}

function isUnknown(error: unknown): boolean {
  return error instanceof RpcError && error.code === 'INVALID_PARAMS';
}
