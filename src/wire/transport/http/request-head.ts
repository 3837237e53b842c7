// Builds request headers as flat lists of names and values. The headers common to all requests of a connection are built once.

import type { RemoteSession } from './session.ts';

const POST_DEFAULTS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'accept-encoding': 'identity',
};
const GET_DEFAULTS = { accept: 'text/event-stream', 'accept-encoding': 'identity', 'cache-control': 'no-cache' };

export class RequestHead {
  readonly #session: RemoteSession;
  readonly #post: readonly string[];
  readonly #get: readonly string[];
  readonly #delete: readonly string[];

  constructor(given: Readonly<Record<string, string>>, session: RemoteSession) {
    this.#session = session;
    this.#post = flat(POST_DEFAULTS, given);
    this.#get = flat(GET_DEFAULTS, given);
    this.#delete = flat({}, given);
  }

  /** `own`: headers of this message or of its session. */
  post(bytes: number, own: readonly string[], authorization: string | undefined): string[] {
    const headers = this.#post.concat('Content-Length', String(bytes), own);
    return authorized(headers, authorization);
  }

  get(lastEventId: string | undefined, authorization: string | undefined): string[] {
    const headers = this.#get.concat(this.#session.headers);
    if (lastEventId !== undefined) headers.push('Last-Event-ID', lastEventId);
    return authorized(headers, authorization);
  }

  delete(authorization: string | undefined): string[] {
    return authorized(this.#delete.concat(this.#session.headers), authorization);
  }
}

function authorized(headers: string[], authorization: string | undefined): string[] {
  if (authorization !== undefined) headers.push('Authorization', authorization);
  return headers;
}

/** Given headers replace defaults, except those that describe the body or the connection. */
function flat(defaults: Record<string, string>, given: Readonly<Record<string, string>>): string[] {
  const byName = new Map(Object.entries(defaults).map(([name, value]) => [name, [name, value]]));
  for (const [name, value] of Object.entries(given)) {
    if (!ours.has(name.toLowerCase())) byName.set(name.toLowerCase(), [name, value]);
  }
  return [...byName.values()].flat();
}

const ours = new Set(['content-length', 'transfer-encoding', 'connection', 'host', 'expect']);
