// The progress of a task of 2025-11-25: "The `progressToken` provided in the initial request remains valid throughout the
// task lifetime."

import { Cancellable } from '../../../base/cancel-signal.ts';
import type { Caller, Params } from '../../service.ts';
import { passing } from './passing-caller.ts';
import { withoutRelatedTask } from './wire-forms.ts';

export class TaskProgress {
  /** The caller of the request that creates the task. */
  readonly caller: Caller;
  /** The newest progress. Undefined if the server has sent none. */
  last: number | undefined;
  readonly #ended = new Cancellable();

  constructor(first: Caller) {
    const progress = (params: Params) => {
      this.last = params.progress as number;
      first.progress(withoutRelatedTask(params));
    };
    this.caller = passing(first, { progressUntil: this.#ended, progress });
  }

  end(): void {
    this.#ended.cancel(undefined);
  }
}
