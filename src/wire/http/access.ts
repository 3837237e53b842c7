// Access control for a local server: a request is served only if it presents the token of this start. A page of another site does not know
// the token and is refused by its Origin. DNS rebinding to 127.0.0.1 fails because the Host is checked too.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

interface AccessRefusal {
  status: 401 | 403;
  message: string;
}

export class Access {
  readonly token = randomBytes(24).toString('base64url');
  readonly #hosts: ReadonlySet<string>;

  constructor(port: number) {
    this.#hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
  }

  /** Checks every request, including the page itself: a foreign Host or Origin is refused. */
  refuseForeign(request: IncomingMessage): AccessRefusal | undefined {
    const { headers } = request;
    const foreign = refuseForeignHeaders(headers, this.#hosts);
    if (foreign) return foreign;
    if (headers['sec-fetch-site'] === 'cross-site' && !this.#isOurLink(request)) {
      return { status: 403, message: 'Refused: requested by a page of another site' };
    }
    return undefined;
  }

  /** Checks API requests: the token is required, and requests of other pages are refused. */
  refuseUnauthorized({ headers }: IncomingMessage, query: URLSearchParams): AccessRefusal | undefined {
    // A different port of this machine is the same site but belongs to another program.
    if (headers['sec-fetch-site'] === 'same-site') {
      return { status: 403, message: 'Refused: requested by a page of another program on this machine' };
    }
    const header = headers['x-standpipe-token'];
    const given = typeof header === 'string' ? header : query.get('token');
    if (given !== null && this.#matches(given)) return undefined;
    return {
      status: 401,
      message: 'Open the address that was printed at the start: it contains the token',
    };
  }

  /**
   * Returns true for a link to the page with the token, followed from a terminal, a file or an editor. Other sites do
   * not know the token.
   */
  #isOurLink({ method, url = '', headers }: IncomingMessage): boolean {
    const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
    if (method !== 'GET' || !isNavigation || !url.startsWith('/?')) return false;
    return this.#matches(new URLSearchParams(url.slice(2)).get('token') ?? '');
  }

  #matches(given: string): boolean {
    return isSameToken(given, this.token);
  }
}

/** Refuses a Host that is not in `hosts`, and an Origin that is not in `origins` (default: the origin of the Host). */
export function refuseForeignHeaders(
  { host, origin }: IncomingHttpHeaders,
  hosts: ReadonlySet<string>,
  origins?: ReadonlySet<string>,
): AccessRefusal | undefined {
  if (host === undefined || !hosts.has(host)) {
    return { status: 403, message: `Refused: the Host ${JSON.stringify(host)} is not this server` };
  }
  if (origin !== undefined && !(origins ? origins.has(origin) : origin === `http://${host}`)) {
    return { status: 403, message: `Refused: a page of ${JSON.stringify(origin)} may not use this server` };
  }
  return undefined;
}

/** Takes the same time for every wrong token of the right length. */
export function isSameToken(given: string, expected: string): boolean {
  return isSameText(given, Buffer.from(expected));
}

export function isSameText(given: string, expected: Buffer): boolean {
  const bytes = Buffer.from(given);
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}
