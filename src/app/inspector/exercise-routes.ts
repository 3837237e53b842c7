// The routes that exercise a server beyond its calls: completion, subscriptions, roots, the log level, ping; and the events of one call.

import { isObject } from '../../base/json-object.ts';
import { isNestedTooDeeply } from '../../base/to-json.ts';
import { isLogLevel, logLevels } from '../../mcp/meta.ts';
import type { CompletionReference } from '../../mcp/types.ts';
import { HttpProblem } from '../../wire/http/http-problem.ts';
import type { Asked, Route } from './answer.ts';
import type { CompletionReport, FramesReport, PingReport, RootsReport, Subscription } from './api.ts';
import type { Calls } from './calls/calls.ts';
import { newWork } from './calls/own-requests.ts';
import { readRoots } from './calls/roots.ts';
import type { Subscriptions } from './calls/subscriptions.ts';
import { wholeNumber } from './routes.ts';
import type { SourceHost } from './sources/source.ts';
import { exchangesOfEvent, framesOf, serverExchanges } from './views/call-frames.ts';
import type { InspectorView } from './views/view.ts';

interface Parts {
  view: InspectorView;
  calls: Calls;
  subscriptions: Subscriptions;
  /** Throws an HttpProblem unless the server can be used. */
  known(server: string): Promise<void>;
  acting(): SourceHost;
}

type Add = (method: string, path: string, handle: Route['handle']) => void;

export function addExerciseRoutes(add: Add, { view, calls, subscriptions, known, acting }: Parts): void {
  add('GET', '/calls/:id/frames', async ({ names }): Promise<FramesReport> => {
    const call = calls.get(names.id!);
    if (!call) throw new HttpProblem(404, 'There is no such call, or it was dropped');
    await view.caughtUp();
    return framesOf(view, serverExchanges(call.work.exchanges));
  });

  add('GET', '/exchanges/:seq/frames', async ({ names }): Promise<FramesReport> => {
    await view.caughtUp();
    return framesOf(view, exchangesOfEvent(view, wholeNumber('The number of an event', names.seq)!));
  });

  add('POST', '/servers/:server/complete', async ({ names, body }): Promise<CompletionReport> => {
    const { ref, argument, context } = readCompletion(body);
    const client = await clientOf(names.server!);
    const completion = await client.complete(ref, argument, context, linked());
    return { values: completion.values.slice(0, MOST_VALUES), total: completion.total, hasMore: completion.hasMore };
  });

  add('POST', '/servers/:server/ping', async ({ names }): Promise<PingReport> => {
    const client = await clientOf(names.server!);
    const startedMs = performance.now();
    await client.ping(linked());
    return { ms: performance.now() - startedMs };
  });

  add('POST', '/servers/:server/log-level', async ({ names, body }) => {
    const level = isObject(body) ? body.level : undefined;
    if (!isLogLevel(level)) {
      throw new HttpProblem(400, `"level" must be one of ${logLevels.join(', ')}`);
    }
    const client = await clientOf(names.server!);
    await client.setLogLevel(level, linked());
    return { ok: true };
  });

  add('GET', '/subscriptions', (): Subscription[] => subscriptions.list());

  add('POST', '/servers/:server/subscriptions', async ({ names, body }): Promise<Subscription> => {
    const uri = isObject(body) ? body.uri : undefined;
    if (typeof uri !== 'string' || uri === '') throw new HttpProblem(400, 'The "uri" must be a string');
    const server = names.server!;
    return subscriptions.start(server, uri, await clientOf(server));
  });

  add('DELETE', '/subscriptions/:id', async ({ names }) => {
    if (!(await subscriptions.stop(names.id!))) throw new HttpProblem(404, 'There is no such subscription');
    return { ok: true };
  });

  add('GET', '/roots', (): RootsReport => rootsReport());

  add('POST', '/roots', async ({ body }: Asked): Promise<RootsReport> => {
    const { questions } = view.source;
    if (!questions) throw new HttpProblem(409, 'The roots of these servers belong to another program');
    questions.roots = readRoots(body);
    await acting().rootsChanged?.();
    return rootsReport();
  });

  function rootsReport(): RootsReport {
    const { questions } = view.source;
    return { roots: questions ? [...questions.roots] : [], canEdit: questions !== undefined };
  }

  async function clientOf(server: string) {
    await known(server);
    const { host, name } = acting().find(server);
    return host.client(name);
  }

  const linked = () => ({ link: view.own.linkOf(newWork('page')) });
}

const MOST_VALUES = 100;
const LONGEST_VALUE = 10_000;

function readCompletion(body: unknown): {
  ref: CompletionReference;
  argument: { name: string; value: string };
  context: Record<string, string> | undefined;
} {
  if (!isObject(body) || isNestedTooDeeply(body)) throw new HttpProblem(400, 'A completion must be a JSON object');
  const { ref, argument, context } = body;
  if (!isObject(ref) || !(typeof ref.name === 'string' || typeof ref.uri === 'string')) {
    throw new HttpProblem(400, '"ref" must name a prompt or the template of a resource');
  }
  if (!isObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string') {
    throw new HttpProblem(400, '"argument" needs a "name" and a "value"');
  }
  if (argument.value.length > LONGEST_VALUE) throw new HttpProblem(400, 'The value is too long to be completed');
  const isText = isObject(context) && Object.values(context).every((value) => typeof value === 'string');
  const { name, value } = argument;
  return {
    ref: ref as unknown as CompletionReference,
    argument: { name, value },
    context: isText && Object.keys(context).length > 0 ? (context as Record<string, string>) : undefined,
  };
}
