// The routes of the API (api.ts).

import { toError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { isLogLevel, logLevels } from '../../mcp/meta.ts';
import { HttpProblem } from '../../wire/http/http-problem.ts';
import { Router } from '../../wire/http/router.ts';
import { type Asked, IDLE_MS, type Route, streamed } from './answer.ts';
import type { ActionResult, CallStarted, ExchangeReport, SearchPage, ServerOffer } from './api.ts';
import { Calls, readOffer } from './calls/calls.ts';
import { readCall } from './calls/read-call.ts';
import { Subscriptions } from './calls/subscriptions.ts';
import { TaskList } from './calls/task-list.ts';
import { addExerciseRoutes } from './exercise-routes.ts';
import type { SourceHost } from './sources/source.ts';
import { eventDetail, exchangeReport } from './views/event-detail.ts';
import { readRanges, sendRecording } from './views/export-recording.ts';
import type { LiveFeed } from './views/live-feed.ts';
import { logMessages } from './views/log-messages.ts';
import { recordedOffer } from './views/recorded-offer.ts';
import { searchStderr, searchText } from './views/search.ts';
import { type InspectorView, MOST_PAGE_ROWS } from './views/view.ts';

const MOST_SEARCH_CHARS = 1_000;

/** `close` cancels the calls that were started through the API. */
export function makeApi(view: InspectorView, feed: LiveFeed): { router: Router<Route>; close: () => void } {
  const { source } = view;
  const { flow } = source;
  const nowMs = () => Date.now() - source.startedAt.getTime();
  const calls = new Calls(view, acting, nowMs, (update) => feed.call(update));
  const subscriptions = new Subscriptions(nowMs, (subscription) => feed.subscription(subscription));
  const tasks = new TaskList(view, calls);
  feed.tasks = tasks;

  const router = new Router<Route>();
  /** Answers of these routes are redacted as a whole. */
  const add = (method: string, path: string, handle: Route['handle']) => router.add(method, `/api${path}`, { handle });
  /** Routes with large results, or results that are cut before display, redact them themselves. */
  const addRedacted = (method: string, path: string, handle: Route['handle']) =>
    router.add(method, `/api${path}`, { handle, redacts: true });

  addRedacted('GET', '/overview', ({ redaction }) => view.overview(redaction));
  addRedacted('GET', '/events', ({ query, redaction }) => view.page(pageQuery(query), redaction));
  addRedacted('GET', '/events/:seq', detail);
  add('GET', '/exchanges/:seq', exchange);
  addRedacted('GET', '/search', search);
  addRedacted('POST', '/export', exportEvents);
  addRedacted('GET', '/live', live);
  addRedacted('GET', '/stderr', ({ query, redaction }) => searchStderr(flow, stderrQuery(query), redaction));
  addRedacted('GET', '/calls', ({ redaction }) => calls.list().map((update) => redaction.value(update)));
  add('GET', '/latency', () => view.latency());
  add('DELETE', '/calls/:id', cancel);
  addExerciseRoutes(add, { view, calls, subscriptions, known, acting });
  addRedacted('GET', '/logs', ({ query, redaction }) => logMessages(view, logQuery(query), redaction));
  add('GET', '/tasks', () => tasks.list());
  add('GET', '/tasks/:id', ({ names }) => tasks.detail(names.id!));
  add('DELETE', '/tasks/:id', cancelTask);
  add('POST', '/tasks/:id/answer', answerTask);
  add('POST', '/questions/:id', answer);
  add('GET', '/servers/:server/offer', offer);
  add('POST', '/servers/:server/call', call);
  for (const verb of ['start', 'stop', 'restart'] as const) {
    add('POST', `/servers/:server/${verb}`, (asked) => control(verb, asked));
  }

  function detail({ names, redaction }: Asked) {
    const event = flow.get(wholeNumber('The number of an event', names.seq)!);
    if (!event) throw new HttpProblem(404, 'There is no such event, or it was dropped');
    return eventDetail(view, event, redaction);
  }

  async function exchange({ names }: Asked): Promise<ExchangeReport> {
    await view.caughtUp();
    const seq = wholeNumber('The number of an event', names.seq)!;
    const event = flow.get(seq);
    const task = event?.kind === 'frame' ? view.analysis.taskOf(event) : undefined;
    return { ...exchangeReport(seq, view.analysis, source.startedAt), task: task && tasks.of(task) };
  }

  function search({ response, query, redaction }: Asked): Promise<SearchPage> {
    const text = query.get('text') ?? '';
    if (text === '') throw new HttpProblem(400, '"text" is required');
    if (text.length > MOST_SEARCH_CHARS)
      throw new HttpProblem(400, `"text" must have at most ${MOST_SEARCH_CHARS} characters`);
    const after = wholeNumber('"after"', query.get('after')) ?? 0;
    return searchText(flow, { text, after }, redaction, () => response.destroyed);
  }

  async function exportEvents({ request, response, body, redaction }: Asked): Promise<symbol> {
    const ranges = readRanges(body);
    request.socket.setTimeout(IDLE_MS); // a client that reads nothing for this long is disconnected
    await sendRecording(response, source, ranges, redaction);
    return streamed;
  }

  async function live({ request, response, query, redaction }: Asked): Promise<symbol> {
    const last = request.headers['last-event-id'] as string | undefined;
    await feed.connect(response, { after: wholeNumber('"after"', last ?? query.get('after')), redaction }, calls);
    return streamed;
  }

  async function call({ names, body }: Asked): Promise<CallStarted> {
    await known(names.server!);
    return { id: calls.start(names.server!, readCall(body)) };
  }

  async function cancel({ names }: Asked): Promise<ActionResult> {
    if (!(await calls.cancel(names.id!))) throw new HttpProblem(404, 'There is no such call, or it was dropped');
    return { ok: true };
  }

  async function cancelTask({ names }: Asked): Promise<ActionResult> {
    await tasks.cancel(names.id!);
    return { ok: true };
  }

  async function answerTask({ names, body }: Asked): Promise<ActionResult> {
    if (!isObject(body) || typeof body.key !== 'string') throw new HttpProblem(400, '"key" must be a string');
    await tasks.answer(names.id!, body.key, body.answer);
    return { ok: true };
  }

  function answer({ names, body }: Asked): ActionResult {
    if (source.questions?.answer(names.id!, body)) return { ok: true };
    throw new HttpProblem(404, 'This question is no longer pending');
  }

  async function offer({ names }: Asked): Promise<ServerOffer> {
    const server = names.server!;
    const statuses = (await source.host?.status()) ?? [];
    if (statuses.some(({ name }) => name === server)) return readOffer(view, acting(), server);
    await view.caughtUp();
    if (view.analysis.lives.servers.includes(server)) return recordedOffer(view, server);
    throw new HttpProblem(404, `There is no server named ${JSON.stringify(server)}`);
  }

  async function control(verb: 'start' | 'stop' | 'restart', { names }: Asked): Promise<ActionResult> {
    await known(names.server!);
    try {
      const { host, name } = acting().find(names.server!);
      await host.control(`standpipe/${verb}`, { server: name });
      return { ok: true };
    } catch (error) {
      return { ok: false, error: toError(error).message };
    }
  }

  async function known(server: string): Promise<void> {
    const statuses = await acting().status();
    if (statuses.some(({ name }) => name === server)) return;
    if (view.analysis.lives.servers.includes(server)) throw new HttpProblem(409, 'This server can only be watched');
    throw new HttpProblem(404, `There is no server named ${JSON.stringify(server)}`);
  }

  function acting(): SourceHost {
    if (source.host) return source.host;
    throw new HttpProblem(409, `A ${source.kind} can only be watched`);
  }

  return {
    router,
    close() {
      subscriptions.stopAll();
      calls.cancelAll();
    },
  };
}

function pageQuery(query: URLSearchParams) {
  const limit = wholeNumber('"limit"', query.get('limit')) ?? 1_000;
  return {
    after: wholeNumber('"after"', query.get('after')),
    before: wholeNumber('"before"', query.get('before')),
    limit: Math.max(1, Math.min(limit, MOST_PAGE_ROWS)),
  };
}

function stderrQuery(query: URLSearchParams) {
  return {
    server: query.get('server') ?? undefined,
    life: wholeNumber('"life"', query.get('life')),
    search: query.get('search') || undefined,
  };
}

function logQuery(query: URLSearchParams) {
  const level = query.get('level') || undefined;
  if (level !== undefined && !isLogLevel(level)) {
    throw new HttpProblem(400, `"level" must be one of ${logLevels.join(', ')}`);
  }
  return {
    server: query.get('server') || undefined,
    level,
    search: query.get('search') || undefined,
  };
}

export function wholeNumber(what: string, text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new HttpProblem(400, `${what} must be an integer`);
  return Number(text);
}
