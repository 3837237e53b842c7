// Finds the handler of a request by method and path, with hono's router. Nothing else of hono is used: Host, Origin and
// token are checked on the raw request first, and streams are written with the backpressure of the socket. Paths are
// matched while encoded and then decoded, so that a server whose name contains a slash stays one name.

import { TrieRouter } from 'hono/router/trie-router';
import { HttpProblem } from './http-problem.ts';

export class Router<Route> {
  readonly #router = new TrieRouter<Route>();
  readonly #methods = new Set<string>();

  /** `path` may contain `:names`. */
  add(method: string, path: string, route: Route): void {
    this.#methods.add(method);
    this.#router.add(method, path, route);
  }

  /** `names`: the decoded values of the `:names` in the path. Throws an HttpProblem if there is no route. */
  find(method: string, path: string): { route: Route; names: Record<string, string> } {
    const [found] = this.#router.match(method, path)[0];
    if (found) return { route: found[0], names: decoded(found[1] as Record<string, string>) };
    const allowed = [...this.#methods].filter((other) => this.#router.match(other, path)[0].length > 0);
    if (allowed.length === 0) throw new HttpProblem(404, 'There is nothing at this address');
    throw new HttpProblem(405, `Only ${allowed.join(' and ')} can be used here`);
  }
}

function decoded(names: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(names).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    throw new HttpProblem(400, 'The address has an invalid escape sequence');
  }
}
