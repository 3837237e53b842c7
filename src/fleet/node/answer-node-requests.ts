// Requests between nodes beside calls: the methods of `node-methods.ts`, asked at the subject of a node.

import { decodeText } from '../../base/decode-text.ts';
import { describeError, type ErrorDescription, errorFrom } from '../../base/error-json.ts';
import { PeerError, RpcCode, RpcError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import { requireJson } from '../../base/to-json.ts';
import type { Fabric, Message, Subscription } from '../fabric.ts';
import type { NodeMethod, NodeRequests } from '../node-methods.ts';
import { subjectsOf } from '../subjects.ts';

export type NodeHandlers = {
  readonly [M in NodeMethod]: (
    params: NodeRequests[M]['params'],
  ) => NodeRequests[M]['result'] | Promise<NodeRequests[M]['result']>;
};

type Answer = { result: unknown } | { error: ErrorDescription };

/** At a time. */
const MOST_REQUESTS = 1000;

/** `mayAnswer`: not while another process has the name of the node, which gets the same requests. */
export function answerNodeRequests(
  fabric: Fabric,
  node: string,
  handlers: NodeHandlers,
  mayAnswer: () => boolean = () => true,
): Subscription {
  let running = 0;
  return fabric.subscribe(subjectsOf(fabric.fleet).node(node), async ({ data, reply }: Message) => {
    if (reply === undefined || !mayAnswer()) return;
    running++;
    const result = running > MOST_REQUESTS ? Promise.reject(tooMany()) : handle(handlers, data);
    const text = await result.then(requireJson).catch((error: unknown) => requireJson({ error: describeError(error) }));
    running--;
    const isTooLong = Buffer.byteLength(text) > fabric.maxBytes;
    publish(fabric, reply, isTooLong ? requireJson({ error: describeError(tooLong(text, fabric)) }) : text);
  });
}

/** Rejects with the error of the other node, with NOT_SENT if there is no such node, and with REQUEST_TIMEOUT after the time. */
export async function askNode<M extends NodeMethod>(
  fabric: Fabric,
  node: string,
  method: M,
  params: NodeRequests[M]['params'],
  timeoutMs: number,
): Promise<NodeRequests[M]['result']> {
  const answer = await fabric.request<Answer>(subjectsOf(fabric.fleet).node(node), { method, params }, timeoutMs);
  if ('error' in answer) throw errorFrom(answer.error);
  return answer.result as NodeRequests[M]['result'];
}

async function handle(handlers: NodeHandlers, data: Uint8Array): Promise<Answer> {
  const { method, params } = read(decodeText(data));
  if (!Object.hasOwn(handlers, method)) {
    throw new RpcError(RpcCode.methodNotFound, `Nodes have no method ${JSON.stringify(method)}`);
  }
  return { result: await handlers[method as NodeMethod](params as never) };
}

function read(text: string): { method: string; params: object } {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    throw new RpcError(RpcCode.parseError, 'A request to a node must be JSON');
  }
  if (isObject(request) && typeof request.method === 'string' && isObject(request.params)) {
    return { method: request.method, params: request.params };
  }
  throw new RpcError(RpcCode.invalidRequest, 'A request to a node needs "method", a string, and "params", an object');
}

/** The node that asked learns by its timeout if this one has left the fleet meanwhile. */
function publish(fabric: Fabric, reply: string, text: string): void {
  try {
    void fabric.publish(reply, text)?.catch(() => undefined);
  } catch {
    // the connection is closed
  }
}

function tooMany(): RpcError {
  return new RpcError(RpcCode.serverBusy, `The node answers ${MOST_REQUESTS} requests of others already`, undefined, {
    hint: 'Send it again later.',
  });
}

function tooLong(text: string, { maxBytes }: Fabric): PeerError {
  const message = `The answer of the node has ${Buffer.byteLength(text)} bytes, and one message of NATS ${maxBytes} at most`;
  return new PeerError('FRAME_TOO_LONG', message, { hint: 'Ask for less, or raise max_payload of the NATS server.' });
}
