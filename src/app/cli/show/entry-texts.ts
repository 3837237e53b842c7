// The words for entries in lines, JSON documents and the full-screen view.

import { isUtf8 } from 'node:buffer';
import { decodeText } from '../../../base/decode-text.ts';
import type { Colour } from '../../../base/terminal/colours.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { type Exchange, isFailure, isRefusedProbe } from '../../../observe/analysis/exchange.ts';
import { type FlowDirection, type FrameEvent, lengthOfParts } from '../../../observe/flow/event.ts';
import type { Entry } from '../../../observe/show/entries.ts';
import { clientOf, durationMs, serverOf } from '../../../observe/show/entry-filter.ts';

export function arrowOf(direction: FlowDirection): string {
  return direction === 'toServer' || direction === 'fromClient' ? '→' : '←';
}

/** The method with its target, or the kind of a line. */
export function whatOf(entry: Entry): string {
  if (entry.type === 'line') return `${entry.kind}: ${entry.text}`;
  if (entry.type === 'message')
    return `${arrowOf(entry.event.direction)} ${entry.message?.method ?? entry.message?.kind ?? 'batch'}`;
  const { exchange, target } = entry;
  return [arrowOf(exchange.direction), exchange.method, target].filter(Boolean).join(' ');
}

/** The outcome of a request in at most 20 characters. */
export function outcomeOf(exchange: Exchange): string {
  const { outcome, error } = exchange;
  if (isRefusedProbe(exchange)) return 'not supported';
  if (outcome === 'error') return error ? `error ${error.code}` : 'invalid answer';
  return outcome === 'tool-error' ? 'tool error' : outcome;
}

export function colourOf(entry: Entry): Colour | undefined {
  if (entry.type === 'exchange') {
    if (isFailure(entry.exchange)) return 'red';
    return entry.exchange.outcome === 'ok' ? 'green' : 'yellow';
  }
  return entry.type === 'line' && (entry.kind === 'error' || entry.kind === 'stdout') ? 'red' : 'dim';
}

export function atMsOf(entry: Entry): number {
  return entry.type === 'exchange' ? entry.exchange.startMs : entry.event.atMs;
}

export function durationText(ms: number | undefined): string {
  if (ms === undefined) return '';
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 100_000 ? 2 : 0)} s`;
}

/** The time of day in the local time zone. */
export function timeText(dateMs: number): string {
  const date = new Date(dateMs);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0'));
  return `${parts.join(':')}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

export function dayText(dateMs: number): string {
  const date = new Date(dateMs);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}

/** The text of a message on one line. */
export function messageText({ payload, tail, cut, length }: FrameEvent): string {
  const text = visibleLine(decodeText(payload));
  return cut ? `${text} … (${length} bytes) … ${visibleLine(decodeText(tail ?? new Uint8Array(0)))}` : text;
}

export interface EntryContext {
  dateMs: (atMs: number) => number;
  /** Undefined if messages are not shown. */
  messagesOf?: ((entry: Entry) => readonly FrameEvent[]) | undefined;
}

/** The JSON document that `--json` prints for an entry. */
export function entryDocument(entry: Entry, { dateMs, messagesOf }: EntryContext): object {
  const head = { at: isoText(dateMs(atMsOf(entry))), server: serverOf(entry), client: clientOf(entry) };
  if (entry.type === 'line') return { type: 'line', ...head, kind: entry.kind, text: entry.text };
  const messages = messagesOf?.(entry).map((frame) => messageDocument(frame, dateMs));
  if (entry.type === 'message') {
    const { direction, length } = entry.event;
    return { type: 'message', ...head, direction, method: entry.message?.method, bytes: length, messages };
  }
  const { direction, method, id, outcome, error, requestBytes, answerBytes } = entry.exchange;
  return {
    ...{ type: 'request', ...head, direction, method, target: entry.target, id, outcome, error },
    ...{ durationMs: durationMs(entry), requestBytes, answerBytes, messages },
  };
}

function messageDocument(frame: FrameEvent, dateMs: (atMs: number) => number): object {
  const { atMs, direction, length, payload, cut, tail, redacted } = frame;
  return {
    at: isoText(dateMs(atMs)),
    direction,
    bytes: length,
    cut,
    redacted,
    ...bytesOf(payload),
    ...(tail && { tail: decodeText(tail) }),
  };
}

function bytesOf(bytes: Uint8Array): object {
  return isUtf8(bytes) ? { text: decodeText(bytes) } : { base64: Buffer.from(bytes).toString('base64') };
}

/** The date in ISO format, in milliseconds. An invalid date becomes the start of 1970. */
export function isoText(dateMs: number): string {
  const date = new Date(dateMs);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}

export function sizeOf(frames: readonly FrameEvent[]): number {
  return frames.reduce((sum, frame) => sum + lengthOfParts(frame), 0);
}
