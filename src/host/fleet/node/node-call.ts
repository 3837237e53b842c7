// One call of another node. Its notifications and its answer go to its reply subject, in order.

import { extendRan } from '../../../base/error-json.ts';
import type { ProcessIdentity, UsageError } from '../../../base/errors.ts';
import { metaOf } from '../../../base/json-object.ts';
import type { SingleReply } from '../../../mcp/adapter/single-request.ts';
import { RAN } from '../../../mcp/meta.ts';
import type { Meta } from '../../../mcp/types.ts';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../../../wire/jsonrpc/message.ts';
import { messageText } from '../../../wire/jsonrpc/message-text.ts';
import { type Hops, toCaller, wallMs } from '../call-protocol.ts';
import { type Payload, payloadOf } from '../parts.ts';
import type { CallingNode } from './calling-nodes.ts';
import type { Where } from './local-calls.ts';

export interface NodeCallOwner {
  readonly where: Where;
  /** Returns a promise if the next message has to wait. It never rejects. */
  sendTo(call: NodeCall, payload: Payload): Promise<void> | undefined;
  /** Called when the answer was sent, or the call was cancelled (`undefined`), and nothing is pending. */
  over(call: NodeCall, answer: Payload | undefined): void;
}

export class NodeCall implements SingleReply {
  onfull: ((isFull: boolean) => void) | undefined;
  onclose: (() => void) | undefined;
  readonly clientStays = true;
  readonly reply: string;
  readonly number: number;
  readonly caller: CallingNode;
  readonly bytes: number;
  /** True for a subscription, which ends only when it is cancelled. */
  readonly listens: boolean;
  readonly #owner: NodeCallOwner;
  /** Time of arrival, if the call is traced. */
  readonly #receivedMs: number | undefined;
  /** True if the result names the process that answered although the caller did not ask for it. */
  readonly #hidesRan: boolean = false;
  #sending: Promise<void> | undefined;
  #answer: Payload | undefined;
  #isOver = false;

  constructor(
    owner: NodeCallOwner,
    caller: CallingNode,
    { reply, number, bytes }: Pick<NodeCall, 'reply' | 'number' | 'bytes'>,
    request: JsonRpcRequest,
    receivedMs: number | undefined,
  ) {
    this.#owner = owner;
    this.caller = caller;
    this.reply = reply;
    this.number = number;
    this.bytes = bytes;
    this.listens = request.method === 'subscriptions/listen';
    this.#receivedMs = receivedMs;
    if (receivedMs === undefined) return;
    const meta = request.params!._meta as Meta;
    this.#hidesRan = meta[RAN] !== true;
    meta[RAN] = true;
  }

  notify(message: JsonRpcNotification): boolean {
    const text = messageText(message);
    if (typeof text === 'string' && !this.#isOver) this.#send(text);
    return true;
  }

  answer(message: JsonRpcResponse): UsageError | undefined {
    if (this.#isOver) return undefined;
    const ran = 'error' in message ? extendRan(message.error.data, this.#owner.where) : this.#ranOf(message.result);
    const text = messageText(message);
    if (typeof text !== 'string') return text;
    if (this.#receivedMs !== undefined)
      this.#send(`${toCaller.hops}${JSON.stringify(this.#hops(this.#receivedMs, ran))}`);
    this.#isOver = true;
    const payload = payloadOf(text);
    this.#send(payload);
    if (this.#sending) this.#answer = payload;
    else this.#owner.over(this, payload);
    return undefined;
  }

  /** Called when the endpoint closes. The call already has its answer. */
  end(): void {
    this.onclose?.();
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onclose?.();
    if (!this.#sending) this.#owner.over(this, undefined);
  }

  #send(payload: Payload): void {
    const sending = this.#sending
      ? this.#sending.then(() => this.#owner.sendTo(this, payload))
      : this.#owner.sendTo(this, payload);
    if (!sending) return;
    if (!this.#sending) this.onfull?.(true);
    this.#sending = sending;
    void sending.then(() => {
      if (this.#sending !== sending) return;
      this.#sending = undefined;
      if (this.#isOver) this.#owner.over(this, this.#answer);
      else this.onfull?.(false);
    });
  }

  #ranOf(result: Record<string, unknown>): ProcessIdentity | undefined {
    const meta = metaOf(result);
    const ran = meta?.[RAN] as ProcessIdentity | undefined;
    if (!meta || !ran) return undefined;
    if (this.#hidesRan) delete meta[RAN];
    else meta[RAN] = { ...ran, ...this.#owner.where };
    return ran;
  }

  #hops(receivedMs: number, ran: ProcessIdentity | undefined): Hops {
    const { node, claim: generation } = this.#owner.where;
    return { node: node!, generation, pid: ran?.pid ?? null, life: ran?.generation, receivedMs, answeredMs: wallMs() };
  }
}
