// Classifies a frame: a message of MCP or LiteMCP, a batch, or stray output. Uses the message reader of the transports, so both
// recognise the same stray output. Never throws: the Inspector may run in the process of the host.

import { decodeText } from '../../base/decode-text.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import type { Noise } from '../../base/noise.ts';
import type { InboundFault } from '../../wire/jsonrpc/channel.ts';
import type { JsonRpcMessage, RequestId } from '../../wire/jsonrpc/message.ts';
import { MessageReader, type MessageSink } from '../../wire/jsonrpc/message-reader.ts';
import { traceMessage } from '../../wire/jsonrpc/recover-id.ts';
import { type FrameEvent, type FrameFact, isOfClient } from '../flow/event.ts';
import {
  charsOf,
  listedTasks,
  type TaskMention,
  type TaskState,
  taskOfMessage,
  taskOfResult,
  taskOfStart,
} from './task-forms.ts';

export interface MessageDescription {
  /** `invalid`: broken JSON-RPC, explained by `problem`. */
  kind: 'request' | 'notification' | 'response' | 'invalid';
  /** The invalid message was meant as a response. */
  isResponse?: true;
  method?: string;
  id?: RequestId;
  tool?: string;
  /** The token in a request that asks for progress, or in a progress notification. */
  progressToken?: RequestId;
  /** The request that a `notifications/cancelled` cancels. */
  cancels?: RequestId;
  error?: { code: number; message: string };
  /** The tool ran and reported a failure (`isError`). */
  toolError?: true;
  problem?: string;
  task?: TaskMention;
  /** The tasks in an answer that lists them. */
  tasks?: TaskState[];
}

export interface FrameDescription {
  kind: MessageDescription['kind'] | 'batch' | 'noise';
  /** Several for a batch, empty for stray output. */
  messages: MessageDescription[];
  /** Stray output: the whole frame, or the text before a message on the same line. At most 1,024 characters. */
  noise?: string;
  /** LiteMCP: the rules of MCP do not apply. */
  lite?: true;
}

export function describeFrame(frame: FrameFact): FrameDescription {
  try {
    if (frame.cut) return describeCut(frame);
    return (isOfClient(frame) ? undefined : describeLiteFrame(frame)) ?? describers[frame.direction].describe(frame);
  } catch {
    return { kind: 'invalid', messages: [{ kind: 'invalid', problem: 'The message cannot be interpreted' }] };
  }
}

/** Collects the messages and faults that the reader of one direction finds in one frame. */
class Describer implements MessageSink {
  readonly #reader: MessageReader;
  #found: FrameDescription = { kind: 'noise', messages: [] };

  constructor(toleratesNoise: boolean) {
    this.#reader = new MessageReader({ maxFrameBytes: Number.MAX_SAFE_INTEGER, toleratesNoise }, this);
    this.#reader.batches = true; // batches are accepted here in every revision
  }

  describe(frame: FrameFact): FrameDescription {
    this.#found = { kind: 'noise', messages: [] };
    this.#reader.frame(frame.payload, frame.offset ?? 0);
    return this.#found;
  }

  message(message: JsonRpcMessage): void {
    const description = describeMessage(message);
    this.#found.kind = description.kind;
    this.#found.messages.push(description);
  }

  batch(messages: JsonRpcMessage[], faults: InboundFault[]): void {
    this.#found.kind = 'batch';
    this.#found.messages.push(...messages.map(describeMessage), ...faults.map(describeFault));
  }

  fault(fault: InboundFault): void {
    this.#found.kind = 'invalid';
    this.#found.messages.push(describeFault(fault));
  }

  noise({ text }: Noise): void {
    this.#found.noise = text;
  }
}

const nothing = new Uint8Array(0);
const strict = new Describer(false);
const describers = { fromServer: new Describer(true), toServer: strict, fromClient: strict, toClient: strict };

function describeMessage(message: JsonRpcMessage): MessageDescription {
  if (!('method' in message)) {
    const description: MessageDescription = { kind: 'response', id: message.id ?? undefined };
    // Some servers write `error: null` beside a result, or a result that is not an object.
    const { error, result } = message as { error?: { code: number; message: string } | null; result?: unknown };
    if (error) description.error = { code: error.code, message: String(error.message) };
    else if (isObject(result)) describeResult(description, result);
    return description;
  }
  const { method, params } = message;
  const description: MessageDescription = { kind: 'id' in message ? 'request' : 'notification', method };
  if ('id' in message) description.id = message.id;
  const task = taskOfMessage(method, params);
  if (task) description.task = task;
  if (method === 'tools/call' && typeof params?.name === 'string') description.tool = params.name;
  const token =
    method === 'notifications/progress'
      ? params?.progressToken
      : (params?._meta as { progressToken?: unknown } | undefined)?.progressToken;
  if (isId(token)) description.progressToken = token;
  if (method === 'notifications/cancelled' && isId(params?.requestId)) description.cancels = params.requestId;
  return description;
}

function describeResult(description: MessageDescription, result: JsonObject): void {
  if (result.isError === true) description.toolError = true;
  const task = taskOfResult(result);
  const tasks = listedTasks(result);
  if (task) description.task = task;
  if (tasks) description.tasks = tasks;
}

function describeFault({ id, message, isResponse }: InboundFault): MessageDescription {
  const description: MessageDescription = { kind: 'invalid', id, problem: message };
  return isResponse ? { ...description, isResponse } : description;
}

function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

const idAtTheEnd = /"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")[^{}[\]]*\}\s*$/;
const toolAtTheStart = /"params"\s*:\s*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")/;

/** Only the two ends of a frame that was too long are stored. Many programs write `id` last. */
function describeCut(frame: FrameFact): FrameDescription {
  const head = decodeText(frame.payload);
  if (head.trimStart().startsWith('[')) return { kind: 'batch', messages: [] };
  const { id: idAtTheStart, method, isResponse, isJsonRpc } = traceMessage(head);
  const end = idAtTheEnd.exec(decodeText(frame.tail ?? nothing))?.[1];
  const id = idAtTheStart ?? (readJson(end) as RequestId | undefined);
  if (method !== undefined) {
    const kind = id === undefined ? 'notification' : 'request';
    const tool = method === 'tools/call' ? readJson(toolAtTheStart.exec(head)?.[1]) : undefined;
    return { kind, messages: [{ kind, method, id, tool: tool as string | undefined }] };
  }
  if (isResponse || (isJsonRpc && id !== undefined)) {
    const task = taskOfStart(head);
    return { kind: 'response', messages: [{ kind: 'response', id, ...(task && { task }) }] };
  }
  return { kind: 'noise', messages: [], noise: head.slice(0, 1024) };
}

function readJson(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined; // the text is not LiteMCP, or has a broken escape sequence
  }
}

const START_BYTES = 200;
/** A cheap first test: every message of LiteMCP matches. */
const looksLite = /^\s*\{[^{}]*"version"\s*:\s*\[/;

/** Recognises LiteMCP by its version, a list of numbers. Without this its frames would count as broken JSON-RPC. */
function describeLiteFrame(frame: FrameFact): FrameDescription | undefined {
  // Nearly all frames are MCP: the first bytes are enough to exclude LiteMCP.
  if (!looksLite.test(decodeText(frame.payload.subarray(0, START_BYTES)))) return undefined;
  const value = readJson(decodeText(frame.payload));
  if (!isLiteMessage(value)) return undefined;
  const { id, type, data } = value;
  const message: MessageDescription = { kind: frame.direction === 'toServer' ? 'request' : 'response' };
  if (isId(id)) message.id = id;
  if (typeof type === 'string') message.method = type;
  if (isObject(data) && typeof data.tool === 'string') message.tool = data.tool;
  if (isObject(data) && isObject(data.response) && data.response.error === true) message.toolError = true;
  return { kind: message.kind, messages: [message], lite: true };
}

export function isLiteMessage(value: unknown): value is JsonObject {
  return isObject(value) && Array.isArray(value.version) && !('jsonrpc' in value);
}

/** Approximate memory of a description and of a message in it, without their strings. */
const DESCRIPTION_BYTES = 150;
const MESSAGE_BYTES = 150;

/**
 * Descriptions of the frames of one store by sequence number: the store returns a new object each time, so the object cannot be the
 * key. Bounded in bytes: the oldest are dropped and made again when needed.
 */
export class Descriptions {
  readonly #maxBytes: number;
  readonly #bySeq = new Map<number, FrameDescription>();
  /** The iterator is kept between calls: a new one would step over all entries deleted before. */
  #oldestFirst = this.#bySeq.entries();
  #heldBytes = 0;

  constructor(maxBytes = 16 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  of(frame: FrameEvent): FrameDescription {
    const known = this.#bySeq.get(frame.seq);
    if (known) return known;
    const description = describeFrame(frame);
    this.#bySeq.set(frame.seq, description);
    this.#heldBytes += weightOf(description);
    while (this.#heldBytes > this.#maxBytes) this.#dropOldest();
    return description;
  }

  #dropOldest(): void {
    const { value, done } = this.#oldestFirst.next();
    if (done) {
      this.#oldestFirst = this.#bySeq.entries();
      return;
    }
    const [seq, oldest] = value;
    this.#bySeq.delete(seq);
    this.#heldBytes -= weightOf(oldest);
  }
}

function weightOf({ messages, noise = '' }: FrameDescription): number {
  return messages.reduce((sum, message) => sum + messageWeight(message), DESCRIPTION_BYTES + noise.length);
}

function messageWeight(message: MessageDescription): number {
  const { method, id, tool, progressToken, cancels, error, problem, task, tasks = [] } = message;
  const texts = [method, id, tool, progressToken, cancels, error?.message, problem];
  const ofTasks = tasks.reduce((sum, state) => sum + MESSAGE_BYTES + charsOf({ ...state, state }), charsOf(task));
  return texts.reduce<number>(
    (sum, text) => sum + (typeof text === 'string' ? text.length : 0),
    MESSAGE_BYTES + ofTasks,
  );
}
