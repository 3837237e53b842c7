// Reads frames and emits messages. Decides between stray output and faults: on a child's stdout, input that is not
// JSON-RPC is stray output; on a server's stdin the same bytes are a fault and are answered, because programs do not
// write there by accident.

import { DEFAULT_MAX_FRAME_VALUES, heldBytes, valuesOf } from '../../base/count-json-values.ts';
import { decodeText } from '../../base/decode-text.ts';
import { RpcCode } from '../../base/errors.ts';
import { firstChars } from '../../base/first-chars.ts';
import type { Noise } from '../../base/noise.ts';
import type { InboundFault } from './channel.ts';
import { ChunkText } from './chunk-text.ts';
import type { JsonRpcMessage } from './message.ts';
import { MessageFault, type Parsed, type ParseOptions, parseMessage } from './parse.ts';
import { traceMessage } from './recover-id.ts';

const PREFIX_CHARS = 1024;

/** The report of a frame decoder about bytes that did not become a frame. */
export interface BadFrame {
  code: 'FRAME_TOO_LONG' | 'FRAME_TRUNCATED' | 'FRAME_LENGTH_INVALID';
  offset: number;
  length: number;
  prefix: Uint8Array;
}

export interface MessageSink {
  /**
   * `frameBytes` is the length of the frame; for a request or notification, the estimated memory of the parsed object
   * if that is more.
   */
  message(message: JsonRpcMessage, frameBytes: number): void;
  batch(messages: JsonRpcMessage[], faults: InboundFault[], frameBytes: number): void;
  fault(fault: InboundFault): void;
  noise(noise: Noise): void;
}

export interface MessageReaderOptions {
  maxFrameBytes: number;
  maxFrameValues?: number;
  /** Whether text that is not JSON-RPC is expected on this pipe (a child's stdout) or a fault (our stdin). */
  toleratesNoise: boolean;
}

export class MessageReader implements ParseOptions {
  /** Among the MCP revisions, only 2025-03-26 has batches. */
  batches = false;
  arrayParams = false;
  readonly maxFrameValues: number;
  #sink: MessageSink;
  readonly #texts = new ChunkText();
  #toleratesNoise: boolean;
  #maxFrameBytes: number;

  constructor(options: MessageReaderOptions, sink: MessageSink) {
    this.#sink = sink;
    this.#toleratesNoise = options.toleratesNoise;
    this.#maxFrameBytes = options.maxFrameBytes;
    this.maxFrameValues = options.maxFrameValues ?? DEFAULT_MAX_FRAME_VALUES;
  }

  frame(bytes: Uint8Array, offset: number): void {
    this.span(bytes, 0, bytes.length, offset);
  }

  span(chunk: Uint8Array, start: number, end: number, offset: number): void {
    const length = end - start;
    // This is checked first, because an exception for each line would make a flood of text expensive.
    if (this.#toleratesNoise && !startsLikeJson(chunk[start])) {
      return this.#noise(decodeText(chunk, start, end), offset, length);
    }
    const text = this.#texts.of(chunk, start, end);
    const parsed = parseMessage(text, this);
    if (parsed instanceof MessageFault) this.#notAMessage(parsed, decodeText(chunk, start, end), offset, length);
    else if (Array.isArray(parsed)) this.#batch(parsed, chunk, start, end, offset);
    else this.#sink.message(parsed, 'method' in parsed ? heldBytes(length, valuesOf(text)) : length);
  }

  fault(frame: BadFrame): void {
    const prefix = decodeText(frame.prefix);
    const traces = traceMessage(prefix);
    if (this.#toleratesNoise && !traces.isJsonRpc && frame.code !== 'FRAME_TOO_LONG') {
      this.#sink.noise({ offset: frame.offset, length: frame.length, text: prefix });
      return;
    }
    this.#sink.fault({
      code: frame.code,
      rpcCode: frame.code === 'FRAME_TRUNCATED' ? RpcCode.parseError : RpcCode.invalidRequest,
      message: this.#explain(frame),
      id: traces.id,
      isResponse: traces.isResponse,
      offset: frame.offset,
      length: frame.length,
      prefix,
    });
  }

  #explain(frame: { code: string; length: number }): string {
    switch (frame.code) {
      case 'FRAME_TOO_LONG':
        return `Message of ${frame.length} bytes is over the limit of ${this.#maxFrameBytes} bytes (maxFrameBytes)`;
      case 'FRAME_TRUNCATED':
        return `The stream ended inside a message, after ${frame.length} bytes`;
      default:
        return `${frame.length} bytes where the length of a frame is expected`;
    }
  }

  #batch(
    entries: (JsonRpcMessage | MessageFault)[],
    chunk: Uint8Array,
    start: number,
    end: number,
    offset: number,
  ): void {
    const length = end - start;
    const messages: JsonRpcMessage[] = [];
    const faults: InboundFault[] = [];
    let text: string | undefined;
    for (const entry of entries) {
      if (entry instanceof MessageFault) {
        text ??= decodeText(chunk, start, end);
        faults.push(describe(entry, text, offset, length));
      } else messages.push(entry);
    }
    this.#sink.batch(messages, faults, length);
  }

  #notAMessage(fault: MessageFault, text: string, offset: number, length: number): void {
    if (!this.#toleratesNoise || fault.isJsonRpc) this.#sink.fault(describe(fault, text, offset, length));
    else this.#noise(text, offset, length);
  }

  #noise(text: string, offset: number, length: number): void {
    const rescued = rescueMessage(text, this);
    const noise = rescued ? rescued.noise : text;
    this.#sink.noise({
      offset,
      length: rescued ? new TextEncoder().encode(noise).length : length,
      text: firstChars(noise, PREFIX_CHARS, text),
    });
    if (rescued) this.#sink.message(rescued.message, length);
  }
}

/** `{` or `[`, or white space that may precede them. */
function startsLikeJson(byte: number | undefined): boolean {
  return byte === 0x7b || byte === 0x5b || byte === 0x20 || byte === 0x09;
}

function describe(fault: MessageFault, text: string, offset: number, length: number): InboundFault {
  const { code, rpcCode, message, id, isResponse } = fault;
  return {
    code,
    rpcCode,
    message,
    id,
    isResponse,
    offset,
    length,
    prefix: firstChars(text, PREFIX_CHARS),
  };
}

/**
 * Handles `Loading… {"jsonrpc":…}`: text printed without a newline before a whole message. Only answers are recovered:
 * a line such as `Received: {"jsonrpc":…,"method":…}` logs a message that we sent and must not be taken for a request.
 */
function rescueMessage(text: string, options: ParseOptions): { noise: string; message: JsonRpcMessage } | undefined {
  const start = text.indexOf('{"jsonrpc"', 1);
  if (start === -1) return undefined;
  const parsed: Parsed = parseMessage(text.slice(start), options);
  if (parsed instanceof MessageFault || Array.isArray(parsed) || 'method' in parsed) return undefined;
  return { noise: text.slice(0, start), message: parsed };
}
