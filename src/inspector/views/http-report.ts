// The HTTP request to a server that an event belongs to, assembled from the events that the store still has.

import type { FlowEvent, HttpFact } from '../../flow/event.ts';
import type { HttpReport } from '../api.ts';
import type { Redaction } from '../redaction.ts';
import type { InspectorView } from './view.ts';

export function httpReport(view: InspectorView, event: FlowEvent, redaction: Redaction): HttpReport | undefined {
  const trace = view.analysis.http.of(event);
  if (!trace) return undefined;
  const { beganSeq, endedSeq, frames, frameCount } = trace;
  const [began, ended] = [factOf(view, beganSeq, redaction), factOf(view, endedSeq, redaction)];
  const fact = began ?? ended;
  if (!fact) return undefined; // no response yet
  const { end, reason } = ended ?? fact;
  return { ...fact, end, reason, beganSeq, endedSeq, frames, frameCount };
}

function factOf(
  view: InspectorView,
  seq: number | undefined,
  redaction: Redaction,
): Omit<HttpFact, 'kind' | 'state'> | undefined {
  const event = seq === undefined ? undefined : view.source.flow.get(seq);
  if (event?.kind !== 'http') return undefined;
  const { seq: _, atMs, server, life, kind, state, ...fact } = redaction.event(event) as typeof event;
  return fact;
}
