// The part of AbortSignal that a wait needs. Incoming requests implement it themselves: creating an AbortSignal costs more than the rest of
// a request, and few requests are ever checked for cancellation.

export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: CancelListener, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: CancelListener): void;
}

/** The object form avoids allocating a function for each request. */
export type CancelListener = (() => void) | { handleEvent(): void };

/** Converts the signal for APIs that accept only an AbortSignal. */
export function toAbortSignal(signal: CancelSignal): AbortSignal {
  if ('throwIfAborted' in signal) return signal as AbortSignal;
  const abort = new AbortController();
  if (signal.aborted) abort.abort(signal.reason);
  else signal.addEventListener('abort', () => abort.abort(signal.reason), { once: true });
  return abort.signal;
}

/** A signal that its owner aborts with `cancel`. Cheaper than an AbortController: most are never checked. */
export class Cancellable implements CancelSignal {
  #cancelled: { reason: unknown } | undefined;
  #signal: AbortSignal | undefined;
  #listeners: CancelListener[] | undefined;

  get cancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  /** The same signal for APIs that accept only an AbortSignal. Created on first use: most handlers never read it. */
  get signal(): AbortSignal {
    this.#signal ??= toAbortSignal(this);
    return this.#signal;
  }

  get aborted(): boolean {
    return this.#cancelled !== undefined;
  }

  get reason(): unknown {
    return this.#cancelled?.reason;
  }

  addEventListener(_type: 'abort', listener: CancelListener): void {
    if (this.#listeners) this.#listeners.push(listener);
    else this.#listeners = [listener];
  }

  removeEventListener(_type: 'abort', listener: CancelListener): void {
    this.#listeners = this.#listeners?.filter((each) => each !== listener);
  }

  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = { reason };
    for (const listener of this.#listeners ?? []) {
      if (typeof listener === 'function') listener();
      else listener.handleEvent();
    }
  }
}
