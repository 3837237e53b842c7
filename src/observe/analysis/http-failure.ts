// Whether an HTTP request has failed.

import type { HttpFact } from '../flow/event.ts';

/** 405 to GET or DELETE is allowed: a server need not offer its own stream or let clients end sessions. */
export function isHttpFailure({ state, method, status = 0, end }: HttpFact): boolean {
  if (state !== 'answered') return end === 'cut';
  return status >= 400 && !(status === 405 && method !== 'POST');
}
