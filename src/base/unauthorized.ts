// Recognises authorization errors: the server refused the request, or the request was never sent. The request has not
// run, and other requests to the same server would fail too.

import type { ErrorCode } from './error-codes.ts';
import { StandpipeError } from './errors.ts';

const codes = new Set<string>([
  'AUTHORIZATION_FAILED',
  'LOGIN_FAILED',
  'LOGIN_REQUIRED',
  'LOGINS_FILE_INVALID',
] satisfies ErrorCode[]);

export function isUnauthorized(error: unknown): error is StandpipeError {
  return error instanceof StandpipeError && codes.has(error.code);
}
