// One event in full: its bytes, its content, its problems as text, and the requests related to it.

import type { Evidence } from '../../../base/errors.ts';
import { isNestedTooDeeply } from '../../../base/to-json.ts';
import type { Analysis } from '../../../observe/analysis/analysis.ts';
import { type Exchange, hopTimes, isFailure, timesOf } from '../../../observe/analysis/exchange.ts';
import { linkedWith } from '../../../observe/analysis/links.ts';
import type { FlowEvent, FrameEvent, HttpFact } from '../../../observe/flow/event.ts';
import type { EventDetail, ExchangeReport, HttpReport, Life } from '../api.ts';
import type { Redaction } from '../redaction.ts';
import type { InspectorView } from './view.ts';

/** The original is validated; only the redacted event is shown. */
export async function eventDetail(
  view: InspectorView,
  original: FlowEvent,
  redaction: Redaction,
): Promise<EventDetail> {
  await view.caughtUp();
  const event = redaction.event(original);
  const bytes = bytesOf(event);
  const text = bytes && strictText(bytes);
  const json = text === undefined ? undefined : parse(text);
  const { cut, tail, http } = event as Partial<FrameEvent>;
  return {
    row: view.row(original, redaction),
    base64: bytes ? base64(bytes) : '',
    text,
    json,
    offset: 'offset' in event ? event.offset : undefined,
    cut: cut === true,
    ...(tail && { tailBase64: base64(tail) }),
    ...(http && { http }),
    exchange: httpReport(view, original, redaction),
    redacted: 'redacted' in event && event.redacted === true,
    problems: (await view.problemsOf(original)).map(redaction.text),
    evidence: evidenceOf(view, original, redaction),
  };
}

/** Returns evidence only for events that end the process. */
function evidenceOf(view: InspectorView, event: FlowEvent, { text }: Redaction): Evidence | undefined {
  const isAnEnd = event.kind === 'exit' || event.kind === 'stop' || event.kind === 'error';
  if (!isAnEnd && !(event.kind === 'state' && event.to !== 'ready' && event.to !== 'starting')) return undefined;
  const life = view.analysis.lives.of(event.server, text).find((each) => each.life === event.life);
  return life && evidenceOfLife(life);
}

function evidenceOfLife({ readyAtMs, command, pid, exitCode, signal, stderrTail }: Life): Evidence {
  const phase = readyAtMs === undefined ? 'startup' : 'running';
  return { phase, command, pid, exitCode, signal, stderrTail };
}

function bytesOf(event: FlowEvent): Uint8Array | undefined {
  if (event.kind === 'frame' || event.kind === 'stderr') return event.payload;
  return event.kind === 'fault' ? event.prefix : undefined;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns undefined if the bytes are not UTF-8. A byte order mark is kept. */
function strictText(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined; // the bytes are not UTF-8
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isNestedTooDeeply(value) ? undefined : value;
  } catch {
    return undefined; // the message is shown as text
  }
}

/** The HTTP request to a server that an event belongs to, assembled from the events that the store still has. */
function httpReport(view: InspectorView, event: FlowEvent, redaction: Redaction): HttpReport | undefined {
  const trace = view.analysis.http.of(event);
  if (!trace) return undefined;
  const { beganSeq, endedSeq, frames, frameCount } = trace;
  const [began, ended] = [factOf(view, beganSeq, redaction), factOf(view, endedSeq, redaction)];
  const fact = began ?? ended;
  if (!fact) return undefined; // there is no response yet
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

/** A client's request with the resulting requests to servers and the questions during it. */
export function exchangeReport(seq: number, analysis: Analysis, startedAt: Date): ExchangeReport {
  const all = analysis.exchangesOf(seq);
  const own =
    all.find(({ direction, causes }) => direction === 'fromClient' || causes?.[0]) ?? all.find(({ hop }) => hop);
  if (!own) return { requests: [] };
  const requests = linkedWith(own);
  const asked = own.direction === 'fromClient' ? own : own.causes?.[0];
  return { requests: requests.map((each) => partOf(each, startedAt)), times: asked && timesOf(asked) };
}

function partOf(exchange: Exchange, startedAt: Date): ExchangeReport['requests'][number] {
  const { server, life, direction, method, tool, requestSeq, answerSeq, startMs, endMs, outcome } = exchange;
  const failed = isFailure(exchange);
  const hop = hopTimes(exchange, startedAt.getTime());
  return { server, life, direction, method, tool, requestSeq, answerSeq, startMs, endMs, outcome, failed, hop };
}
