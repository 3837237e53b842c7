// The requested events as a recording, streamed with backpressure. They are renumbered, because events that were not requested
// are not missing; a gap in the numbers stands for events that the store has dropped.

import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { isObject } from '../../../base/json-object.ts';
import type { Redact } from '../../../base/secrets/redact.ts';
import type { FlowEvent } from '../../../observe/flow/event.ts';
import type { FlowStore } from '../../../observe/flow/store.ts';
import { EventLines } from '../../../observe/record/event-line.ts';
import { headerLine, newRunId } from '../../../observe/record/run-header.ts';
import { HttpProblem } from '../../../wire/http/http-problem.ts';
import { safeHeaders } from '../../../wire/http/respond.ts';
import type { ExportRequest } from '../api.ts';
import type { Redaction } from '../redaction.ts';
import type { InspectorSource } from '../sources/source.ts';

type Range = ExportRequest['ranges'][number];

const SLICE_EVENTS = 500;
const SLICE_CHARS = 256 * 1024;

export function readRanges(body: unknown): readonly Range[] {
  const ranges = isObject(body) ? body.ranges : undefined;
  if (!Array.isArray(ranges))
    throw new HttpProblem(400, '"ranges" must be a list of [first, last] pairs of event numbers');
  let before = 0;
  for (const range of ranges) {
    const [first, last] = Array.isArray(range) && range.length === 2 ? range : [];
    if (!(Number.isSafeInteger(first) && Number.isSafeInteger(last) && before < first && first <= last)) {
      throw new HttpProblem(400, '"ranges" must be ascending pairs of integers');
    }
    before = last;
  }
  return ranges;
}

/** Resolves when everything was sent, or when the client has disconnected. */
export async function sendRecording(
  response: ServerResponse,
  source: InspectorSource,
  ranges: readonly Range[],
  { text }: Redaction,
): Promise<void> {
  response.writeHead(200, {
    ...safeHeaders,
    'content-type': 'application/x-ndjson; charset=utf-8',
    'cache-control': 'no-store',
  });
  try {
    await pipeline(recordingOf(source, ranges, text), response);
  } catch {
    response.destroy(); // the page has disconnected; otherwise it would see an incomplete answer
  }
}

async function* recordingOf(source: InspectorSource, ranges: readonly Range[], redact: Redact): AsyncGenerator<string> {
  const { flow, startedAt, title } = source;
  const run = newRunId();
  const lines = new EventLines(run, redact);
  let text = `${headerLine({ run, startedAt, about: { exportedFrom: redact(title) } })}\n`;
  let events = 0;
  for (const event of renumbered(flow, ranges)) {
    text += `${lines.encode(event)}\n`;
    if (++events % SLICE_EVENTS > 0 && text.length < SLICE_CHARS) continue;
    yield text;
    text = '';
    await new Promise((resolve) => setImmediate(resolve)); // lets the traffic proceed between slices, even if the reader is fast
  }
  yield text;
}

function* renumbered(flow: FlowStore, ranges: readonly Range[]): Generator<FlowEvent> {
  const newestSeq = flow.lastSeq; // events that arrive in the meantime are not exported
  let asked = 0;
  for (const [first, last] of ranges) {
    const end = Math.min(last, newestSeq);
    for (let after = first - 1; after < end; ) {
      const events = flow.since(after, Math.min(SLICE_EVENTS, end - after));
      for (const event of events) if (event.seq <= end) yield withSeq(event, asked + event.seq - first + 1);
      after = events.at(-1)?.seq ?? end;
    }
    asked += last - first + 1;
  }
}

/** The bytes of a frame may be a getter, which a spread would not copy. */
function withSeq(event: FlowEvent, seq: number): FlowEvent {
  return event.kind === 'frame' ? { ...event, payload: event.payload, seq } : { ...event, seq };
}
