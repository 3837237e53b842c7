// Events as the rows of a timeline: small, and readable at a glance.

import { describeFrame } from '../flow/describe-frame.ts';
import type { FlowEvent, FrameEvent } from '../flow/event.ts';
import { latencyMs } from '../flow/exchange.ts';
import type { Exchanges } from '../flow/exchanges.ts';
import { lenientText } from '../flow/frame-text.ts';
import type { EventRow } from './api.ts';

const SUMMARY_CHARS = 160;

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
        summary: `${event.code}: ${event.length} bytes at ${event.offset}: ${oneLine(lenientText(event.prefix))}`,
      };
    case 'stderr':
      return { ...base, size: event.length, summary: oneLine(lenientText(event.payload)) };
    case 'spawn':
      return { ...base, summary: `started as process ${event.pid}: ${event.command}` };
    case 'state':
      return {
        ...base,
        summary: `${event.from} → ${event.to}${event.reason ? `: ${event.reason}` : ''}`,
        ...failed(event.to),
      };
    case 'exit':
      return {
        ...base,
        summary: event.signal ? `ended by ${event.signal}` : `exited with code ${event.exitCode}`,
        ...(event.exitCode === 0 ? {} : { error: event.signal ?? `code ${event.exitCode}` }),
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

function frameRow(event: FrameEvent, exchanges: Exchanges): Partial<EventRow> & { summary: string } {
  const { kind: type, messages, noise } = describeFrame(event);
  const row: Partial<EventRow> & { summary: string } = {
    direction: event.direction,
    type,
    size: event.length,
    summary: type === 'noise' ? oneLine(noise ?? '') : oneLine(textOf(event)),
  };
  const [message] = messages;
  if (message?.id !== undefined) row.id = message.id;
  if (message?.method !== undefined) row.method = message.method;
  if (message?.tool !== undefined) row.tool = message.tool;
  if (message?.error) row.error = `${message.error.code}: ${message.error.message}`;
  else if (message?.toolError) row.error = 'the tool reported an error';
  else if (message?.problem) row.error = message.problem;
  return { ...row, ...pairing(event.seq, exchanges) };
}

/** What the other half of an exchange adds to a row. */
export function pairing(seq: number, exchanges: Exchanges): Partial<EventRow> {
  const [exchange] = exchanges.forSeq(seq);
  if (!exchange) return {};
  const pair: Partial<EventRow> = { method: exchange.method };
  if (exchange.tool !== undefined) pair.tool = exchange.tool;
  const pairSeq = seq === exchange.requestSeq ? exchange.answerSeq : exchange.requestSeq;
  if (pairSeq !== undefined) pair.pairSeq = pairSeq;
  const latency = latencyMs(exchange);
  if (latency !== undefined) pair.latencyMs = latency;
  if (seq === exchange.requestSeq && exchange.outcome !== 'ok' && exchange.outcome !== 'pending') {
    pair.error = exchange.error?.message ?? exchange.outcome;
  }
  return pair;
}

function textOf(event: FrameEvent): string {
  return lenientText(event.payload.subarray(0, SUMMARY_CHARS * 4));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, SUMMARY_CHARS);
}

function failed(state: string): { error?: string } {
  return state === 'failed' ? { error: 'failed' } : {};
}
