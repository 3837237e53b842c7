// Who may talk to the Inspector: a page that was opened with the token of this launch, on this machine, and nobody else.
// A web page from elsewhere cannot know the token, is refused by its Origin, and gets nowhere by rebinding a name to
// 127.0.0.1, because the Host is checked too.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Refusal {
  status: 401 | 403;
  message: string;
}

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

export class Access {
  readonly token = randomBytes(24).toString('base64url');
  readonly #expected = Buffer.from(this.token);

  /** For everything: a foreign Host or Origin gets nothing, not even the page. */
  refuseForeign(request: IncomingMessage): Refusal | undefined {
    const { host, origin } = request.headers;
    if (host === undefined || !isLoopback(host)) {
      return { status: 403, message: `Refused: the Host ${JSON.stringify(host)} is not this machine's loopback` };
    }
    if (origin !== undefined && origin !== `http://${host}`) {
      return { status: 403, message: `Refused: a page of ${JSON.stringify(origin)} may not use this Inspector` };
    }
    const site = request.headers['sec-fetch-site'];
    if (site === 'cross-site') return { status: 403, message: 'Refused: asked for by a page of another site' };
    return undefined;
  }

  /** For the API: without the token nothing is told. */
  refuseStranger(request: IncomingMessage, url: URL): Refusal | undefined {
    const header = request.headers['x-standpipe-token'];
    const given = typeof header === 'string' ? header : url.searchParams.get('token');
    if (given !== null && this.#matches(given)) return undefined;
    return {
      status: 401,
      message: 'Open the address that was printed at the start: it carries the token of this launch',
    };
  }

  #matches(given: string): boolean {
    const bytes = Buffer.from(given);
    return bytes.length === this.#expected.length && timingSafeEqual(bytes, this.#expected);
  }
}

function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  return loopbackNames.has(name);
}
