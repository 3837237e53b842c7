// Follows a task to its end: shows its status while it runs, and asks its questions at the terminal. Ctrl-C cancels the task of a call
// before the command ends.

import { systemClock } from '../../../base/clock.ts';
import { describeError, errorFrom, fromRpcError } from '../../../base/error-json.ts';
import { PeerError, toError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { visibleIndented, visibleLine } from '../../../base/terminal/visible.ts';
import { SILENT, within } from '../../../base/wait.ts';
import type { Unanswered } from '../../../host/services/process-service.ts';
import type { CallHandle } from '../../../mcp/extensions/default-extensions.ts';
import { innermostId } from '../../../mcp/handles.ts';
import type { CallToolResult, ElicitParams, InputRequest } from '../../../mcp/types.ts';
import type { Output } from '../output/output.ts';
import { hasTerminal } from '../servers/server-reports.ts';

export interface Following {
  server: string;
  tool: string;
  out: Output;
  unanswered: Unanswered[];
  /**
   * How another command answers a question that is not answered here. Without it, a question that cannot be answered
   * here is declined, and one that cannot be declined is an error.
   */
  howToAnswer?: string;
}

type Asked = Record<string, InputRequest>;

/** Limit for the questions of one task. */
const MOST_QUESTIONS = 1_000;
const SHOWN_ID = 8;

/** Resolves when the task has ended. */
export async function followTask(handle: CallHandle, following: Following): Promise<void> {
  const questions = new Questions(handle, following);
  const end = async () => {
    for await (const { status, statusMessage, inputRequests } of handle) {
      following.out.activity.update(`${taskName(handle, following)}: ${status}`, statusMessage);
      questions.update(isObject(inputRequests) ? (inputRequests as Asked) : {});
    }
  };
  try {
    await Promise.race([end(), questions.failed]);
  } catch (error) {
    if (following.howToAnswer === undefined && questions.hasFailed) await handle.cancel().catch(() => undefined); // the error has the reason
    throw error;
  } finally {
    questions.update({});
  }
}

export function taskName({ taskId }: Pick<CallHandle, 'taskId'>, { server, tool }: Pick<Following, 'server' | 'tool'>) {
  return `task ${innermostId(taskId).slice(0, SHOWN_ID)} of ${server}/${tool}`;
}

/** The pending questions of a task, asked one after another. */
class Questions {
  readonly failed: Promise<never>;
  hasFailed = false;
  readonly #handle: CallHandle;
  readonly #following: Following;
  readonly #asked = new Map<string, AbortController>();
  #turn: Promise<unknown> = Promise.resolve();
  #fail!: (error: unknown) => void;

  constructor(handle: CallHandle, following: Following) {
    this.#handle = handle;
    this.#following = following;
    this.failed = new Promise((_, reject) => {
      this.#fail = (error) => {
        this.hasFailed = true;
        reject(error);
      };
    });
    this.failed.catch(() => undefined); // the task may have ended before
  }

  /** Asks the new questions, and withdraws questions that are no longer pending. */
  update(open: Asked): void {
    for (const [key, asked] of this.#asked) if (!Object.hasOwn(open, key)) asked.abort(new Error('withdrawn'));
    for (const [key, request] of Object.entries(open)) {
      if (this.#asked.has(key)) continue;
      if (this.#asked.size >= MOST_QUESTIONS) {
        throw new PeerError('RESULT_INVALID', `The task asks more than ${MOST_QUESTIONS} questions`);
      }
      const withdrawn = new AbortController();
      this.#asked.set(key, withdrawn);
      const ask = async () => withdrawn.signal.aborted || this.#ask(key, request, withdrawn.signal);
      this.#turn = this.#turn.then(ask).catch((error) => {
        if (!withdrawn.signal.aborted) this.#fail(error);
      });
    }
  }

  async #ask(key: string, request: InputRequest, signal: AbortSignal): Promise<void> {
    const { server, out, unanswered, howToAnswer } = this.#following;
    const isElicitation = request?.method === 'elicitation/create' && isObject(request.params);
    if (howToAnswer !== undefined && !(isElicitation && hasTerminal())) {
      out.say(`${visibleLine(server)} asks: ${visibleIndented(questionText(request))} — answer it: ${howToAnswer}`);
      return;
    }
    if (!isElicitation) {
      const method = visibleLine(String(request?.method));
      throw new PeerError('CAPABILITY_NOT_DECLARED', `The task asks for ${method}, which this command cannot answer`);
    }
    const { askPerson } = await import('../servers/ask-person.ts');
    const response = await askPerson(server, out, unanswered).elicit!(request.params as ElicitParams, { signal });
    if (!signal.aborted) await this.#handle.answer({ [key]: response });
  }
}

/** The message of an elicitation, or the method of another question. */
export function questionText(request: InputRequest): string {
  const { message } = (isObject(request?.params) ? request.params : {}) as { message?: unknown };
  return typeof message === 'string' ? message : String(request?.method);
}

/**
 * The result of a call that has ended. A failed task rejects as a plain call does, so that the exit code is the same. A server could forge the
 * description of an error, so only its class and code are used.
 */
export async function resultOf(handle: CallHandle): Promise<CallToolResult> {
  try {
    return await handle.result();
  } catch (error) {
    const described = handle.taskId === '' ? error : fromRpcError(error);
    throw described === error
      ? error
      : errorFrom({ ...describeError(described), hint: undefined, evidence: undefined });
  }
}

/** Limit for the answer to a cancellation. */
const CANCEL_MS = 5_000;

/** The signal of a command. After an interrupt it aborts when the task of the command is cancelled, or at once if there is no task. */
export class TaskInterrupt {
  readonly #ending = new AbortController();
  readonly #out: Output;
  #task: { handle: CallHandle; name: string } | undefined;
  #cancelled: Promise<void> | undefined;

  constructor(signal: AbortSignal, out: Output) {
    this.#out = out;
    const end = () => this.#ending.abort(signal.reason);
    const interrupted = () => {
      if (this.#task) this.#cancelled = this.#cancel(this.#task).finally(end);
      else end();
    };
    if (signal.aborted) interrupted();
    signal.addEventListener('abort', interrupted, { once: true });
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Runs `follow` for a task that an interrupt cancels. */
  async during<T>(handle: CallHandle, name: string, follow: () => Promise<T>): Promise<T> {
    this.#task = { handle, name };
    try {
      return await follow();
    } finally {
      this.#task = undefined;
      await this.#cancelled; // prints the outcome of the cancellation
    }
  }

  async #cancel({ handle, name }: { handle: CallHandle; name: string }): Promise<void> {
    const out = this.#out;
    out.activity.update(`cancelling the ${name}; Ctrl-C again exits at once`, undefined);
    const cancelling = handle
      .cancel()
      .then(() => handle.status())
      .then(
        ({ status }) => (status === 'cancelled' ? `Cancelled the ${name}.` : `Asked to cancel the ${name}: ${status}.`),
        (error) => `The ${name} could not be cancelled: ${toError(error).message}. It may still run.`,
      );
    const said = await within(systemClock, CANCEL_MS, cancelling);
    out.say(visibleLine(said === SILENT ? `The server did not answer the cancellation of the ${name}.` : said));
  }
}
