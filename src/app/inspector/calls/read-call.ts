// Reads the body of a request that starts a call.

import { LONGEST_TIMER_MS } from '../../../base/clock.ts';
import { isObject } from '../../../base/json-object.ts';
import { isNestedTooDeeply } from '../../../base/to-json.ts';
import { methodsOfMcp } from '../../../mcp/methods.ts';
import { HttpProblem } from '../../../wire/http/http-problem.ts';
import type { CallRequest } from '../api.ts';

/** Throws an HttpProblem if the body is invalid. */
export function readCall(given: unknown): CallRequest {
  if (!isObject(given)) throw new HttpProblem(400, 'A call must be a JSON object');
  const { kind, name, uri, argsText, timeoutMs } = given;
  if (kind === 'resource') {
    if (typeof uri !== 'string') throw new HttpProblem(400, 'The "uri" of a resource must be a string');
    return { kind, uri };
  }
  if (kind === 'request') return readRequest(given);
  if (kind !== 'tool' && kind !== 'prompt') {
    throw new HttpProblem(400, '"kind" must be tool, resource, prompt or request');
  }
  if (typeof name !== 'string') throw new HttpProblem(400, `The "name" of a ${kind} must be a string`);
  if (argsText !== undefined && (kind !== 'tool' || typeof argsText !== 'string')) {
    throw new HttpProblem(400, '"argsText" must be the arguments of a tool as JSON text');
  }
  const args = argsText === undefined ? (given.args ?? {}) : parseArguments(argsText);
  if (!isObject(args)) throw new HttpProblem(400, '"args" must be an object');
  if (isNestedTooDeeply(args)) throw new HttpProblem(400, '"args" is nested too deeply to be sent');
  if (kind === 'prompt') {
    if (Object.values(args).some((value) => typeof value !== 'string')) {
      throw new HttpProblem(400, 'The "args" of a prompt must be strings');
    }
    return { kind, name, args: args as Record<string, string> };
  }
  const request: CallRequest = { kind, name, args, ...(argsText !== undefined && { argsText }) };
  if (timeoutMs === undefined) return request;
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS)) {
    throw new HttpProblem(400, `"timeoutMs" must be a number above 0 and at most ${LONGEST_TIMER_MS}`);
  }
  return { ...request, timeoutMs };
}

function readRequest({ method, params = {}, texts = {} }: Record<string, unknown>): CallRequest {
  if (typeof method !== 'string' || method === '') throw new HttpProblem(400, '"method" must be a string');
  if (methodsOfMcp.get(method)?.isHandshake) {
    throw new HttpProblem(400, `${method} opens a connection, so it can be sent only once`);
  }
  if (!isObject(params)) throw new HttpProblem(400, '"params" must be an object');
  if (isNestedTooDeeply(params)) throw new HttpProblem(400, '"params" is nested too deeply to be sent');
  if (!isObject(texts)) throw new HttpProblem(400, '"texts" must be an object');
  for (const text of Object.values(texts)) {
    if (typeof text !== 'string') throw new HttpProblem(400, 'The members of "texts" must be JSON texts');
    parseArguments(text);
  }
  return { kind: 'request', method, params, texts: texts as Record<string, string> };
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HttpProblem(400, `The text is not JSON: ${(error as Error).message}`);
  }
}
