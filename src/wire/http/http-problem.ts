// The response to a request that cannot be served: a status and a message.

import { describeError } from '../../base/error-json.ts';
import { StandpipeError } from '../../base/errors.ts';

/** Body of every API refusal (4xx, 5xx). */
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

/**
 * An unknown name is an error of the request (404). A failure of a tool server is not a failure of the Inspector (502).
 */
export function httpStatusOf(thrown: unknown): number {
  if (thrown instanceof HttpProblem) return thrown.status;
  if (!(thrown instanceof StandpipeError)) return 500;
  return thrown.code === 'NAME_UNKNOWN' ? 404 : 502;
}
