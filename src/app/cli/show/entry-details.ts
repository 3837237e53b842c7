// The details of an entry as lines of text: its facts, and its messages as indented JSON.

import { decodeText } from '../../../base/decode-text.ts';
import { counted } from '../../../base/terminal/counted.ts';
import { visibleJson, visibleLine } from '../../../base/terminal/visible.ts';
import type { FrameEvent } from '../../../observe/flow/event.ts';
import type { Entry } from '../../../observe/show/entries.ts';
import { clientOf, durationMs, serverOf } from '../../../observe/show/entry-filter.ts';
import { arrowOf, atMsOf, durationText, isoText, messageText, outcomeOf, timeText, whatOf } from './entry-texts.ts';

/** A longer message is shown on one line: indentation would make it much longer. */
const MOST_INDENTED = 200_000;
const MOST_LINES = 20_000;

export function entryDetails(entry: Entry, frames: readonly FrameEvent[], dateMs: (atMs: number) => number): string[] {
  const [server, client] = [serverOf(entry), clientOf(entry)];
  const facts = [visibleLine(whatOf(entry)), `time      ${isoText(dateMs(atMsOf(entry)))}`];
  if (server !== undefined) facts.push(`server    ${visibleLine(server)}`);
  if (client !== undefined) facts.push(`client    ${visibleLine(client)}`);
  if (entry.type === 'exchange') {
    const { exchange } = entry;
    const { id, error } = exchange;
    facts.push(`id        ${visibleLine(JSON.stringify(id))}`);
    facts.push(`outcome   ${visibleLine(outcomeOf(exchange))}${error ? `: ${visibleLine(error.message)}` : ''}`);
    facts.push(`duration  ${durationText(durationMs(entry))}`);
  }
  const missing = entry.type === 'exchange' ? entry.seqs.length - frames.length : 0;
  const notes = missing > 0 ? ['', `${counted(missing, 'message')} no longer in memory`] : [];
  const messages = frames.flatMap((frame) => ['', ...frameLines(frame, dateMs)]);
  return [...facts, ...notes, ...messages].slice(0, MOST_LINES);
}

function frameLines(frame: FrameEvent, dateMs: (atMs: number) => number): string[] {
  const { direction, length, atMs, redacted } = frame;
  const marks = redacted ? ', secrets are hidden' : '';
  const head = `${arrowOf(direction)} ${timeText(dateMs(atMs))}  ${length} bytes${marks}`;
  return [head, ...indented(frame)];
}

function indented(frame: FrameEvent): string[] {
  if (frame.cut || frame.payload.length > MOST_INDENTED) return [messageText(frame)];
  try {
    return visibleJson(JSON.parse(decodeText(frame.payload))).split('\n');
  } catch {
    return [messageText(frame)]; // not JSON, or nested too deeply
  }
}
