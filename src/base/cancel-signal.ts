// The part of AbortSignal that a wait needs. Incoming requests implement it themselves: creating an AbortSignal costs
// more than the rest of a request, and few requests are ever checked for cancellation.

export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: CancelListener, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: CancelListener): void;
}

/** The object form avoids allocating a function for each request. */
export type CancelListener = (() => void) | { handleEvent(): void };

/** For APIs that accept only an AbortSignal. */
export function toAbortSignal(signal: CancelSignal): AbortSignal {
  if ('throwIfAborted' in signal) return signal as AbortSignal;
  const abort = new AbortController();
  if (signal.aborted) abort.abort(signal.reason);
  else signal.addEventListener('abort', () => abort.abort(signal.reason), { once: true });
  return abort.signal;
}
