// Parses the text of one frame into a message, a batch, or a fault with a description and a JSON-RPC error code. Never
// throws. Only the outer shape is checked; the layers above check `params` and `result`.

import { hasMoreValues } from '../../base/count-json-values.ts';
import { RpcCode } from '../../base/errors.ts';
import { jsonKind } from '../../base/json-object.ts';
import type { JsonRpcMessage, RequestId } from './message.ts';
import { type MessageTraces, traceMessage } from './recover-id.ts';

/** A frame that is not a message. `id` is set if it could be recovered. */
export class MessageFault {
  readonly code: 'MESSAGE_INVALID' | 'TOO_MANY_VALUES';
  readonly rpcCode: number;
  readonly message: string;
  readonly id: RequestId | undefined;
  /** True if the frame was meant as an answer; such a fault is not answered. */
  readonly isResponse: boolean;
  /** True for malformed JSON-RPC, false for unrelated text on the pipe. */
  readonly isJsonRpc: boolean;

  constructor(
    rpcCode: number,
    message: string,
    traces: Partial<MessageTraces> = {},
    code: MessageFault['code'] = 'MESSAGE_INVALID',
  ) {
    this.code = code;
    this.rpcCode = rpcCode;
    this.message = message;
    this.id = traces.id;
    this.isResponse = traces.isResponse ?? false;
    this.isJsonRpc = traces.isJsonRpc ?? false;
  }
}

/** A message, a fault, or the entries of a batch (messages and faults, in order). */
export type Parsed = JsonRpcMessage | MessageFault | (JsonRpcMessage | MessageFault)[];

/** The message of the fault. */
export const EMPTY_BATCH = 'A JSON-RPC batch must not be empty';

/** Each entry may require an answer: a short line must not cause a million of them. */
export const MOST_IN_A_BATCH = 1000;

export interface ParseOptions {
  batches: boolean;
  /** Allows parameters by position. MCP does not use them. */
  arrayParams: boolean;
  /** Text with more values is not parsed: it would block the process and fill its memory. */
  maxFrameValues: number;
  /** The number of values in the text, if they were counted already. */
  values?: number | undefined;
}

export function parseMessage(text: string, options: ParseOptions): Parsed {
  const { maxFrameValues: most, values } = options;
  if (values === undefined ? hasMoreValues(text, most) : values > most) return tooManyValues(text, most);
  // This is checked first, because throwing an exception for each message of a flood of cut-off messages is expensive.
  if (isCutOff(text)) {
    return new MessageFault(
      RpcCode.parseError,
      'Not valid JSON: it ends without its closing bracket',
      traceMessage(text),
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return new MessageFault(
      RpcCode.parseError,
      `Not valid JSON: ${withoutQuote((error as Error).message)}`,
      traceMessage(text),
    );
  }
  if (!Array.isArray(value)) return checkShape(value, options.arrayParams);
  if (!options.batches) {
    return new MessageFault(
      RpcCode.invalidRequest,
      'A JSON-RPC batch (array) is not allowed in this protocol revision',
    );
  }
  if (value.length > MOST_IN_A_BATCH) {
    const message = `A JSON-RPC batch of ${value.length} is too long: at most ${MOST_IN_A_BATCH}`;
    return new MessageFault(RpcCode.invalidRequest, message);
  }
  if (value.length === 0) return new MessageFault(RpcCode.invalidRequest, EMPTY_BATCH);
  return value.map((entry) => checkShape(entry, options.arrayParams));
}

function tooManyValues(text: string, most: number): MessageFault {
  const message = `Message of ${text.length} characters holds more than ${most} JSON values (maxFrameValues)`;
  return new MessageFault(RpcCode.invalidRequest, message, traceMessage(text), 'TOO_MANY_VALUES');
}

const SPACE = 0x20;
const OPENING = { array: 0x5b, object: 0x7b };
/** The distance from `[` to `]`, and from `{` to `}`, in character codes. */
const TO_CLOSING = 2;

/** Whether text begins as an object or array but its last character is neither the matching bracket nor white space. */
function isCutOff(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first !== OPENING.object && first !== OPENING.array) return false;
  const last = text.charCodeAt(text.length - 1);
  return last !== first + TO_CLOSING && last > SPACE;
}

/** Removes the quotation that V8 puts into its message, because the text may hold secrets. */
function withoutQuote(message: string): string {
  return message.replace(/, (\.\.\.)?".*$/s, '');
}

function checkShape(value: unknown, arrayParams: boolean): JsonRpcMessage | MessageFault {
  if (typeof value !== 'object' || value === null) {
    return new MessageFault(RpcCode.invalidRequest, `A message must be a JSON object, not ${jsonKind(value)}`);
  }
  const message = value as Record<string, unknown>;
  const { id, method } = message;
  if (message.jsonrpc !== '2.0') return invalid(message, '"jsonrpc" must be "2.0"');
  if (method !== undefined) {
    if (typeof method !== 'string') return invalid(message, `"method" must be a string, not ${jsonKind(method)}`);
    if (id !== undefined && !isRequestId(id))
      return invalid(message, `"id" must be a string or number, not ${idKind(id)}`);
    const { params } = message;
    if (params !== undefined && (typeof params !== 'object' || (Array.isArray(params) && !arrayParams))) {
      return invalid(message, `"params" must be an object, not ${jsonKind(params)}`);
    }
    return message as unknown as JsonRpcMessage;
  }
  if (message.result !== undefined) {
    if (!isRequestId(id)) return invalid(message, `"id" of a result must be a string or number, not ${idKind(id)}`);
    return message as unknown as JsonRpcMessage;
  }
  if (isErrorObject(message.error)) {
    // JSON-RPC uses `null` as the id if that of the request could not be read.
    if (id !== null && id !== undefined && !isRequestId(id)) return invalid(message, '"id" must be a string or number');
    return message as unknown as JsonRpcMessage;
  }
  return invalid(
    message,
    message.error === undefined
      ? 'A message needs "method", "result" or "error"'
      : '"error" needs a numeric "code" and a string "message"',
  );
}

function invalid(message: Record<string, unknown>, why: string): MessageFault {
  return new MessageFault(RpcCode.invalidRequest, `Not a JSON-RPC 2.0 message: ${why}`, {
    id: isRequestId(message.id) ? message.id : undefined,
    isResponse: message.method === undefined && (message.result !== undefined || message.error !== undefined),
    isJsonRpc: message.jsonrpc !== undefined,
  });
}

export function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isFinite(id);
}

/** JSON allows numbers such as 1e400, which parse to Infinity and cannot be written back. */
function idKind(id: unknown): string {
  return typeof id === 'number' ? 'a number beyond the range of a double' : jsonKind(id);
}

function isErrorObject(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = error as Record<string, unknown>;
  return typeof code === 'number' && typeof message === 'string';
}
