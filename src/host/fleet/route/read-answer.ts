// Parses a message from another node, within the limits of the server's entry.

import { DEFAULT_MAX_FRAME_VALUES } from '../../../base/count-json-values.ts';
import { fromRpcError } from '../../../base/error-json.ts';
import { PeerError, RpcError } from '../../../base/errors.ts';
import type { JsonRpcErrorResponse, JsonRpcMessage } from '../../../wire/jsonrpc/message.ts';
import { MessageFault, type ParseOptions, parseMessage } from '../../../wire/jsonrpc/parse.ts';

export class FleetAnswerReader {
  readonly maxFrameBytes: number;
  readonly #parsing: ParseOptions;

  constructor(maxFrameBytes: number, maxFrameValues = DEFAULT_MAX_FRAME_VALUES) {
    this.maxFrameBytes = maxFrameBytes;
    this.#parsing = { batches: false, arrayParams: false, maxFrameValues };
  }

  /** The message, or why it cannot be used. */
  read(method: string, text: string, bytes: number): JsonRpcMessage | PeerError {
    if (bytes > this.maxFrameBytes) {
      const message = `${bytes} bytes are over the limit of ${this.maxFrameBytes} bytes (maxFrameBytes)`;
      return unreadable('FRAME_TOO_LONG', method, message);
    }
    const parsed = parseMessage(text, this.#parsing);
    return parsed instanceof MessageFault
      ? unreadable(parsed.code, method, parsed.message)
      : (parsed as JsonRpcMessage);
  }
}

/** The error of the other node's host or of the server. */
export function errorIn({ error: { code, message, data } }: JsonRpcErrorResponse): Error {
  return fromRpcError(new RpcError(code, String(message), data)) as Error;
}

export function wrongId(method: string): PeerError {
  return new PeerError('MESSAGE_INVALID', `The answer to ${method} has the id of another request`);
}

function unreadable(code: PeerError['code'], method: string, why: string): PeerError {
  return new PeerError(code, `The answer to ${method} could not be read: ${why}`, {
    hint: 'Raise "maxFrameBytes" or "maxFrameValues" in the entry of the server, or ask for less.',
  });
}
