// Events as rows of a timeline: small, and readable at a glance.

import { decodeText } from '../../../base/decode-text.ts';
import type { Redact } from '../../../base/secrets/redact.ts';
import type { Analysis } from '../../../observe/analysis/analysis.ts';
import type { MessageDescription } from '../../../observe/analysis/describe-frame.ts';
import { eventText } from '../../../observe/analysis/event-text.ts';
import { type Exchange, isRefusedProbe, latencyMs } from '../../../observe/analysis/exchange.ts';
import { isHttpFailure } from '../../../observe/analysis/http-failure.ts';
import { durationMs, isOver, type Task } from '../../../observe/analysis/tasks.ts';
import {
  type FlowEvent,
  type FlowStamp,
  type FrameEvent,
  type HttpFact,
  isOfClient,
} from '../../../observe/flow/event.ts';
import type { EventRow, LiveMessages } from '../api.ts';

type RowUpdate = LiveMessages['updates'][number];

const SUMMARY_CHARS = 160;
/** A character has at most 4 bytes in UTF-8. */
const SUMMARY_BYTES = SUMMARY_CHARS * 4;
/** More text is searched than is shown, so that a secret is not cut before it is found. */
const SEARCHED_BYTES = SUMMARY_BYTES + 16 * 1024;

export const asItIs: Redact = (text) => text;

export function toRow(event: FlowEvent, analysis: Analysis, redact: Redact = asItIs): EventRow {
  const { seq, atMs, server, life, kind } = event;
  const row: EventRow = { seq, atMs, server, life, kind, summary: '' };
  if (isOfClient(event)) row.client = server;
  switch (event.kind) {
    case 'frame':
      fillFrame(row, event, analysis, redact);
      break;
    case 'fault':
      row.direction = event.direction;
      row.size = event.length;
      row.error = event.code;
      row.summary = `${eventText(event)}: ${oneLine(startOf(event.prefix, redact))}`;
      break;
    case 'stderr':
      row.size = event.length;
      row.summary = oneLine(startOf(event.payload, redact));
      break;
    case 'error':
      row.error = event.code;
      row.summary = redact(event.message); // the message is shown next to its code
      break;
    case 'http':
      fillHttp(row, event, analysis, redact);
      break;
    default:
      row.summary = redact(eventText(event));
      if (event.kind === 'remote' && event.state === 'disconnected' && event.reason) row.error = 'lost';
      if (event.kind === 'state' && (event.to === 'failed' || event.to === 'unreachable')) row.error = event.to;
      if (event.kind === 'exit' && event.exitCode !== 0) row.error = event.signal ?? `code ${event.exitCode}`;
  }
  return row;
}

/** The row update for a request whose outcome is now known. */
export function toUpdate(seq: number, analysis: Analysis, redact: Redact = asItIs): RowUpdate {
  const update: RowUpdate = { seq };
  for (const exchange of analysis.exchangesOf(seq)) {
    fillFate(update, exchange, redact);
    if (exchange.task) fillTask(update, exchange.task, redact);
  }
  return update;
}

/** Fills the row in place, because pages of thousands of rows are built at once. */
function fillFrame(row: EventRow, event: FrameEvent, analysis: Analysis, redact: Redact): void {
  const { kind: type, messages, noise } = analysis.describe(event);
  row.direction = event.direction;
  row.type = type;
  row.size = event.length;
  if (type === 'batch') return fillBatch(row, event, messages, analysis.exchangesOf(event.seq), redact);
  row.summary = oneLine(type === 'noise' ? redact(noise ?? '') : startOf(event.payload, redact));
  const [message] = messages;
  if (message?.id !== undefined) row.id = message.id;
  if (message?.method !== undefined) row.method = message.method;
  if (message?.tool !== undefined) row.tool = message.tool;
  const error = message && errorOf(message, redact);
  const [exchange] = analysis.exchangesOf(event.seq);
  if (error !== undefined && !(exchange && noteOf(exchange))) row.error = error;
  if (exchange) fillExchange(row, exchange, redact);
  const task = analysis.taskOf(event);
  if (task) fillTask(row, task, redact);
}

function fillExchange(row: EventRow, exchange: Exchange, redact: Redact): void {
  const client = exchange.causes?.[0]?.server;
  if (client !== undefined) row.client = client;
  row.method ??= exchange.method;
  if (exchange.origin) row.origin = exchange.origin;
  // Only the newest progress notification is linked to its request: a row that took the name of the tool from the request would lose it
  // with the next notification.
  if (exchange.tool !== undefined && row.type !== 'notification') row.tool ??= exchange.tool;
  fillFate(row, exchange, redact);
}

/** The first message stands for the whole task: it has the time from the call to the end, and the status. */
function fillTask(row: RowUpdate, task: Task, redact: Redact): void {
  row.task = task.id;
  if (row.seq !== task.headSeq) return;
  const totalMs = durationMs(task);
  if (totalMs !== undefined) row.latencyMs = totalMs;
  else if (task.call) delete row.latencyMs;
  row.note = `task ${task.status.replace('_', ' ')}`;
  const failure = taskFailure(task, redact);
  if (failure !== undefined) row.error = failure;
}

/** Why a task is not a success, as text. */
export function taskFailure({ status, error, toolError }: Task, redact: Redact): string | undefined {
  if (status === 'lost') return 'the end of the task is unknown: its process exited, or the server no longer has it';
  if (toolError) return 'the tool reported an error';
  if (status !== 'failed') return undefined;
  return error ? `${error.code}: ${redact(error.message)}` : 'the task failed';
}

/** The counterpart of an HTTP request is its first message: the JSON-RPC request, if it has one. */
function fillHttp(row: EventRow, event: HttpFact & FlowStamp, analysis: Analysis, redact: Redact): void {
  row.summary = redact(eventText(event));
  if (event.waitMs !== undefined) row.latencyMs = event.waitMs;
  const pairSeq = analysis.http.of({ ...event, exchange: event.repeats ?? event.exchange })?.frames[0];
  if (pairSeq !== undefined) row.pairSeq = pairSeq;
  if (isHttpFailure(event)) row.error = event.state === 'answered' ? `HTTP ${event.status}` : 'cut off';
}

/** Several messages in one frame: the row names all, with the longest latency and the first failure. */
function fillBatch(
  row: EventRow,
  event: FrameEvent,
  messages: readonly MessageDescription[],
  exchanges: readonly Exchange[],
  redact: Redact,
): void {
  const isAnswer = ({ kind, isResponse }: MessageDescription) => kind === 'response' || isResponse === true;
  if (messages.length > 0 && messages.every(isAnswer)) row.type = 'answers';
  row.summary = event.cut
    ? oneLine(startOf(event.payload, redact))
    : oneLine(`batch of ${messages.length}: ${batchNames(messages, exchanges).join(', ')}`);
  const wrong = messages.map((message) => errorOf(message, redact)).find((error) => error !== undefined);
  if (wrong !== undefined) row.error = wrong;
  for (const exchange of exchanges) fillFate(row, exchange, redact);
}

/** Returns at least as many names as fit into a summary. */
function batchNames(messages: readonly MessageDescription[], exchanges: readonly Exchange[]): string[] {
  return messages.slice(0, SUMMARY_CHARS).map((message) => {
    const { id } = message;
    const asked = exchanges.find((exchange) => id !== undefined && exchange.id === id);
    const names = [message.method ?? asked?.method ?? message.kind, message.tool ?? asked?.tool];
    return [...names, id !== undefined && `#${JSON.stringify(id)}`].filter(Boolean).join(' ');
  });
}

function errorOf({ error, toolError, problem }: MessageDescription, redact: Redact): string | undefined {
  if (error) return `${error.code}: ${redact(String(error.message))}`;
  return toolError ? 'the tool reported an error' : problem && redact(problem);
}

/** Adds the facts of an exchange's counterpart to a row. A batch has several: the first pair, the first failure, the longest wait. */
function fillFate(row: RowUpdate, exchange: Exchange, redact: Redact): void {
  const isRequest = row.seq === exchange.requestSeq;
  const pairSeq = isRequest ? (exchange.answerSeq ?? exchange.cancelSeq) : exchange.requestSeq;
  if (pairSeq !== undefined) row.pairSeq ??= pairSeq;
  const latency = isRequest || row.seq === exchange.answerSeq ? latencyMs(exchange) : undefined;
  if (latency !== undefined) row.latencyMs = Math.max(row.latencyMs ?? 0, latency);
  const note = isRequest || row.seq === exchange.answerSeq ? noteOf(exchange) : undefined;
  if (note !== undefined) row.note ??= note;
  const error = isRequest && note === undefined ? failureOf(exchange, redact) : undefined;
  if (error !== undefined) row.error ??= error;
}

/** Outcomes that look like failures but are not. */
function noteOf(exchange: Exchange): string | undefined {
  const { method, outcome, error, task } = exchange;
  if (outcome === 'cancelled') return 'cancelled';
  // 2025-11-25 refuses to cancel a task that has ended. The sender could not know.
  if (method === 'tasks/cancel' && error?.code === -32602 && task && isOver(task)) return 'the task had ended';
  if (!isRefusedProbe(exchange)) return undefined;
  return method === 'server/discover'
    ? 'not supported by this server: it uses an older revision'
    : 'this server has no such list';
}

function failureOf({ outcome, error, http }: Exchange, redact: Redact): string | undefined {
  switch (outcome) {
    case 'ok':
    case 'pending':
    case 'cancelled':
      return undefined;
    case 'tool-error':
      return 'the tool reported an error';
    case 'lost':
      return http === undefined ? 'never answered: the process ended' : 'never answered: the connection ended';
    case 'error':
      return error ? `${error.code}: ${redact(String(error.message))}` : 'the answer is invalid';
  }
}

function startOf(bytes: Uint8Array, redact: Redact): string {
  if (redact === asItIs) return decodeText(bytes.subarray(0, SUMMARY_BYTES));
  return redact(decodeText(bytes.subarray(0, SEARCHED_BYTES))).slice(0, SUMMARY_BYTES);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, SUMMARY_CHARS);
}
