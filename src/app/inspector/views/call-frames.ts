// The events of one call, or of any request to a server: from its first request to its last answer, without the frames of other requests
// that the same process handles meanwhile. stderr and log messages do not name their request, so all of that time are included.

import type { Exchange } from '../../../observe/analysis/exchange.ts';
import { linkedWith } from '../../../observe/analysis/links.ts';
import type { FlowEvent, FrameEvent } from '../../../observe/flow/event.ts';
import type { FramesReport } from '../api.ts';
import type { InspectorView } from './view.ts';

const MOST_FRAMES = 1_000;
/** The number of events that are searched: a call may run for days. */
const MOST_SEARCHED = 100_000;
const BATCH_EVENTS = 2_000;

interface Span {
  server: string;
  life: number;
  fromSeq: number;
  toSeq: number;
}

/** The requests to servers that an event belongs to. */
export function exchangesOfEvent(view: InspectorView, seq: number): Exchange[] {
  return serverExchanges(view.analysis.exchangesOf(seq));
}

/** The requests to servers that requests of clients led to. */
export function serverExchanges(found: readonly Exchange[]): Exchange[] {
  const linked = found.flatMap((exchange) => (exchange.direction === 'fromClient' ? linkedWith(exchange) : [exchange]));
  const toServer = linked.filter(({ direction }) => direction === 'toServer');
  return toServer.length > 0 ? toServer : [...found];
}

export async function framesOf(view: InspectorView, exchanges: readonly Exchange[]): Promise<FramesReport> {
  await view.caughtUp();
  if (exchanges.length === 0) return { seqs: [], omitted: 0, others: 0 };
  const spans = exchanges.map((exchange) => spanOf(exchange, view.seenSeq));
  const others = new Set<Exchange>();
  const seqs: number[] = [];
  const last = Math.max(...spans.map(({ toSeq }) => toSeq));
  let after = Math.max(Math.min(...spans.map(({ fromSeq }) => fromSeq)) - 1, last - MOST_SEARCHED);
  while (after < last) {
    const events = view.source.flow.since(after, BATCH_EVENTS).filter(({ seq }) => seq <= last);
    for (const event of events) if (belongs(view, event, exchanges, spans, others)) seqs.push(event.seq);
    after = events.at(-1)?.seq ?? last;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { seqs: seqs.slice(-MOST_FRAMES), omitted: Math.max(0, seqs.length - MOST_FRAMES), others: others.size };
}

function spanOf({ server, life, requestSeq, answerSeq, cancelSeq, outcome }: Exchange, seenSeq: number): Span {
  const end = Math.max(answerSeq ?? 0, cancelSeq ?? 0);
  return { server, life, fromSeq: requestSeq, toSeq: outcome === 'pending' || end === 0 ? seenSeq : end };
}

function belongs(
  view: InspectorView,
  event: FlowEvent,
  exchanges: readonly Exchange[],
  spans: readonly Span[],
  others: Set<Exchange>,
): boolean {
  const isHere = ({ server, life, fromSeq, toSeq }: Span) =>
    event.server === server && event.life === life && event.seq >= fromSeq && event.seq <= toSeq;
  if (!spans.some(isHere)) return false;
  if (event.kind !== 'frame') return event.kind !== 'http';
  return isOwnFrame(view, event, exchanges, others);
}

/** Questions of the server, and frames that name no request, are included. */
function isOwnFrame(
  view: InspectorView,
  event: FrameEvent,
  exchanges: readonly Exchange[],
  others: Set<Exchange>,
): boolean {
  const linked = view.analysis.exchangesOf(event.seq);
  if (linked.some((exchange) => exchanges.includes(exchange))) return true;
  const foreign = linked.filter(({ direction }) => direction === 'toServer');
  for (const exchange of foreign) if (exchange.origin !== 'lists') others.add(exchange);
  if (foreign.length > 0) return false;
  const tokens = view.analysis.describe(event).messages.flatMap(({ kind, progressToken }) => {
    return kind === 'notification' && progressToken !== undefined ? [progressToken] : [];
  });
  return tokens.length === 0 || tokens.some((token) => exchanges.some((each) => each.progressToken === token));
}
