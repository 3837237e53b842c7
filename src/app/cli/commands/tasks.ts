// `standpipe tasks`: lists, shows, follows, answers and cancels the calls that `call --detach` left running.

import { shellWord, shellWords } from '../../../base/command-line.ts';
import { toError, UsageError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { ownCommand } from '../../../base/own-command.ts';
import type { Colour } from '../../../base/terminal/colours.ts';
import { counted } from '../../../base/terminal/counted.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { HostAccess } from '../../../host/control/host-access.ts';
import type { ServerClient } from '../../../host/services/typed-client.ts';
import type { TaskHandle } from '../../../mcp/extensions/tasks/task-handle.ts';
import { resumeTask } from '../../../mcp/extensions/tasks/tasks.ts';
import type { TaskState } from '../../../mcp/extensions/tasks/wire-forms.ts';
import { ExitCode } from '../exit-code.ts';
import { type CommandBody, type CommandModule, type Invocation, invalidOption } from '../invocation.ts';
import { printCall } from '../output/call-result.ts';
import { checkOutput } from '../output/content.ts';
import { causeOf, printRows, type Row } from '../output/table.ts';
import { withHost, withRunningHost } from '../servers/reach-host.ts';
import { hasTerminal } from '../servers/server-reports.ts';
import { errorDocument } from '../show-error.ts';
import { askAll, describeQuestion, type Questions, readAnswers } from '../tasks/answers.ts';
import {
  argumentOf,
  type DetachedTask,
  detachedTasks,
  expiresMs,
  findDetached,
  shownId,
  storeTask,
} from '../tasks/detached-tasks.ts';
import { followTask, questionText, resultOf, taskName } from '../tasks/follow-task.ts';
import { describeUptime } from './ls.ts';
import { help } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  const task = ['<task>', 'id of the task, or its first characters'] as const;
  command.command('ls').description('list the detached tasks and their status').action(run(list));
  command
    .command('show')
    .description('show the state of a task, its questions and its result')
    .argument(...task)
    .action(run(show));
  command
    .command('wait')
    .description('follow a task to its end and print the result')
    .argument(...task)
    .option('--output <path>', 'save images, audio and files of the result here')
    .action(run(wait));
  command
    .command('answer')
    .description('answer the questions of a task')
    .argument(...task)
    .argument('[answers...]', 'field=value, key.field=value, key=decline or key:=json')
    .option('--args <json>', 'answers by key as JSON; @file reads a file, - reads stdin')
    .action(run(answer));
  command
    .command('cancel')
    .description('cancel a task')
    .argument(...task)
    .action(run(cancel));
  help(
    command,
    `These are the tasks that \`${ownCommand} call --detach\` left running. They are
remembered until their TTL ends. Without answers, \`answer\` asks at the terminal.`,
    'tasks ls',
    'tasks show 3f2a',
    'tasks wait 3f2a --json',
    'tasks answer 3f2a',
    'tasks answer 3f2a name=Ada age=36',
    'tasks answer 3f2a input-1=decline input-2.size=large',
    'tasks cancel 3f2a',
  );
};

interface ServerAccess {
  host: HostAccess;
  client: ServerClient;
}

/** Runs the work with the server of a task. Starts no process. */
function withServer<T>(
  invocation: Invocation,
  detached: DetachedTask,
  work: (access: ServerAccess) => Promise<T>,
): Promise<T> {
  const { place, server } = detached;
  const { json, verbose, timeoutMs } = invocation.settings;
  const settings = { json, verbose, timeoutMs, ...place.settings };
  const own: Invocation = { ...invocation, settings, serverCommand: undefined };
  const run = (host: HostAccess) => host.direct(server, (client) => work({ host, client }));
  if (settings.control === undefined) return withHost(own, place.options, ({ host }) => run(host));
  return withRunningHost(own, run, () => Promise.reject(hostEnded(detached)));
}

/** Runs the work with the handle of a task. */
async function withTask<T>(
  invocation: Invocation,
  detached: DetachedTask,
  work: (handle: TaskHandle, host: HostAccess) => Promise<T>,
): Promise<T> {
  return withServer(invocation, detached, async ({ host, client }) => work(await resumeTask(client, detached), host));
}

function hostEnded({ server, place: { start = [] } }: DetachedTask): UsageError {
  const [by] = start;
  const join = by === '--node' ? ['--join', 'nats://HOST'] : [];
  const again = start.length > 0 ? `: ${ownCommand} ${shellWords(['up', ...join, ...start])}` : '.';
  return new UsageError('NOT_STARTED', `The host that runs "${server}" has ended`, {
    hint:
      by === '--shared'
        ? 'The task has ended with the host: repeat the call. The host of `share` starts again with the next program that uses the server.'
        : `If its entry has "tasks", the next host has the outcome; tasks of the server itself have ended. Start it${again}`,
  });
}

/** Reads the state, and stores a change of it for `ls`. */
async function stateOf(handle: TaskHandle, detached: DetachedTask): Promise<TaskState> {
  const task = await handle.status();
  try {
    if (task.ttlMs !== detached.task.ttlMs || task.status !== detached.task.status) storeTask({ ...detached, task });
  } catch {
    // the earlier state remains stored, which is enough to find the task
  }
  return task;
}

function documentOf({ server, tool, revision }: DetachedTask, task: TaskState) {
  return { server, tool, revision, task };
}

interface Listed {
  detached: DetachedTask;
  task: TaskState;
  error?: Error;
}

const list: CommandBody = async (invocation) => {
  const { out } = invocation;
  out.activity.begin('reading tasks');
  const all = detachedTasks();
  const placeOf = ({ place, server }: DetachedTask) => JSON.stringify([place, server]);
  const places = [...new Set(all.map(placeOf))].map((place) => all.filter((task) => placeOf(task) === place));
  const listed = (await Promise.all(places.map((tasks) => readAll(invocation, tasks)))).flat();
  out.activity.end();
  listed.sort((a, b) => a.detached.detachedMs - b.detached.detachedMs);
  if (out.json) {
    const tasks = listed.map(({ detached, task: { result: _, ...task }, error }) => ({
      ...documentOf(detached, task),
      ...(error && { error: errorDocument(error) }),
    }));
    out.document({ tasks });
  } else
    printRows(
      out,
      ['TASK', 'SERVER', 'TOOL', 'STATUS', 'AGE', 'MESSAGE'],
      listed.map((each) => toRow(each, out.onTerminal ? shownId(each.detached, all) : argumentOf(each.task.taskId))),
    );
  if (!out.json && all.length === 0) out.say(`There are no detached tasks. Start one: ${ownCommand} call … --detach`);
  return ExitCode.done;
};

/** Reads the tasks of one server. A task that cannot be read has its last known state and the reason. */
async function readAll(invocation: Invocation, tasks: readonly DetachedTask[]): Promise<Listed[]> {
  const unread = (detached: DetachedTask, error: unknown): Listed => ({
    detached,
    task: detached.task,
    error: toError(error),
  });
  try {
    return await withServer(invocation, tasks[0]!, async ({ client }) => {
      const listed: Listed[] = [];
      for (const detached of tasks) {
        const reading = stateOf(await resumeTask(client, detached), detached);
        listed.push(
          await reading.then(
            (task) => ({ detached, task }),
            (error) => unread(detached, error),
          ),
        );
      }
      return listed;
    });
  } catch (error) {
    invocation.signal.throwIfAborted();
    return tasks.map((detached) => unread(detached, error));
  }
}

const colours: Readonly<Record<string, Colour>> = {
  working: 'cyan',
  input_required: 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
};

/** A task whose state could not be read is `unknown`. */
function toRow({ detached: { server, tool }, task, error }: Listed, id: string): Row {
  const { status, statusMessage = '', createdAt } = task;
  return [
    id,
    server,
    tool,
    error ? { text: 'unknown', colour: 'yellow' } : { text: status, colour: colours[status] },
    describeAge(createdAt),
    error ? causeOf(error.message) : statusMessage,
  ];
}

/** Servers may send any text. */
function describeAge(createdAt: string): string {
  const createdMs = Date.parse(createdAt);
  return Number.isNaN(createdMs) ? '-' : describeUptime(Math.max(0, Date.now() - createdMs));
}

const show: CommandBody = (invocation, [given]) => {
  const { out } = invocation;
  const detached = findDetached(given!);
  return withTask(invocation, detached, async (handle, host) => {
    const task = await stateOf(handle, detached);
    if (out.json) out.document(documentOf(detached, task));
    else {
      printRows(out, ['FIELD', 'VALUE'], describeTask(detached, task));
      if (task.result) {
        const { server, tool } = detached;
        await printCall(
          handle,
          await resultOf(handle),
          { host, server, tool, output: undefined, unanswered: [] },
          invocation,
        );
      }
      if (task.inputRequests) out.say(`Answer it: ${howToAnswer(detached)}`);
    }
    return ExitCode.done;
  });
};

function describeTask(detached: DetachedTask, task: TaskState): Row[] {
  const { taskId, status, statusMessage = '', createdAt, lastUpdatedAt, error } = task;
  const expires = new Date(expiresMs({ ...detached, task })).toISOString();
  const rows: Row[] = [
    ['task', taskId],
    ['server', detached.server],
    ['tool', detached.tool],
    ['status', { text: status, colour: colours[status] }],
    ['message', statusMessage],
    ['created', createdAt],
    ['updated', lastUpdatedAt],
    ['expires', expires],
  ];
  if (error) rows.push(['error', `${error.code}: ${error.message}`]);
  for (const [key, request] of Object.entries(openOf(task))) {
    rows.push(['question', `${key}: ${questionText(request)}`], ['takes', describeQuestion(request)]);
  }
  return rows.filter(([, value]) => value !== '');
}

/** The pending questions. Peers may send anything. */
function openOf({ inputRequests }: TaskState): Questions {
  const open = Object.entries(isObject(inputRequests) ? inputRequests : {});
  return Object.fromEntries(open.filter(([, request]) => isObject(request) && isObject(request.params))) as Questions;
}

function howToAnswer(detached: DetachedTask): string {
  return `${ownCommand} tasks answer ${visibleLine(shellWord(shownId(detached, detachedTasks())))}`;
}

const wait: CommandBody = async (invocation, [given], options) => {
  const { out, signal } = invocation;
  const { output } = options as { output?: string };
  await checkOutput(output);
  const detached = findDetached(given!);
  const { server, tool } = detached;
  const interrupted = () => out.say(`The task continues: ${ownCommand} tasks wait ${visibleLine(shellWord(given!))}`);
  signal.addEventListener('abort', interrupted, { once: true });
  try {
    return await withTask(invocation, detached, async (handle, host) => {
      const following = { server, tool, out, unanswered: [], howToAnswer: howToAnswer(detached) };
      out.activity.begin(taskName(handle, following));
      await stateOf(handle, detached); // the stored state may be old
      await followTask(handle, following);
      return printCall(handle, await resultOf(handle), { host, output, ...following }, invocation);
    });
  } finally {
    signal.removeEventListener('abort', interrupted);
  }
};

const answer: CommandBody = (invocation, [given, ...words], options) => {
  const { out, signal } = invocation;
  const { args } = options as { args?: string };
  const detached = findDetached(given!);
  return withTask(invocation, detached, async (handle) => {
    const before = await stateOf(handle, detached);
    const open = openOf(before);
    if (Object.keys(open).length === 0) throw nothingAsked(detached, before);
    const isGiven = words.length > 0 || args !== undefined;
    if (!isGiven && !hasTerminal()) throw noAnswers(open);
    const answers = isGiven ? await readAnswers(words, args, open) : await askAll(detached.server, open, out, signal);
    await handle.answer(answers);
    const task = await stateOf(handle, detached);
    const answered = Object.keys(answers);
    if (out.json) out.document({ ...documentOf(detached, task), answered });
    else out.say(`Answered ${counted(answered.length, 'question')}. The task is ${task.status}.`);
    return ExitCode.done;
  });
};

function nothingAsked(detached: DetachedTask, { status }: TaskState): UsageError {
  const id = visibleLine(shellWord(shownId(detached, detachedTasks())));
  return invalidOption(
    `The task has no pending question: its status is ${status}`,
    status === 'input_required'
      ? `A server of ${detached.revision} sends its questions to the client that waits for the result. Run in a terminal: ${ownCommand} tasks wait ${id}`
      : `\`${ownCommand} tasks show ${id}\` shows its state.`,
  );
}

function noAnswers(open: Questions): UsageError {
  const asked = Object.entries(open).map(
    ([key, request]) => `${key}: ${questionText(request)} ${describeQuestion(request)}`,
  );
  return invalidOption(
    'No answers were given, and there is no terminal to ask on',
    `The task asks ${asked.join('; ')}`,
  );
}

const cancel: CommandBody = (invocation, [given]) => {
  const { out } = invocation;
  const detached = findDetached(given!);
  return withTask(invocation, detached, async (handle) => {
    await stateOf(handle, detached);
    await handle.cancel();
    const task = await stateOf(handle, detached);
    if (out.json) out.document(documentOf(detached, task));
    else {
      const name = visibleLine(taskName(handle, detached));
      out.say(task.status === 'cancelled' ? `Cancelled the ${name}.` : `The ${name} is ${task.status}.`);
    }
    return ExitCode.done;
  });
};
