// One request from its arrival to its answer. Access is checked before anything else.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access } from '../../wire/http/access.ts';
import type { Connections } from '../../wire/http/connections.ts';
import { HttpProblem, problemBody } from '../../wire/http/http-problem.ts';
import { readJsonBody } from '../../wire/http/json-body.ts';
import { respondError, sendJson } from '../../wire/http/respond.ts';
import type { Router } from '../../wire/http/router.ts';
import { findFile, pageHeaders, sendFile } from '../../wire/http/static-files.ts';
import { nothingRedacted, type Redaction } from './redaction.ts';

export interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  names: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: unknown;
  redaction: Redaction;
}

export interface Route {
  /** The returned value is sent as JSON; `streamed` if the handler has taken over the response. */
  handle: (asked: Asked) => unknown;
  /** True if the handler redacts its result itself, piece by piece. */
  redacts?: boolean;
}

export const streamed = Symbol('streamed');

export interface Site {
  access: Access;
  connections: Connections;
  api: Router<Route>;
  uiFolder: string;
  /** Redaction of an answer unless the secrets are requested. */
  masked: Redaction;
}

/** How long a client with the token may neither send nor read anything. */
export const IDLE_MS = 60_000;

/** Never rejects. */
export async function answer(request: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  try {
    const refusal = site.access.refuseForeign(request);
    if (refusal) throw new HttpProblem(refusal.status, refusal.message);
    const { url = '' } = request;
    if (!url.startsWith('/')) throw new HttpProblem(400, 'The address must begin with a slash');
    const end = url.includes('?') ? url.indexOf('?') : url.length;
    const path = url.slice(0, end);
    const query = new URLSearchParams(url.slice(end));
    if (path === '/api' || path.startsWith('/api/')) await answerApi(request, response, path, query, site);
    else await answerPage(request, response, path, site.uiFolder);
  } catch (error) {
    if (request.socket.timeout === 0) request.socket.setTimeout(IDLE_MS);
    respondError(request, response, error, site.masked.value(problemBody(error)));
  }
}

async function answerApi(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
  { access, connections, api, masked }: Site,
): Promise<void> {
  const refusal = access.refuseUnauthorized(request, query);
  if (refusal) throw new HttpProblem(refusal.status, refusal.message);
  connections.admit(request.socket);
  const { route, names } = api.find(request.method ?? '', path);
  const body = needsBody(request) ? await readJsonBody(request) : undefined;
  request.socket.setTimeout(0); // a server may take long to start; only the client's own silence counts
  const redaction = query.get('secrets') === 'shown' ? nothingRedacted : masked;
  const result = await route.handle({ request, response, names, query, body, redaction });
  if (result === streamed) return;
  request.socket.setTimeout(IDLE_MS);
  sendJson(response, 200, route.redacts ? result : redaction.value(result));
}

/** A DELETE has no body, and a foreign page cannot send one without a preflight. */
function needsBody({ method, headers }: IncomingMessage): boolean {
  if (method === 'POST') return true;
  return method === 'DELETE' && (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0);
}

async function answerPage(
  { method }: IncomingMessage,
  response: ServerResponse,
  path: string,
  uiFolder: string,
): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') throw new HttpProblem(405, 'Pages can only be read');
  const file = await findFile(uiFolder, path);
  if (file) return sendFile(file, response, method === 'GET');
  if (path !== '/') throw new HttpProblem(404, 'There is nothing at this address');
  response.writeHead(503, { ...pageHeaders, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  response.end(method === 'GET' ? notBuilt : undefined);
}

const notBuilt = `<!doctype html><html lang="en"><title>Standpipe Inspector</title>
<h1>The Inspector's page was not built</h1>
<p>Run <code>npm run build:ui</code> in the repository, then reload. The API works without it.</p></html>
`;
