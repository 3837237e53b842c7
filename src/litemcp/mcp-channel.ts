// An MCP transport at whose other end a LiteMCP server listens: the requests that both protocols have are translated on
// the wire itself. So the MCP client on top is the ordinary one, and a call that is lost with its server has the same code
// and the same evidence as any. It speaks the newest revision, which needs no session; LiteMCP has none.

import { type Evidence, PeerError, RpcCode, RpcError, toError } from '../base/errors.ts';
import type { Channel, InboundFault, Noise } from '../jsonrpc/channel.ts';
import { errorAnswer } from '../jsonrpc/inbound.ts';
import type { JsonRpcMessage, JsonRpcRequest, JsonRpcResponse, RequestId } from '../jsonrpc/message.ts';
import { SERVER_INFO } from '../mcp/meta.ts';
import { invalidParams, methodNotFound } from '../mcp/protocol-errors.ts';
import { type ModernRevision, NEWEST_MODERN } from '../mcp/revisions.ts';
import { toolError } from '../mcp/server/handler-results.ts';
import { SENT } from '../requests/pending-requests.ts';
import type { Wire } from '../transport/wire.ts';
import { AnswerReader, type AnswerSink, faultOf } from './answer-reader.ts';
import { readCallResult, textOf } from './call-result.ts';
import { envelope, type IOBasic } from './io-basic.ts';
import { toMcpResult } from './mcp-result.ts';
import { printToolCall, readTool } from './tool.ts';
import { serverInfoOf, type ToolAsMcp, toolAsMcp } from './tool-as-mcp.ts';

/** The one that a client of this channel is to be opened with. */
export const REVISION_SHOWN: ModernRevision = NEWEST_MODERN;

type Result = Record<string, unknown>;
/** The MCP methods that LiteMCP has a word for: `get`, `get` and `call`. */
type Question = 'server/discover' | 'tools/list' | 'tools/call';

export class LiteMcpChannel implements Channel {
  onmessage?: ((message: JsonRpcMessage) => void) | undefined;
  onfault?: ((fault: InboundFault) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** A line from the server that is no message. */
  onnoise?: ((noise: Noise) => void) | undefined;
  /** How many such lines there were. */
  noiseCount = 0;
  readonly #wire: Wire;
  readonly #reader: AnswerReader;
  /** What was asked under each id and may still be answered; what the client cancels is taken out. */
  readonly #asked = new Map<RequestId, Question>();
  #shown: ToolAsMcp | undefined;

  constructor(wire: Wire, maxFrameValues?: number) {
    this.#wire = wire;
    const sink: AnswerSink = {
      answer: (answer) => this.#answer(answer),
      unreadable: (fault) => this.#unreadable(fault),
      noise: (noise) => this.#noise(noise),
    };
    this.#reader = new AnswerReader(sink, maxFrameValues);
  }

  get closeError(): Error | undefined {
    return this.#wire.closeError;
  }

  get writes(): number {
    return this.#wire.writes;
  }

  evidence(): Evidence {
    return this.#wire.evidence();
  }

  start(): Promise<void> {
    return this.#wire.start({
      frames: this.#reader,
      error: (error) => this.onerror?.(error),
      closed: () => this.onclose?.(),
    });
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  send(message: JsonRpcMessage): Promise<void> {
    if (!('method' in message)) return SENT; // LiteMCP servers ask nothing
    if (!('id' in message)) {
      if (message.method === 'notifications/cancelled') this.#asked.delete(message.params?.requestId as RequestId);
      return SENT;
    }
    const { method } = message;
    if (method === 'tools/call') return this.#call(message);
    if (method === 'server/discover' || method === 'tools/list') return this.#ask(message.id, method, 'get', '{}');
    return this.#answerNow(errorAnswer(message.id, methodNotFound(method, 'LiteMCP has one tool and nothing else')));
  }

  #call({ id, params = {} }: JsonRpcRequest): Promise<void> {
    const { name, arguments: args = {} } = params as { name?: string; arguments?: Record<string, unknown> };
    const shown = this.#shown;
    if (!shown || name !== shown.definition.name) {
      return this.#answerNow(errorAnswer(id, invalidParams(`Unknown tool: ${name}`)));
    }
    const laidOut = shown.layOut(args);
    if ('problem' in laidOut) {
      const result = toolError(`Invalid arguments for tool ${name}: ${laidOut.problem}`);
      return this.#answerNow({ jsonrpc: '2.0', id, result: { ...result } });
    }
    return this.#ask(id, 'tools/call', 'call', printToolCall(shown.tool.name, laidOut.arguments));
  }

  /** The client counts its requests, and so the number of one is also an id that LiteMCP takes. */
  #ask(id: RequestId, question: Question, type: 'get' | 'call', json: string): Promise<void> {
    this.#asked.set(id, question);
    return this.#wire.send(envelope(id as number, type, json));
  }

  /** In a turn of its own: nobody expects the answer before he has sent. */
  #answerNow(answer: JsonRpcResponse): Promise<void> {
    queueMicrotask(() => this.#deliver(answer));
    return SENT;
  }

  #answer(answer: IOBasic): void {
    this.#wire.phase = 'running';
    const id = typeof answer.id === 'number' ? answer.id : String(answer.id);
    const question = this.#asked.get(id);
    this.#asked.delete(id);
    try {
      // An answer that nobody waits for any more is the client's to count.
      const result = question === undefined ? {} : this.#resultOf(question, answer);
      this.#deliver({ jsonrpc: '2.0', id, result });
    } catch (error) {
      if (error instanceof RpcError) this.#deliver(errorAnswer(id, error));
      else this.#fault(faultOf({ problem: toError(error).message, id: answer.id }, 'MESSAGE_INVALID', NOWHERE));
    }
  }

  #resultOf(question: Question, { type, data }: IOBasic): Result {
    const isCall = question === 'tools/call';
    if (type !== (isCall ? 'result' : 'info')) throw wrongAnswer(type, data);
    if (isCall) return { ...toMcpResult(readCallResult(data).response) };
    this.#shown = toolAsMcp(readTool(data));
    const { tool, definition } = this.#shown;
    if (question === 'tools/list') return { tools: [definition] };
    const _meta = { [SERVER_INFO]: serverInfoOf(tool) };
    return { supportedVersions: [REVISION_SHOWN], capabilities: { tools: {} }, _meta };
  }

  #unreadable(fault: InboundFault): void {
    if (fault.id !== undefined) this.#asked.delete(fault.id);
    this.#fault(fault);
  }

  #fault(fault: InboundFault): void {
    this.#guard(() => this.onfault?.(fault));
  }

  #noise(noise: Noise): void {
    this.#wire.firstNoise ??= noise.text;
    this.noiseCount++;
    this.#guard(() => this.onnoise?.(noise));
  }

  #deliver(answer: JsonRpcResponse): void {
    this.#guard(() => this.onmessage?.(answer));
  }

  #guard(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.onerror?.(toError(error));
    }
  }
}

/** The message itself could be read: what is wrong is what it says. */
const NOWHERE = { offset: 0, length: 0 };

/** A server that refuses a `get` has only a `result` to say so with. */
function wrongAnswer(type: string, data: unknown): Error {
  if (type !== 'result') return new PeerError('MESSAGE_INVALID', `it is of type "${type}"`);
  return new RpcError(RpcCode.internalError, `The server refused: ${textOf(readCallResult(data).response)}`);
}
