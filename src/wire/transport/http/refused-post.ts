// Classifies a non-2xx response to a POST: the answer to the request, the end of the session, or a refusal.

import type { IncomingMessage } from 'node:http';
import { type Evidence, RpcError } from '../../../base/errors.ts';
import { firstChars } from '../../../base/first-chars.ts';
import { isObject } from '../../../base/json-object.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import { isRequestId } from '../../jsonrpc/parse.ts';
import { safeLocation } from './endpoint.ts';
import { type Refused, refusedError } from './http-failure.ts';
import type { Post } from './post.ts';
import { contentType } from './response-body.ts';

export type Judgement =
  /** `answer`: the body is a message with the id of the request. */
  { kind: 'answer' } | { kind: 'session-ended' } | { kind: 'refused'; error: Error; status: number; isMcp: boolean };

interface ErrorBody {
  id: RequestId | undefined;
  code: number;
  message: string;
  data: unknown;
}

/** With these statuses, the body does not come from the MCP server, or is less specific than the status. */
const aboutAccess = new Set([401, 403, 407, 413, 429, 431, 502, 503, 504]);
const SAID_CHARS = 300;

export function judgeRefusedPost(
  post: Post,
  response: IncomingMessage,
  body: Buffer,
  { hasSession, evidence, mask }: { hasSession: boolean; evidence: Evidence; mask: (text: string) => string },
): Judgement {
  const status = response.statusCode!;
  const error = errorIn(body);
  if (error && error.id !== undefined && String(error.id) === String(post.id)) return { kind: 'answer' };
  if (
    hasSession &&
    (status === 404 || (status === 400 && error && /session|server not initialized/i.test(error.message)))
  ) {
    return { kind: 'session-ended' };
  }
  if (error && post.id !== undefined && !aboutAccess.has(status)) {
    const { code, message, data } = error;
    return {
      kind: 'refused',
      error: new RpcError(code, mask(message), data, { evidence: { ...evidence, status } }),
      status,
      isMcp: true,
    };
  }
  const isText = /json|text\/plain/.test(contentType(response));
  const said = error?.message ?? (isText ? body.toString('utf8', 0, 4 * SAID_CHARS).trim() : '');
  const refused: Refused = {
    status,
    text: firstChars(mask(said), SAID_CHARS),
    retryAfter: header(response, 'retry-after'),
    location: status < 400 ? safeLocation(header(response, 'location')) : undefined,
    byProxy: post.isRefusedByProxy,
  };
  return { kind: 'refused', error: refusedError(post.method, refused, evidence), status, isMcp: error !== undefined };
}

function errorIn(body: Buffer): ErrorBody | undefined {
  if (body[0] !== 0x7b && !/^\s*\{/.test(body.toString('latin1', 0, 64))) return undefined;
  try {
    const parsed: unknown = JSON.parse(body.toString());
    if (!isObject(parsed) || parsed.jsonrpc !== '2.0' || !isObject(parsed.error)) return undefined;
    const { code, message, data } = parsed.error;
    if (typeof code !== 'number') return undefined;
    return {
      id: isRequestId(parsed.id) ? parsed.id : undefined,
      code,
      message: typeof message === 'string' ? message : '',
      data,
    };
  } catch {
    return undefined; // the body is, for example, an error page of a proxy
  }
}

function header(response: IncomingMessage, name: string): string | undefined {
  const value = response.headers[name];
  return typeof value === 'string' ? firstChars(value, SAID_CHARS) : undefined;
}
