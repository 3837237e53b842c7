// The smallest router that does: a method, a path with `:names`, and what to do. Paths are matched still encoded, and only
// then decoded, so that a server whose name holds a slash stays one name.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpProblem } from '../http/http-problem.ts';
import type { Redaction } from './redaction.ts';

export interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  /** What the `:names` of the path stand for. */
  names: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: unknown;
  /** What the answer goes through. */
  redaction: Redaction;
}

/** What it returns is answered as JSON; `streamed` where it has taken over the response. */
export type Handler = (asked: Asked) => unknown;
export const streamed = Symbol('streamed');

export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  handle: Handler;
  /** It redacts what it returns by itself, piece by piece. */
  redacts?: boolean;
}

export function findRoute(
  routes: readonly Route[],
  method: string | undefined,
  path: string,
): { route: Route; names: Record<string, string> } {
  const allowed: string[] = [];
  for (const route of routes) {
    const names = match(route.path, path);
    if (!names) continue;
    if (route.method === method) return { route, names };
    allowed.push(route.method);
  }
  if (allowed.length === 0) throw new HttpProblem(404, 'There is nothing at this address');
  throw new HttpProblem(405, `Only ${allowed.join(' and ')} can be used here`);
}

function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const names: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    if (!part.startsWith(':')) {
      if (part !== given[i]) return undefined;
      continue;
    }
    try {
      names[part.slice(1)] = decodeURIComponent(given[i]!);
    } catch {
      throw new HttpProblem(400, 'The address has a broken escape');
    }
  }
  return names;
}
