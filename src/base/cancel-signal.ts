// What a wait needs of an AbortSignal. A request of another end is one itself: an AbortSignal costs more than the rest of a
// request, and few are ever looked at.

export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: CancelListener, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: CancelListener): void;
}

/** An object where a function for each request would be too much. */
export type CancelListener = (() => void) | { handleEvent(): void };

/** For functions that take nothing else. */
export function toAbortSignal(signal: CancelSignal): AbortSignal {
  if ('throwIfAborted' in signal) return signal as AbortSignal;
  const abort = new AbortController();
  if (signal.aborted) abort.abort(signal.reason);
  else signal.addEventListener('abort', () => abort.abort(signal.reason), { once: true });
  return abort.signal;
}
