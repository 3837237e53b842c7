// The extension Tasks (`io.modelcontextprotocol/tasks`, 2026-07-28) and its experimental form of 2025-11-25: a tool call
// that takes long is answered with a task, which the client reads until it ends. This file declares it; the code that
// runs or follows a task is loaded with the first one.

import { UsageError } from '../../../base/errors.ts';
import { changedFacts } from '../../layers/layer.ts';
import type { Caller, ClientFacts, Params, Result, Service } from '../../service.ts';
import type { Tool } from '../../types.ts';
import type { ClientPart, DeclaredServer, Extension, ToolCall } from '../extension.ts';
import type { TaskLimits, TaskStore } from './store.ts';
import type { SavedTask, TaskHandle } from './task-handle.ts';
import type { TaskService } from './task-service.ts';
import {
  EXPERIMENTAL,
  factsWithTasks,
  relatedTask,
  supportOf,
  TASKS,
  type TaskSupport,
  wantsTask,
  withRelatedIds,
  withRelatedTask,
  withTaskIds,
} from './wire-forms.ts';

export interface TasksOptions extends TaskLimits {
  /**
   * How long a task can be read, from its creation. A client may request less, not more. Null: tasks do not expire.
   * Default: 1 hour.
   */
  ttlMs?: number | null;
  /** The suggested poll interval. Default: a quarter of the age of the task, from 100 ms to 5 s. */
  pollMs?: number;
  /** How long a call of a tool with `task: 'optional'` may take before it becomes a task. Default: 100 ms. */
  afterMs?: number;
  /** The store of the tasks. Default: in memory, within the limits. */
  store?: TaskStore;
}

export interface TaskToolOptions {
  /**
   * Whether a call of this tool may become a task. `optional`: clients without tasks get a plain result. `required`:
   * every call is a task, and clients without tasks get an error.
   */
  task?: TaskSupport;
}

const ofTask = { from: 'client', target: { parameter: 'taskId' } } as const;
const onlyExperimental = { since: EXPERIMENTAL, until: EXPERIMENTAL } as const;

/** The methods and result types, for a host that passes tasks between clients and servers. */
export const taskMethods: Extension = {
  id: TASKS,
  since: '2026-07-28',
  methods: {
    'tasks/get': { ...ofTask, since: EXPERIMENTAL, repeat: 'always' },
    'tasks/update': { ...ofTask, since: '2026-07-28', repeat: 'always' },
    'tasks/cancel': { ...ofTask, since: EXPERIMENTAL, repeat: 'always' },
    'tasks/result': { ...ofTask, ...onlyExperimental, repeat: 'always', asks: true, withIds: withRelatedIds },
    'tasks/list': {
      from: 'client',
      ...onlyExperimental,
      repeat: 'always',
      merges: { member: 'tasks', nameKey: 'taskId' },
      withIds: withTaskIds,
    },
    'notifications/tasks': {
      from: 'server',
      isNotification: true,
      since: '2026-07-28',
      target: { parameter: 'taskId' },
      filter: 'taskIds',
    },
    'notifications/tasks/status': {
      from: 'server',
      isNotification: true,
      ...onlyExperimental,
      target: { parameter: 'taskId' },
    },
  },
  idsEndWithProcess: true,
  resultTypes: { task: { methods: ['tools/call'], id: 'taskId', withIds: withTaskIds } },
  idInMessage: (given) => {
    const id = relatedTask(given);
    // "All requests, notifications, and responses related to a task MUST include" the name of the task.
    return id === undefined ? undefined : { id, withId: (message, as = id) => withRelatedTask(message, as) };
  },
  factsFor: factsWithTasks,
};

/** The extension with these options for a server. Clients and servers have it by default. */
export function tasks(options: TasksOptions = {}): Extension {
  return {
    ...taskMethods,
    client: clientPart,
    server: { settings: false, check: checkTool, over: (service, server) => withTasks(service, server, options) },
  };
}

const clientPart: ClientPart = {
  async finish(result, call) {
    const { finishTask } = await import('./task-handle.ts');
    return finishTask(result, call);
  },
  runs(options, { revision, capabilities }, tool) {
    const wantsHandle = (options as { task?: unknown } | undefined)?.task === 'handle';
    const isExperimental = revision === EXPERIMENTAL && capabilities.tasks?.requests?.tools?.call !== undefined;
    const mayBeRequired = isExperimental && (!tool || tool.execution?.taskSupport === 'required');
    if (!wantsHandle && !mayBeRequired) return undefined;
    return async (call) => {
      const { startTask } = await import('./task-handle.ts');
      return startTask(call, isExperimental, wantsHandle);
    };
  },
};

/** Continues to follow a task that another process, or an earlier connection, began. */
export async function resumeTask(client: Resuming, saved: SavedTask): Promise<TaskHandle> {
  const { resumedTask } = await import('./task-handle.ts');
  return resumedTask(saved, client.toolCall({ name: saved.tool }));
}

/** A connected client. */
type Resuming = { toolCall(params: { name: string }): ToolCall };

function checkTool(tool: Tool): void {
  const support: unknown = supportOf(tool);
  if (support === undefined || support === 'optional' || support === 'required') return;
  throw new UsageError('INVALID_OPTION', `The tool ${tool.name} has an invalid "task": it is "optional" or "required"`);
}

/**
 * Adds tasks to a service. A server without a tool that may run as a task declares nothing and behaves as without the
 * extension.
 */
function withTasks(service: Service, server: DeclaredServer, options: TasksOptions): Partial<Service> {
  let known: { tools: readonly Tool[]; hasTasks: boolean } | undefined;
  const hasTasks = () => {
    const tools = server.tools();
    if (known?.tools !== tools) known = { tools, hasTasks: tools.some((tool) => supportOf(tool) !== undefined) };
    return known.hasTasks;
  };
  let ours: TaskService | undefined;
  let loading: Promise<TaskService> | undefined;
  const load = () => {
    loading ??= import('./task-service.ts').then(({ TaskService }) => {
      const run = (params: Params, caller: Caller) => service.request('tools/call', withoutTask(params), caller);
      const made = new TaskService(run, server.clock, options);
      server.onClose(() => made.close());
      ours = made;
      return made;
    });
    return loading;
  };
  return {
    describe: changedFacts(service, (client) => (hasTasks() ? factsWithTasks(client) : undefined)),
    request(method, params, caller) {
      const isCall = method === 'tools/call';
      const support = isCall ? supportOf(server.tool(params.name as string)) : undefined;
      const isOurs = isCall ? support || wantsTask(params, caller.client) : method.startsWith('tasks/');
      if (isOurs && (loading || hasTasks())) {
        const request = (by: TaskService) =>
          isCall ? by.callTool(params, caller, support) : by.request(method, params, caller);
        return ours ? request(ours) : load().then(request);
      }
      const result = service.request(method, params, caller);
      return method === 'tools/list' && hasTasks() ? listed(result, caller.client) : result;
    },
    async watch(watcher) {
      const { further, others } = watcher.filter;
      const isOurs = hasTasks() && (further?.taskIds !== undefined || (others && watcher.client));
      const end = isOurs ? await (await load()).watch(watcher) : undefined;
      const stop = await service.watch(watcher);
      return () => {
        end?.();
        stop();
      };
    },
  };
}

/** Removes `task`, which a call of 2025-11-25 may have. Parameters without it are not copied. */
function withoutTask(params: Params): Params {
  if (params.task === undefined) return params;
  const { task: _, ...others } = params;
  return others;
}

/** Tools as the revision of the client declares them: 2025-11-25 has `execution.taskSupport`, later ones have nothing. */
function listed(result: Result | Promise<Result>, client: ClientFacts): Result | Promise<Result> {
  if (result instanceof Promise) return result.then((settled) => listed(settled, client));
  const tools = (result.tools as readonly (Tool & TaskToolOptions)[]).map(({ task, ...tool }) =>
    task !== undefined && client.revision === EXPERIMENTAL ? { ...tool, execution: { taskSupport: task } } : tool,
  );
  return { ...result, tools };
}
