// The answer to a request that cannot be served: a status and a message.

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

/** An unknown name is a fault of the request; a failure of a server is not a failure of the Inspector. */
export function statusOf(thrown: unknown): number {
  if (thrown instanceof HttpProblem) return thrown.status;
  if (!(thrown instanceof StandpipeError)) return 500;
  return thrown.code === 'NAME_UNKNOWN' ? 404 : 502;
}
