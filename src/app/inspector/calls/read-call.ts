// Reads and checks a call request of the page.

import { LONGEST_TIMER_MS } from '../../../base/clock.ts';
import { isObject } from '../../../base/json-object.ts';
import { isNestedTooDeeply } from '../../../base/nesting.ts';
import { HttpProblem } from '../../../wire/http/http-problem.ts';
import type { CallRequest } from '../api.ts';

export function readCall(given: unknown): CallRequest {
  if (!isObject(given)) throw new HttpProblem(400, 'A call is a JSON object');
  const { kind, name, uri, argsText, timeoutMs } = given;
  if (kind === 'resource') {
    if (typeof uri !== 'string') throw new HttpProblem(400, 'A resource is read by its "uri"');
    return { kind, uri };
  }
  if (kind !== 'tool' && kind !== 'prompt') throw new HttpProblem(400, 'The "kind" is tool, resource or prompt');
  if (typeof name !== 'string') throw new HttpProblem(400, `A ${kind} is called by its "name"`);
  if (argsText !== undefined && (kind !== 'tool' || typeof argsText !== 'string')) {
    throw new HttpProblem(400, 'The "argsText" is the JSON text of the arguments of a tool');
  }
  const args = argsText === undefined ? (given.args ?? {}) : parse(argsText);
  if (!isObject(args)) throw new HttpProblem(400, 'The "args" are an object');
  if (isNestedTooDeeply(args)) throw new HttpProblem(400, 'The "args" are nested too deeply to be sent');
  if (kind === 'prompt') {
    if (Object.values(args).some((value) => typeof value !== 'string')) {
      throw new HttpProblem(400, 'The "args" of a prompt are strings');
    }
    return { kind, name, args: args as Record<string, string> };
  }
  const request: CallRequest = { kind, name, args, ...(argsText !== undefined && { argsText }) };
  if (timeoutMs === undefined) return request;
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS)) {
    throw new HttpProblem(400, `"timeoutMs" is a number above 0 and at most ${LONGEST_TIMER_MS}`);
  }
  return { ...request, timeoutMs };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HttpProblem(400, `The "argsText" is not JSON: ${(error as Error).message}`);
  }
}
