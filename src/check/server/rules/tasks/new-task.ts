// Tasks that a rule creates in the shared conversation.

import type { JsonObject } from '../../../../base/json-object.ts';
import { notApplicable } from '../../../verdict.ts';
import type { PermittedCall } from '../../calls.ts';
import { type Answer, type Conversation, readAnswer } from '../../conversation.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { callTimeoutMs } from '../methods/survey.ts';
import {
  asTaskClient,
  endOf,
  follow,
  followedTasks,
  isFinal,
  mayBeTask,
  mustDeclare,
  statusOf,
  taskCalls,
  taskIn,
  taskParams,
} from './followed-tasks.ts';
import { hasError } from './task-shapes.ts';

export class NewTask {
  readonly conversation: Conversation;
  readonly call: PermittedCall;
  readonly id: string;
  readonly #ruleRun: ServerRuleRun;

  constructor(ruleRun: ServerRuleRun, conversation: Conversation, call: PermittedCall, id: string) {
    this.#ruleRun = ruleRun;
    this.conversation = conversation;
    this.call = call;
    this.id = id;
  }

  /** A request about the task, of a client that declares tasks. */
  request(method: string, params: JsonObject = {}): Promise<Answer> {
    return this.conversation.request(method, asTaskClient(this.#ruleRun, { taskId: this.id, ...params }));
  }

  /** The rule is not applicable if the task can no longer be read: the server may refuse requests about it for this reason. */
  async mustExist(): Promise<Answer> {
    const answer = await this.request('tasks/get');
    return answer.result ? answer : notApplicable('the task can no longer be read');
  }

  /** The rule is not applicable if the task has ended. */
  async mustGoOn(): Promise<void> {
    if (isFinal(statusOf(await this.mustExist()))) notApplicable('the task had ended before');
  }
}

/** Creates a task. Not applicable if no call becomes a task, or the call does not become one this time. */
export async function newTask(ruleRun: ServerRuleRun): Promise<NewTask> {
  const { call } = (await followedTasks(ruleRun)).find(({ id }) => id !== '') ?? notApplicable('no task has an id');
  return (await begin(ruleRun, call)) ?? notApplicable(`not every call of "${call.name}" becomes a task`);
}

/** A task that has not ended: of the long call, or of a call that asks a question. */
export async function openTask(ruleRun: ServerRuleRun): Promise<NewTask> {
  mustDeclare(ruleRun);
  const { knownLongCall: long } = ruleRun;
  const asking = (await taskCalls(ruleRun)).filter(({ followed }) => followed && followed.updates.length > 0);
  const calls = [...(long && mayBeTask(ruleRun)(long.tool) ? [long] : []), ...asking.map(({ call }) => call)];
  for (const call of calls) {
    const task = await begin(ruleRun, call);
    const answer = await task?.request('tasks/get');
    if (task && answer?.result && !isFinal(statusOf(answer))) return task;
  }
  notApplicable('no call is known whose task keeps running: name one with --long-call');
}

/** Resolves to undefined if the call is not answered with a task in time. */
async function begin(ruleRun: ServerRuleRun, call: PermittedCall): Promise<NewTask | undefined> {
  const conversation = await ruleRun.shared();
  const { probe } = conversation;
  const requestId = conversation.ask('tools/call', taskParams(ruleRun, call));
  const frame = await probe.maybe(() => probe.answersTo(requestId)[0], callTimeoutMs(ruleRun));
  if (!frame) conversation.notify('notifications/cancelled', { requestId });
  const taskId = frame && taskIn(readAnswer(frame, requestId))?.taskId;
  return typeof taskId === 'string' ? new NewTask(ruleRun, conversation, call, taskId) : undefined;
}

/**
 * Whether the request gets an error without one of these codes twice more, and similar requests that must be accepted succeed before and after
 * it. Otherwise the error may have another cause, such as a limit of calls.
 */
export async function isRefusedAgain(
  request: () => Promise<Answer>,
  codes: readonly number[],
  succeeds: () => Promise<boolean>,
): Promise<boolean> {
  const isRefused = async () => isOtherError(await request(), codes);
  return (await succeeds()) && (await isRefused()) && (await isRefused()) && (await succeeds());
}

export function isOtherError({ error }: Answer, codes: readonly number[]): boolean {
  return error !== undefined && !codes.includes(error.code as number);
}

export async function succeedsAsTask(ruleRun: ServerRuleRun, call: PermittedCall): Promise<boolean> {
  const { followed } = await follow(ruleRun, await ruleRun.shared(), call);
  const end = followed && endOf(followed);
  return statusOf(end) === 'completed' && !hasError(end?.result?.result);
}

export async function endedTask(ruleRun: ServerRuleRun): Promise<NewTask> {
  const before = (await followedTasks(ruleRun)).find(endOf);
  if (!before) notApplicable('no task of a permitted call has ended in time');
  const conversation = await ruleRun.shared();
  const { followed } = await follow(ruleRun, conversation, before.call);
  if (!followed || !endOf(followed))
    notApplicable(`not every call of "${before.call.name}" becomes a task that ends in time`);
  return new NewTask(ruleRun, conversation, before.call, followed.id);
}
