// Requests between nodes other than calls: the methods of `node-methods.ts`, sent to the subject of a node. Read-only methods have a
// separate subject, so that NATS permissions can limit programs to it.

import { decodeText } from '../../../base/decode-text.ts';
import { describeError, type ErrorDescription, errorFrom } from '../../../base/error-json.ts';
import { PeerError, RpcCode, RpcError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { requireJson } from '../../../base/to-json.ts';
import type { ControlMethod } from '../../control/control-methods.ts';
import type { ClusterNetwork, NodeMessage, Subscription } from '../cluster-network.ts';
import type { NodeMethod, NodeRequests } from '../node-methods.ts';
import { subjectsOf } from '../subjects.ts';

export type NodeHandlers = {
  readonly [M in NodeMethod]: (
    params: NodeRequests[M]['params'],
  ) => NodeRequests[M]['result'] | Promise<NodeRequests[M]['result']>;
};

type Answer = { result: unknown } | { error: ErrorDescription };

/** Limit of concurrent requests at each of the two subjects: those who may only look cannot keep nodes from being answered. */
const MOST_REQUESTS = 1000;

/** `mayAnswer` is false while another process has the name of the node and gets the same requests. */
export function answerNodeRequests(
  network: ClusterNetwork,
  node: string,
  handlers: NodeHandlers,
  mayAnswer: () => boolean = () => true,
): Subscription {
  const subjects = subjectsOf(network.fleet);
  const inboxes = subjects.inbox('');
  const answering = (mayChange: boolean) => {
    let running = 0;
    return async ({ data, reply }: NodeMessage) => {
      // The sender may not be permitted to publish at any other subject, and this node would do so on its behalf.
      if (!reply?.startsWith(inboxes) || !mayAnswer()) return;
      running++;
      const result = running > MOST_REQUESTS ? Promise.reject(tooMany()) : handle(handlers, data, mayChange);
      const text = await result
        .then(requireJson)
        .catch((error: unknown) => requireJson({ error: describeError(error) }));
      running--;
      const isTooLong = Buffer.byteLength(text) > network.maxBytes;
      publish(network, reply, isTooLong ? requireJson({ error: describeError(tooLong(text, network)) }) : text);
    };
  };
  const subscriptions = [
    network.subscribe(subjects.node(node), answering(true)),
    network.subscribe(subjects.look(node), answering(false)),
  ];
  return {
    async end() {
      await Promise.all(subscriptions.map((subscription) => subscription.end()));
    },
  };
}

/** Rejects with the error of the other node, with NOT_SENT if there is no such node, and with REQUEST_TIMEOUT after `timeoutMs`. */
export async function askNode<M extends NodeMethod>(
  network: ClusterNetwork,
  node: string,
  method: M,
  params: NodeRequests[M]['params'],
  timeoutMs: number,
): Promise<NodeRequests[M]['result']> {
  const { look, node: any } = subjectsOf(network.fleet);
  const subject = (changesNothing(method, params) ? look : any)(node);
  const answer = await network.request<Answer>(subject, { method, params }, timeoutMs);
  if ('error' in answer) throw errorFrom(answer.error);
  return answer.result as NodeRequests[M]['result'];
}

async function handle(handlers: NodeHandlers, data: Uint8Array, mayChange: boolean): Promise<Answer> {
  const { method, params } = read(decodeText(data));
  if (!Object.hasOwn(handlers, method)) {
    throw new RpcError(RpcCode.methodNotFound, `Nodes have no method ${JSON.stringify(method)}`);
  }
  if (!mayChange && !changesNothing(method, params)) {
    throw new RpcError(RpcCode.methodNotFound, `${method} is not answered at this subject: it can change something`);
  }
  return { result: await handlers[method as NodeMethod](params as never) };
}

const looking = new Set<string>(['standpipe/ping', 'standpipe/placement'] satisfies NodeMethod[]);
const lookingAtHost: readonly unknown[] = ['standpipe/status', 'standpipe/logs'] satisfies ControlMethod[];

/** True for methods of a host that only read. */
export function looksAtHost(method: unknown): boolean {
  return lookingAtHost.includes(method);
}

function changesNothing(method: string, params: object): boolean {
  const { method: ofHost } = params as { method?: unknown };
  return looking.has(method) || (method === 'standpipe/control' && looksAtHost(ofHost));
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

/** If this node has left the fleet meanwhile, the asking node runs into its timeout. */
function publish(network: ClusterNetwork, reply: string, text: string): void {
  try {
    void network.publish(reply, text)?.catch(() => undefined);
  } catch {
    // the connection is closed
  }
}

function tooMany(): RpcError {
  return new RpcError(RpcCode.serverBusy, `The node answers ${MOST_REQUESTS} requests of others already`, undefined, {
    hint: 'Send it again later.',
  });
}

function tooLong(text: string, { maxBytes }: ClusterNetwork): PeerError {
  const message = `The answer of the node has ${Buffer.byteLength(text)} bytes, and one message of NATS ${maxBytes} at most`;
  return new PeerError('FRAME_TOO_LONG', message, { hint: 'Ask for less, or raise max_payload of the NATS server.' });
}
