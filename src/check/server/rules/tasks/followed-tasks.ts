// Tasks of permitted calls, in both forms: the extension of 2026-07-28 and the experimental form of 2025-11-25. Each call is made once per
// revision, in the observed conversation, and its task is read to its end. Most rules about tasks only read the answers.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { EXPERIMENTAL, TASKS } from '../../../../mcp/extensions/tasks/wire-forms.ts';
import { CLIENT_CAPABILITIES } from '../../../../mcp/meta.ts';
import type { ClientCapabilities } from '../../../../mcp/types.ts';
import { NotApplicable, notApplicable, Violation } from '../../../verdict.ts';
import type { PermittedCall } from '../../calls.ts';
import { type Answer, type Conversation, readAnswer } from '../../conversation.ts';
import type { Facts } from '../../facts.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { whyNoCalls } from '../methods/shape.ts';
import { callTimeoutMs } from '../methods/survey.ts';
import { ACKNOWLEDGED, LISTEN, type Notified, notificationsFor, stopListening } from '../modern/listening.ts';
import { allCapabilities, answersTo } from '../modern/tried-calls.ts';

export const declaring: ClientCapabilities = { ...allCapabilities, extensions: { [TASKS]: {} } };

export const NO_CANCEL = 'the server does not declare `tasks.cancel`';

/** Members that rules for one form, or for both, have in common. */
export const ofExtension = { since: '2026-07-28', runs: 'once' } as const;
export const ofExperiment = { since: EXPERIMENTAL, until: EXPERIMENTAL, runs: 'once' } as const;
export const ofBoth = { since: EXPERIMENTAL, runs: 'each era' } as const;

export interface FollowedTask {
  readonly call: PermittedCall;
  readonly created: Answer;
  /** The task in the answer `created`. */
  readonly task: JsonObject;
  /** The id of the task; empty if `taskId` is not a string. A task without an id is not read. */
  readonly id: string;
  /** Answers to `tasks/get`, in order. A task that has ended was read twice after its end. */
  readonly reads: Answer[];
  readonly updates: Answer[];
  /** Messages of the subscription to the task, in 2026-07-28. */
  notified: readonly Notified[];
  /** The answer to `tasks/result`, in 2025-11-25. */
  result?: Answer;
  /** The answer in `reads` after `result`. */
  afterResult?: Answer;
}

/** A call that was answered in time. */
export interface TaskCall {
  readonly call: PermittedCall;
  readonly answer: Answer;
  /** The task; absent if the answer is not a task. */
  readonly followed?: FollowedTask;
}

const NO_TOOL = 'no tool may become a task';

const MOST_CALLS = 12;
/** The interval if the server does not suggest one, and the least interval. */
const POLL_MS = 100;
const LEAST_POLL_MS = 20;
const TTL_MS = 60_000;
const running: readonly unknown[] = ['working', 'input_required'];
const final: readonly unknown[] = ['completed', 'failed', 'cancelled'];
export const statuses = [...running, ...final];

const known = new WeakMap<Facts, Promise<readonly TaskCall[]>>();

/** The calls that may become tasks, and the long one; none if the server does not declare tasks in this revision. */
export function taskCalls(ruleRun: ServerRuleRun): Promise<readonly TaskCall[]> {
  let calls = known.get(ruleRun.facts);
  if (!calls) {
    calls = declaresTasks(ruleRun) ? tryAll(ruleRun.observer) : Promise.resolve([]);
    known.set(ruleRun.facts, calls);
  }
  return calls;
}

/** The tasks of all calls. Not applicable if there is none. */
export async function followedTasks(ruleRun: ServerRuleRun): Promise<readonly FollowedTask[]> {
  mustDeclare(ruleRun);
  const found = (await taskCalls(ruleRun)).flatMap(({ followed = [] }) => followed);
  if (found.length > 0) return found;
  const isWanted = mayBeTask(ruleRun);
  const { knownLongCall: long } = ruleRun;
  if (long && isWanted(long.tool)) notApplicable('neither the long call nor another permitted call became a task');
  const none = 'no permitted call became a task: name a call that becomes one with --long-call';
  notApplicable(whyNoCalls(ruleRun, { calls: [] }, ruleRun.facts.tools.some(isWanted) ? none : NO_TOOL, isWanted));
}

export function mustDeclare(ruleRun: ServerRuleRun): void {
  if (!declaresTasks(ruleRun)) notApplicable('the server does not declare tasks');
}

export function declaresTasks({ era, facts, revision }: ServerRuleRun): boolean {
  const { extensions, tasks } = facts.capabilities as Record<string, unknown>;
  if (era === 'modern') return isObject(extensions) && isObject(extensions[TASKS]);
  return revision === EXPERIMENTAL && isObject(at(tasks, 'requests', 'tools', 'call'));
}

/** Whether the server of 2025-11-25 declares `tasks/list` or `tasks/cancel`. */
export function declaresMethod({ facts }: ServerRuleRun, name: 'list' | 'cancel'): boolean {
  return isObject(at(facts.capabilities.tasks, name));
}

/** Selects tools. In 2026-07-28 tools do not declare tasks. */
export function mayBeTask({ era }: ServerRuleRun): (tool: JsonObject) => boolean {
  return (tool) => era === 'modern' || ['optional', 'required'].includes(supportOf(tool));
}

/** `execution.taskSupport` of a tool of 2025-11-25. */
export function supportOf(tool: JsonObject): string {
  return String(at(tool, 'execution', 'taskSupport') ?? 'forbidden');
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((owner, name) => (isObject(owner) ? owner[name] : undefined), value);
}

export function isFinal(status: unknown): boolean {
  return final.includes(status);
}

/** The status that an answer to `tasks/get` has. */
export function statusOf(answer: Answer | undefined): unknown {
  return answer?.result?.status;
}

/** The first answer with a final status. */
export function endOf({ reads }: FollowedTask): Answer | undefined {
  return reads.find((read) => isFinal(statusOf(read)));
}

/** Parameters of a request that declares tasks. */
export function asTaskClient({ era }: ServerRuleRun, params: JsonObject): JsonObject {
  return era === 'modern' ? { ...params, _meta: { [CLIENT_CAPABILITIES]: declaring } } : params;
}

/** Parameters of a call that may become a task. */
export function taskParams(ruleRun: ServerRuleRun, call: PermittedCall): JsonObject {
  const { name, arguments: args } = call;
  const params = { name, arguments: args, ...(ruleRun.era === 'legacy' && { task: { ttl: TTL_MS } }) };
  const { _meta = {}, ...others } = asTaskClient(ruleRun, params);
  return { ...others, _meta: { ...(_meta as JsonObject), progressToken: tokenOf(ruleRun, call) } };
}

/** The long call and a short call of one tool have different tokens. */
export function tokenOf({ knownLongCall }: ServerRuleRun, call: PermittedCall): string {
  return `${call === knownLongCall ? 'long-task' : 'task'}-${call.name}`;
}

/** The task in the answer to a call, even if it is malformed. Undefined for other results, which may have members of these names. */
export function taskIn({ result = {} }: Answer): JsonObject | undefined {
  const { resultType, content, task, taskId } = result;
  if (resultType !== 'task' && (resultType === 'input_required' || Array.isArray(content))) return undefined;
  if (isObject(task) && taskId === undefined) return task;
  return resultType === 'task' || typeof taskId === 'string' ? result : undefined;
}

/** With at least this TTL, the server cannot have deleted a task before it is read for the last time. */
const LONG_TTL_MS = 60_000;

/** Tasks whose TTL has not passed. A server may change it at any time. */
export function lasting(followed: readonly FollowedTask[]): FollowedTask[] {
  const isLong = ({ ttlMs, ttl = ttlMs }: JsonObject) =>
    ttl === null || (typeof ttl === 'number' && ttl >= LONG_TTL_MS);
  const found = followed.filter(({ task, reads }) =>
    [task, ...reads.flatMap(({ result }) => (result ? [result] : []))].every(isLong),
  );
  return found.length > 0 ? found : notApplicable(`the TTL of each task is shorter than ${LONG_TTL_MS / 1000} s`);
}

async function tryAll(ruleRun: ServerRuleRun): Promise<TaskCall[]> {
  const isWanted = mayBeTask(ruleRun);
  const calls = ruleRun.calls.filter(({ tool }) => isWanted(tool)).slice(0, MOST_CALLS);
  const conversation = await ruleRun.shared();
  const made = await Promise.all(calls.map((call) => follow(ruleRun, conversation, call).catch(ignoreVerdict)));
  const { knownLongCall: long } = ruleRun;
  if (long && isWanted(long.tool)) made.push(await glance(ruleRun, long).catch(ignoreVerdict));
  return made.filter((each) => each !== undefined);
}

/** The long call. Its task is read once, and then cancelled. */
async function glance(ruleRun: ServerRuleRun, call: PermittedCall): Promise<TaskCall> {
  const conversation = await ruleRun.shared();
  const made = await created(ruleRun, conversation, call);
  if (made.followed?.id) await new Follower(ruleRun, conversation, made.followed).once().catch(ignoreVerdict);
  return made;
}

/** A new call, and its task until its end or for the time of one answer. */
export async function follow(
  ruleRun: ServerRuleRun,
  conversation: Conversation,
  call: PermittedCall,
): Promise<TaskCall> {
  const made = await created(ruleRun, conversation, call);
  if (made.followed?.id) await new Follower(ruleRun, conversation, made.followed).toTheEnd().catch(ignoreVerdict);
  return made;
}

/** A new call, and its task before it was read. A call that is not answered in time is cancelled. */
async function created(ruleRun: ServerRuleRun, conversation: Conversation, call: PermittedCall): Promise<TaskCall> {
  const requestId = conversation.ask('tools/call', taskParams(ruleRun, call));
  const answer = await conversation
    .answer(requestId, '`tools/call`', callTimeoutMs(ruleRun))
    .catch((error: unknown) => {
      if (!conversation.probe.ended) conversation.notify('notifications/cancelled', { requestId });
      throw error;
    });
  const task = taskIn(answer);
  if (!task) return { call, answer };
  const id = typeof task.taskId === 'string' ? task.taskId : '';
  return { call, answer, followed: { call, created: answer, task, id, reads: [], updates: [], notified: [] } };
}

/** Another rule reports a request that is not answered. */
function ignoreVerdict(error: unknown): undefined {
  if (!(error instanceof Violation || error instanceof NotApplicable)) throw error;
}

class Follower {
  readonly #ruleRun: ServerRuleRun;
  readonly #conversation: Conversation;
  readonly #followed: FollowedTask;
  readonly #answered = new Set<string>();

  constructor(ruleRun: ServerRuleRun, conversation: Conversation, followed: FollowedTask) {
    this.#ruleRun = ruleRun;
    this.#conversation = conversation;
    this.#followed = followed;
  }

  async toTheEnd(): Promise<void> {
    const { era } = this.#ruleRun;
    let status = await this.#read();
    const listening = era === 'modern' ? await this.#listen() : undefined;
    const resultId =
      era === 'legacy' ? this.#conversation.ask('tasks/result', { taskId: this.#followed.id }) : undefined;
    const endMs = performance.now() + this.#ruleRun.timeoutMs;
    while (running.includes(status)) {
      if (era === 'modern' && status === 'input_required') await this.#update();
      const waitMs = this.#pollMs();
      if (performance.now() + waitMs > endMs || this.#conversation.probe.ended) break;
      await this.#pause(waitMs, this.#followed.result ? undefined : resultId);
      status = await this.#read();
      if (resultId !== undefined && !this.#followed.result) await this.#takeResult(resultId);
    }
    if (isFinal(status)) await this.#read();
    else await this.#cancel();
    if (resultId !== undefined && !this.#followed.result) await this.#takeResult(resultId, isFinal(status));
    if (listening !== undefined) {
      await stopListening(this.#conversation, listening);
      this.#followed.notified = notificationsFor(this.#conversation.probe, listening);
    }
  }

  async once(): Promise<void> {
    if (!isFinal(await this.#read())) await this.#cancel();
  }

  async #read(): Promise<unknown> {
    const answer = await this.#request('tasks/get');
    this.#followed.reads.push(answer);
    return statusOf(answer);
  }

  /** The id of the request, or undefined if the server does not acknowledge it: notifications are optional. */
  async #listen(): Promise<number | undefined> {
    const { probe } = this.#conversation;
    const params = { notifications: { taskIds: [this.#followed.id] } };
    const id = this.#conversation.ask(LISTEN, asTaskClient(this.#ruleRun, params));
    const acknowledged = () => notificationsFor(probe, id).find(({ message }) => message.method === ACKNOWLEDGED) && id;
    await probe.maybe(() => acknowledged() ?? probe.answersTo(id)[0], callTimeoutMs(this.#ruleRun));
    return acknowledged();
  }

  /** Answers each question once. */
  async #update(): Promise<void> {
    const open = this.#followed.reads.at(-1)!.result?.inputRequests;
    const fresh = Object.entries(isObject(open) ? open : {}).filter(([key]) => !this.#answered.has(key));
    if (fresh.length === 0) return;
    for (const [key] of fresh) this.#answered.add(key);
    const question = { inputRequests: Object.fromEntries(fresh), requestState: undefined, state: {} };
    this.#followed.updates.push(await this.#request('tasks/update', { inputResponses: answersTo(question) }));
  }

  /** Reads the task once more after `tasks/result` was answered. */
  async #takeResult(id: number, isDue = false): Promise<void> {
    const { probe } = this.#conversation;
    if (isDue) await probe.maybe(() => probe.answersTo(id)[0]);
    const [frame] = probe.answersTo(id);
    if (!frame) return;
    this.#followed.result = readAnswer(frame, id);
    await this.#read();
    this.#followed.afterResult = this.#followed.reads.at(-1)!;
  }

  /** A task that takes too long is not judged. */
  async #cancel(): Promise<void> {
    if (this.#ruleRun.era === 'modern' || declaresMethod(this.#ruleRun, 'cancel')) await this.#request('tasks/cancel');
  }

  #request(method: string, params: JsonObject = {}): Promise<Answer> {
    return this.#conversation.request(method, asTaskClient(this.#ruleRun, { taskId: this.#followed.id, ...params }));
  }

  #pollMs(): number {
    const { pollIntervalMs, pollInterval } = this.#followed.reads.at(-1)?.result ?? {};
    const wanted = pollIntervalMs ?? pollInterval;
    return typeof wanted === 'number' ? Math.max(LEAST_POLL_MS, wanted) : POLL_MS;
  }

  async #pause(ms: number, resultId: number | undefined): Promise<void> {
    const { probe } = this.#conversation;
    await probe.maybe(() => (resultId === undefined ? undefined : probe.answersTo(resultId)[0]), ms);
  }
}
