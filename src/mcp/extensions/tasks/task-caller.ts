// The caller of a tool call that may become a task. Until then, progress, log messages and questions go to the client of
// the request. Afterwards progress is the status message of the task, and questions are those of the task: the caller of
// the request, with its connection, is not kept as long as the task. A 2025-11-25 client gets the progress of a task too.

import { Cancellable } from '../../../base/cancel-signal.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { firstChars } from '../../../base/first-chars.ts';
import type { CallLimits } from '../../meta.ts';
import { missingFor } from '../../missing-capability.ts';
import { missingCapability } from '../../protocol-errors.ts';
import type { Caller, ClientFacts, Params, RequestLink } from '../../service.ts';
import type { InputRequest, InputResponse } from '../../types.ts';
import type { RunningTask } from './engine.ts';
import { isFinal, MOST_MESSAGE_CHARS } from './record.ts';
import { EXPERIMENTAL, withRelatedTask } from './wire-forms.ts';

export class TaskCaller implements Caller {
  client: ClientFacts;
  readonly request: Caller['request'];
  readonly requestBytes: number | undefined;
  readonly options: CallLimits | undefined;
  readonly signal = new Cancellable();
  /** Undefined once there is a task, unless the client gets its progress. */
  #first: Caller | undefined;
  #link: RequestLink | undefined;
  #task: RunningTask | undefined;
  #creation: Promise<RunningTask> | undefined;
  #message: string | undefined;
  #unanswered = 0;
  #keptBytes = 0;
  #due: { clock: Clock; ms: number; reached: () => void; timer: Timer | undefined } | undefined;

  constructor(first: Caller) {
    this.#first = first;
    this.client = first.client;
    this.request = first.request;
    this.requestBytes = first.requestBytes;
    this.options = first.options;
    const { signal } = first;
    if (signal?.aborted) this.signal.cancel(signal.reason);
    // A request can be cancelled only before it is answered. Its client does not know the task then.
    signal?.addEventListener('abort', () => (this.#task ? this.#task.cancel() : this.signal.cancel(signal.reason)));
  }

  /** Calls `reached` after this time. The time restarts after each question to the client, and does not pass while an answer is pending. */
  whenDue(clock: Clock, ms: number, reached: () => void): void {
    this.#due = { clock, ms, reached, timer: undefined };
    if (this.#unanswered === 0) this.#startTimer();
  }

  /** Call this when the call has ended. */
  ended(): void {
    this.#due?.timer?.cancel();
    this.#due = undefined;
  }

  /** Questions of the call wait until the task is created. If it cannot be created, the call stays a plain call. */
  async become(creation: Promise<RunningTask>): Promise<RunningTask> {
    this.#creation = creation;
    try {
      this.#task = await creation;
    } finally {
      this.#creation = undefined;
    }
    const first = this.#first!;
    if (this.client.revision === EXPERIMENTAL && first.wantsProgress) {
      // "The `progressToken` provided in the initial request remains valid throughout the task lifetime."
      first.continues?.();
    } else {
      this.#link = first.link;
      this.#first = undefined;
    }
    this.#due = undefined;
    if (this.signal.aborted) this.#task.cancel();
    if (this.#message !== undefined) this.#task.apply({ type: 'progressed', message: this.#message });
    return this.#task;
  }

  progress(params: Params): void {
    this.#message = firstChars(messageOf(params), MOST_MESSAGE_CHARS);
    const task = this.#task;
    task?.apply({ type: 'progressed', message: this.#message });
    if (!this.#first?.wantsProgress) return;
    if (!task) this.#first.progress(params);
    else if (!isFinal(task.next)) this.#first.progress(withRelatedTask(params, task.record.id));
  }

  /** The specification: log messages "are not supported on tasks". */
  log(params: Params): void {
    if (!this.#task) this.#first?.log(params);
  }

  async ask(question: InputRequest, name?: string, signal?: AbortSignal): Promise<InputResponse> {
    const missing = missingFor(question, this.client);
    if (missing) throw missingCapability(missing);
    if (this.#creation) await this.#creation.catch(() => undefined); // the creator gets the error
    if (this.#task) return this.#task.ask(question, name, signal);
    this.#unanswered++;
    this.#due?.timer?.cancel();
    try {
      return await this.#first!.ask(question, name, signal);
    } finally {
      if (--this.#unanswered === 0) this.#startTimer();
    }
  }

  keeps(bytes: number): void {
    this.#keptBytes = bytes;
    if (this.#task) this.#task.apply({ type: 'kept', requestBytes: this.heldBytes });
    else this.#first?.keeps?.(bytes);
  }

  /** The memory of the request, and of data that the service keeps for it. */
  get heldBytes(): number {
    return (this.requestBytes ?? 0) + this.#keptBytes;
  }

  get wantsProgress(): boolean {
    return true;
  }

  get link(): RequestLink | undefined {
    return this.#link ?? this.#first?.link;
  }

  #startTimer(): void {
    const due = this.#due;
    if (due) due.timer = due.clock.after(due.ms, due.reached);
  }
}

function messageOf({ message, progress, total }: Params): string {
  if (typeof message === 'string') return message;
  return total === undefined ? String(progress) : `${progress} of ${total}`;
}
