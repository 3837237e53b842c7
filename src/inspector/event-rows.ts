// Events as the rows of a timeline: small, and readable at a glance.

import type { FlowEvent, FrameEvent } from '../flow/event.ts';
import { type Exchange, latencyMs } from '../flow/exchange.ts';
import { lenientText } from '../flow/frame-text.ts';
import type { EventRow, LiveMessages } from './api.ts';
import { describe } from './describe.ts';
import type { Pairs } from './pairs.ts';

type RowUpdate = LiveMessages['updates'][number];

const SUMMARY_CHARS = 160;
/** The longest UTF-8 of a character. */
const SUMMARY_BYTES = SUMMARY_CHARS * 4;

export function toRow(event: FlowEvent, exchanges: Pick<Pairs, 'forSeq'>): EventRow {
  const { seq, atMs, server, life, kind } = event;
  const row: EventRow = { seq, atMs, server, life, kind, summary: '' };
  switch (event.kind) {
    case 'frame':
      fillFrame(row, event, exchanges);
      break;
    case 'fault':
      row.direction = event.direction;
      row.size = event.length;
      row.error = event.code;
      row.summary = `${event.code}: ${event.length} bytes at ${event.offset}: ${oneLine(startOf(event.prefix))}`;
      break;
    case 'stderr':
      row.size = event.length;
      row.summary = oneLine(startOf(event.payload));
      break;
    case 'spawn':
      row.summary = `started as process ${event.pid}: ${event.command}`;
      break;
    case 'state':
      row.summary = `${event.from} → ${event.to}${event.reason ? `: ${event.reason}` : ''}`;
      if (event.to === 'failed') row.error = 'failed';
      break;
    case 'exit':
      row.summary = event.signal ? `ended by ${event.signal}` : `exited with code ${event.exitCode}`;
      if (event.exitCode !== 0) row.error = event.signal ?? `code ${event.exitCode}`;
      break;
    case 'stop':
      row.summary = `all its processes are gone (${event.rung})`;
      break;
    case 'signal':
      row.summary = `got ${event.signal}`;
      break;
    case 'error':
      row.error = event.code;
      row.summary = event.message;
      break;
    case 'note':
      row.summary = event.text;
  }
  return row;
}

/** What the row of a request becomes when its fate is known. */
export function toUpdate(seq: number, exchanges: Pick<Pairs, 'forSeq'>): RowUpdate {
  const update: RowUpdate = { seq };
  const [exchange] = exchanges.forSeq(seq);
  if (exchange) fillFate(update, exchange);
  return update;
}

/** Filled in place: pages of thousands of rows are made at once. */
function fillFrame(row: EventRow, event: FrameEvent, exchanges: Pick<Pairs, 'forSeq'>): void {
  const { kind: type, messages, noise } = describe(event);
  row.direction = event.direction;
  row.type = type;
  row.size = event.length;
  row.summary = oneLine(type === 'noise' ? (noise ?? '') : startOf(event.payload));
  const [message] = messages;
  if (message?.id !== undefined) row.id = message.id;
  if (message?.method !== undefined) row.method = message.method;
  if (message?.tool !== undefined) row.tool = message.tool;
  if (message?.error) row.error = `${message.error.code}: ${message.error.message}`;
  else if (message?.toolError) row.error = 'the tool reported an error';
  else if (message?.problem) row.error = message.problem;
  const [exchange] = exchanges.forSeq(event.seq);
  if (!exchange) return;
  row.method ??= exchange.method;
  if (exchange.tool !== undefined) row.tool ??= exchange.tool;
  fillFate(row, exchange);
}

/** What the other half of an exchange adds to a row. */
function fillFate(row: RowUpdate, exchange: Exchange): void {
  const isRequest = row.seq === exchange.requestSeq;
  const pairSeq = isRequest ? (exchange.answerSeq ?? exchange.cancelSeq) : exchange.requestSeq;
  if (pairSeq !== undefined) row.pairSeq = pairSeq;
  const latency = isRequest || row.seq === exchange.answerSeq ? latencyMs(exchange) : undefined;
  if (latency !== undefined) row.latencyMs = latency;
  const error = isRequest ? failureOf(exchange) : undefined;
  if (error !== undefined) row.error = error;
}

function failureOf({ outcome, error }: Exchange): string | undefined {
  switch (outcome) {
    case 'ok':
    case 'pending':
      return undefined;
    case 'tool-error':
      return 'the tool reported an error';
    case 'lost':
      return 'never answered: the process ended';
    case 'cancelled':
      return 'cancelled';
    case 'error':
      return error ? `${error.code}: ${error.message}` : 'the answer is broken';
  }
}

function startOf(bytes: Uint8Array): string {
  return lenientText(bytes.subarray(0, SUMMARY_BYTES));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, SUMMARY_CHARS);
}
