// Events as the rows of a timeline: small, and readable at a glance.

import { CapturedText } from '../flow/captured-frame.ts';
import { describeFrame } from '../flow/describe-frame.ts';
import type { FlowEvent, FrameEvent } from '../flow/event.ts';
import { type Exchange, latencyMs } from '../flow/exchange.ts';
import type { Exchanges } from '../flow/exchanges.ts';
import { lenientText } from '../flow/frame-text.ts';
import type { EventRow, LiveMessages } from './api.ts';
import { describeLiteFrame } from './lite-frame.ts';

const SUMMARY_CHARS = 160;
/** The longest UTF-8 of a character. */
const SUMMARY_BYTES = SUMMARY_CHARS * 4;

export function toRow(event: FlowEvent, exchanges: Exchanges): EventRow {
  const { seq, atMs, server, life, kind } = event;
  const base = { seq, atMs, server, life, kind, summary: '' };
  switch (event.kind) {
    case 'frame':
      return { ...base, ...frameRow(event, exchanges) };
    case 'fault':
      return {
        ...base,
        direction: event.direction,
        size: event.length,
        error: event.code,
        summary: `${event.code}: ${event.length} bytes at ${event.offset}: ${oneLine(startOf(event.prefix))}`,
      };
    case 'stderr':
      return { ...base, size: event.length, summary: oneLine(startOf(event.payload)) };
    case 'spawn':
      return { ...base, summary: `started as process ${event.pid}: ${event.command}` };
    case 'state':
      return {
        ...base,
        summary: `${event.from} → ${event.to}${event.reason ? `: ${event.reason}` : ''}`,
        ...(event.to === 'failed' && { error: 'failed' }),
      };
    case 'exit':
      return {
        ...base,
        summary: event.signal ? `ended by ${event.signal}` : `exited with code ${event.exitCode}`,
        ...(event.exitCode !== 0 && { error: event.signal ?? `code ${event.exitCode}` }),
      };
    case 'stop':
      return { ...base, summary: `all its processes are gone (${event.rung})` };
    case 'signal':
      return { ...base, summary: `got ${event.signal}` };
    case 'error':
      return { ...base, error: event.code, summary: event.message };
    case 'note':
      return { ...base, summary: event.text };
  }
}

/** What the row of a request becomes when its fate is known. */
export function toUpdate(seq: number, exchanges: Exchanges): LiveMessages['updates'][number] {
  const [exchange] = exchanges.forSeq(seq);
  return exchange ? { seq, ...fateOf(seq, exchange) } : { seq };
}

function frameRow(event: FrameEvent, exchanges: Exchanges): Partial<EventRow> & { summary: string } {
  const { kind: type, messages, noise } = describeLiteFrame(event) ?? describeFrame(event);
  const row: Partial<EventRow> & { summary: string } = {
    direction: event.direction,
    type,
    size: sizeOf(event),
    summary: oneLine(type === 'noise' ? (noise ?? '') : startOfFrame(event)),
  };
  const [message] = messages;
  if (message?.id !== undefined) row.id = message.id;
  if (message?.method !== undefined) row.method = message.method;
  if (message?.tool !== undefined) row.tool = message.tool;
  if (message?.error) row.error = `${message.error.code}: ${message.error.message}`;
  else if (message?.toolError) row.error = 'the tool reported an error';
  else if (message?.problem) row.error = message.problem;
  const [exchange] = exchanges.forSeq(event.seq);
  if (!exchange) return row;
  row.method ??= exchange.method;
  if (exchange.tool !== undefined) row.tool ??= exchange.tool;
  return { ...row, ...fateOf(event.seq, exchange) };
}

/** What the other half of an exchange adds to a row. */
function fateOf(seq: number, exchange: Exchange): Pick<EventRow, 'pairSeq' | 'latencyMs' | 'error'> {
  const isRequest = seq === exchange.requestSeq;
  const pairSeq = isRequest ? (exchange.answerSeq ?? exchange.cancelSeq) : exchange.requestSeq;
  const latency = isRequest || seq === exchange.answerSeq ? latencyMs(exchange) : undefined;
  const error = isRequest ? failureOf(exchange) : undefined;
  return {
    ...(pairSeq !== undefined && { pairSeq }),
    ...(latency !== undefined && { latencyMs: latency }),
    ...(error !== undefined && { error }),
  };
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

/** Without encoding a message that was captured as text. */
function sizeOf(event: FrameEvent): number {
  return event instanceof CapturedText ? Buffer.byteLength(event.text) : event.length;
}

function startOfFrame(event: FrameEvent): string {
  return event instanceof CapturedText ? event.text.slice(0, SUMMARY_BYTES) : startOf(event.payload);
}

function startOf(bytes: Uint8Array): string {
  return lenientText(bytes.subarray(0, SUMMARY_BYTES));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, SUMMARY_CHARS);
}
