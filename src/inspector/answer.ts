// One request, from the door to the answer: who asks is looked at before what is asked.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access } from '../http/access.ts';
import type { Connections } from '../http/connections.ts';
import { HttpProblem, problemBody, statusOf } from '../http/http-problem.ts';
import { readJsonBody } from '../http/json-body.ts';
import { findFile, pageHeaders, safeHeaders, sendFile } from '../http/static-files.ts';
import type { ApiProblem } from './api.ts';
import { nothingRedacted, type Redaction } from './redaction.ts';
import { findRoute, type Route, streamed } from './router.ts';

export interface House {
  access: Access;
  connections: Connections;
  routes: readonly Route[];
  uiFolder: string;
  /** What an answer goes through unless the secrets are asked for. */
  masked: Redaction;
}

/** How long a client with the token may neither send nor take anything. */
export const IDLE_MS = 60_000;

/** Never rejects. */
export async function answer(request: IncomingMessage, response: ServerResponse, house: House): Promise<void> {
  try {
    const refusal = house.access.refuseForeign(request);
    if (refusal) throw new HttpProblem(refusal.status, refusal.message);
    const target = request.url ?? '';
    if (!target.startsWith('/')) throw new HttpProblem(400, 'The address must begin with a slash');
    const [path = '/', search = ''] = splitOnce(target, '?');
    if (path === '/api' || path.startsWith('/api/')) await answerApi(request, response, path, search, house);
    else await answerPage(request, response, path, house.uiFolder);
  } catch (error) {
    if (request.socket.timeout === 0) request.socket.setTimeout(IDLE_MS);
    refuse(request, response, house.masked.value(problemBody(error)), statusOf(error));
  }
}

async function answerApi(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  search: string,
  { access, connections, routes, masked }: House,
): Promise<void> {
  const query = new URLSearchParams(search);
  const refusal = access.refuseStranger(request, query);
  if (refusal) throw new HttpProblem(refusal.status, refusal.message);
  connections.admit(request.socket);
  const { route, names } = findRoute(routes, request.method, path);
  const body = needsBody(request) ? await readJsonBody(request) : undefined;
  request.socket.setTimeout(0); // a server may take long to start; only the client's own silence counts
  const redaction = query.get('secrets') === 'shown' ? nothingRedacted : masked;
  const result = await route.handle({ request, response, names, query, body, redaction });
  if (result === streamed) return;
  request.socket.setTimeout(IDLE_MS);
  sendJson(response, 200, route.redacts ? result : redaction.value(result));
}

/** A DELETE comes without one, and no page can send it elsewhere without asking first. */
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

function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify(value ?? null);
  response.writeHead(status, {
    ...safeHeaders,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(body);
}

function refuse(request: IncomingMessage, response: ServerResponse, body: ApiProblem, status: number): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  // What is left of a body nobody wants is not read: the connection ends with the answer.
  const unread = !request.complete;
  sendJson(response, status, body, unread ? { connection: 'close' } : {});
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
