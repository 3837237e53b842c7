// What is answered when a request cannot be served: a status for the machine, words for people.

import { describeError } from '../base/error-json.ts';
import { StandpipeError } from '../base/errors.ts';

/** Every refusal (4xx, 5xx) of the API. */
export interface ApiProblem {
  error: { code: string; message: string; hint?: string };
}

export class HttpProblem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function problemBody(thrown: unknown): ApiProblem {
  const { code = 'INSPECTOR', message, hint } = describeError(thrown);
  return { error: { code, message, hint } };
}

/** A name that nobody has is the asker's mistake; what a server does wrong is not a failure of the Inspector's. */
export function statusOf(thrown: unknown): number {
  if (thrown instanceof HttpProblem) return thrown.status;
  if (!(thrown instanceof StandpipeError)) return 500;
  return thrown.code === 'NAME_UNKNOWN' ? 404 : 502;
}
