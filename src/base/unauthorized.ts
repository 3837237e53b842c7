// Errors of those who authorize requests: the server refused the request, or it was never sent. It has not run, and no other
// request to the same server would succeed.

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
