// Listeners for notifications. Several may listen to the same method; they are called in the order in which they were
// added. An error of a listener is reported after all of them were called, so that each receives the notification
// first.

import { toError } from '../../base/errors.ts';
import { isThenable } from '../../base/wait.ts';
import type { Params } from './inbound.ts';
import type { JsonRpcNotification } from './message.ts';

export type NotificationHandler = (params: Params | undefined, method: string) => unknown;

export class NotificationListeners {
  /** Handles methods without a listener. */
  others: NotificationHandler | undefined;
  /** Lists are replaced, never changed: a listener may add or remove others while it is called. */
  #byMethod = new Map<string, readonly NotificationHandler[]>();
  #report: (error: Error) => void;

  constructor(report: (error: Error) => void) {
    this.#report = report;
  }

  /** Returns a function that removes this listener. */
  add(method: string, handler: NotificationHandler): () => void {
    // Wraps the handler, because the same one may be added twice and each registration is removed separately.
    const listener: NotificationHandler = (params, name) => handler(params, name);
    this.#byMethod.set(method, [...(this.#byMethod.get(method) ?? []), listener]);
    return () => {
      const left = (this.#byMethod.get(method) ?? []).filter((other) => other !== listener);
      if (left.length > 0) this.#byMethod.set(method, left);
      else this.#byMethod.delete(method);
    };
  }

  notify({ method, params }: JsonRpcNotification): void {
    const listeners = this.#byMethod.get(method);
    if (!listeners) {
      if (this.others) this.#call([this.others], params, method);
    } else this.#call(listeners, params, method);
  }

  #call(listeners: readonly NotificationHandler[], params: Params | undefined, method: string): void {
    let errors: unknown[] | undefined;
    for (const listener of listeners) {
      try {
        const outcome = listener(params, method);
        if (isThenable(outcome)) outcome.then(undefined, (error: unknown) => this.#report(toError(error)));
      } catch (error) {
        errors ??= [];
        errors.push(error);
      }
    }
    if (errors) for (const error of errors) this.#report(toError(error));
  }
}
