// Converts a message to text. Requests and results made by a peer have a fixed set of members, so only `params` and
// `result` have to be serialised: serialising the rest took a quarter of the time.

import { UsageError } from '../../base/errors.ts';
import { idText, requireJson, toJson } from '../../base/to-json.ts';
import type { JsonRpcMessage, JsonRpcRequest, JsonRpcResult, RequestId } from './message.ts';

type Members = Record<string, unknown>;

export class OwnRequest implements JsonRpcRequest {
  readonly jsonrpc = '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params: Members;

  constructor(id: RequestId, method: string, params: Members) {
    this.id = id;
    this.method = method;
    this.params = params;
  }
}

export class OwnResult implements JsonRpcResult {
  readonly jsonrpc = '2.0';
  readonly id: RequestId;
  readonly result: Members;

  constructor(id: RequestId, result: Members) {
    this.id = id;
    this.result = result;
  }
}

/** Members that many messages share, such as the envelope of MCP 2026-07-28. Their text is made once. */
export class SharedMembers {
  readonly value: Members;
  /** The JSON text without the opening brace. */
  readonly #text: string;

  /** Throws a UsageError if the value cannot be serialised. */
  constructor(value: Members) {
    this.value = value;
    this.#text = requireJson(value).slice(1);
  }

  /** The text of an object with these members appended. */
  textWith(own: Members): string | UsageError {
    const text = toJson(own);
    if (typeof text !== 'string') return text;
    if (!text.startsWith('{'))
      return new UsageError('MESSAGE_NOT_SERIALIZABLE', 'Cannot be serialized: it is not an object');
    return text === '{}' ? `{${this.#text}` : `${text.slice(0, -1)},${this.#text}`;
  }
}

/**
 * A request for channels that write text: the own and the shared parameters are merged only in the text, or when
 * `params` is read.
 */
export class SharingRequest implements JsonRpcRequest {
  readonly jsonrpc = '2.0';
  readonly id: RequestId;
  readonly method: string;
  /** The parameters that are not shared. */
  readonly own: Members;
  readonly #shared: SharedMembers;

  constructor(id: RequestId, method: string, params: Members, shared: SharedMembers) {
    this.id = id;
    this.method = method;
    this.own = params;
    this.#shared = shared;
  }

  get shared(): Members {
    return this.#shared.value;
  }

  get params(): Members {
    return { ...this.own, ...this.#shared.value };
  }

  paramsText(): string | UsageError {
    return this.#shared.textWith(this.own);
  }
}

/** Like SharingRequest, for the result of a request. */
export class SharingResult {
  readonly #own: Members;
  readonly #shared: SharedMembers;

  constructor(own: Members, shared: SharedMembers) {
    this.#own = own;
    this.#shared = shared;
  }

  toJSON(): Members {
    return { ...this.#own, ...this.#shared.value };
  }

  text(): string | UsageError {
    return this.#shared.textWith(this.#own);
  }
}

/** Returns the text, or a UsageError with the reason why the message cannot be serialised. */
export function messageText(message: JsonRpcMessage | JsonRpcMessage[]): string | UsageError {
  if (message instanceof OwnResult) {
    const result = message.result instanceof SharingResult ? message.result.text() : toJson(message.result);
    return typeof result === 'string' ? `{"jsonrpc":"2.0","id":${textOf(message.id)},"result":${result}}` : result;
  }
  if (message instanceof OwnRequest || message instanceof SharingRequest) {
    const params = message instanceof OwnRequest ? toJson(message.params) : message.paramsText();
    if (typeof params !== 'string') return params;
    return `{"jsonrpc":"2.0","id":${textOf(message.id)}${methodText(message.method)}${params}}`;
  }
  return toJson(message);
}

function textOf(id: RequestId): string {
  return typeof id === 'number' ? idText(id) : JSON.stringify(id);
}

let lastMethod: string | undefined;
let lastMethodText = '';

/** The text between the id and the parameters, cached because most requests have the method of the one before. */
function methodText(method: string): string {
  if (method !== lastMethod) {
    lastMethodText = `,"method":${JSON.stringify(method)},"params":`;
    lastMethod = method;
  }
  return lastMethodText;
}
