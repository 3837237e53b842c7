// Requests between nodes other than calls, sent to the subject of a node: `{method, params}` is answered with `{result}` or `{error}`, an
// `ErrorDescription`. Read-only methods have a separate subject, so that NATS permissions can limit programs to it.

import { decodeText } from '../../../base/decode-text.ts';
import { describeError, type ErrorDescription, errorFrom } from '../../../base/error-json.ts';
import { PeerError, RpcCode, RpcError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { requireJson } from '../../../base/to-json.ts';
import type { ControlMethod, ControlResults } from '../../control/control-methods.ts';
import type { CallState } from '../call-protocol.ts';
import type { ClusterNetwork, NodeMessage, Subscription } from '../cluster-network.ts';
import type { WaitingSlot } from '../place/plan.ts';
import type { QuotaAsk, QuotaGrant } from '../quotas/quota-home.ts';
import { subjectsOf } from '../subjects.ts';

export interface PlaceRefusal {
  refused: string;
  /** True if the node cannot run the server with its current entry. Otherwise the reason may be temporary. */
  isUnfit?: boolean;
}

export interface NodeRequests {
  /** Reads the node's wall clock, to measure its offset. */
  'standpipe/ping': { params: Record<string, never>; result: { session: string; nowMs: number } };
  /** Claims a slot, if its claim still has this revision (0: there is none), and runs the server. Answered when the claim is made. */
  'standpipe/place': {
    params: { server: string; slot: number; revision: number };
    result: { generation: number } | PlaceRefusal;
  };
  /** Ends the process of a slot and gives the slot back. The answer is sent at once; the claim shows when the process has ended. */
  'standpipe/release': {
    params: { server: string; slot: number; generation: number; reason: string };
    result: Record<string, never>;
  };
  /** Runs the server with its changed record. Answered at once; the claim shows when the new process is ready or has failed. */
  'standpipe/renew': { params: { server: string; slot: number; generation: number }; result: Record<string, never> };
  /** The placing node answers why slots run nowhere, or cannot leave a drained node. */
  'standpipe/placement': { params: Record<string, never>; result: { waiting: readonly WaitingSlot[] } };
  /** States of calls, given by their reply subjects. `run`: `runOf` the node. Another run has no record of these calls. */
  'standpipe/calls': { params: { calls: string[] }; result: { run: string; states: CallState[] } };
  /** Shares of a principal's quotas, from the gateway that grants them. */
  'standpipe/quota': { params: QuotaAsk; result: QuotaGrant };
  /** A control method of the node's host (`status`, `logs`, `restart`, …). */
  'standpipe/control': { params: { method: ControlMethod; params: object }; result: ControlResults[ControlMethod] };
}

export type NodeMethod = keyof NodeRequests;

export type NodeHandlers = {
  readonly [M in NodeMethod]: (
    params: NodeRequests[M]['params'],
  ) => NodeRequests[M]['result'] | Promise<NodeRequests[M]['result']>;
};

type Answer = { result: unknown } | { error: ErrorDescription };

/** Limit of concurrent requests at each of the two subjects, so that read-only requests cannot block the others. */
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
      // Any other reply subject is ignored: a sender could use this node to publish where NATS does not permit it to.
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

const reading: readonly string[] = ['standpipe/ping', 'standpipe/placement'] satisfies NodeMethod[];
const readingHost: readonly unknown[] = ['standpipe/status', 'standpipe/logs'] satisfies ControlMethod[];

function changesNothing(method: string, params: object): boolean {
  const { method: ofHost } = params as { method?: unknown };
  return reading.includes(method) || (method === 'standpipe/control' && readingHost.includes(ofHost));
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

/** If this node has left the fleet in the meantime, the asking node runs into its timeout. */
function publish(network: ClusterNetwork, reply: string, text: string): void {
  try {
    void network.publish(reply, text)?.catch(() => undefined);
  } catch {
    // the connection is closed
  }
}

function tooMany(): RpcError {
  return new RpcError(
    RpcCode.serverBusy,
    `The node already handles ${MOST_REQUESTS} requests from other nodes`,
    undefined,
    {
      hint: 'Send the request again later.',
    },
  );
}

function tooLong(text: string, { maxBytes }: ClusterNetwork): PeerError {
  const message = `The answer of the node has ${Buffer.byteLength(text)} bytes; a NATS message may have at most ${maxBytes}`;
  return new PeerError('FRAME_TOO_LONG', message, { hint: 'Request less, or raise max_payload of the NATS server.' });
}

/** Limit for methods that only read: a host answers them at once, unless the node hangs. */
const KNOWN_MS = 3_000;
/** Limit for all other methods: a restart takes as long as the start of the server. */
const DONE_MS = 60_000;

export async function controlNode<M extends ControlMethod>(
  network: ClusterNetwork,
  node: string,
  method: M,
  params: object,
  timeoutMs?: number,
): Promise<ControlResults[M]> {
  const waitMs = timeoutMs ?? (readingHost.includes(method) ? KNOWN_MS : DONE_MS);
  try {
    const asked = await askNode(network, node, 'standpipe/control', { method, params }, waitMs);
    return asked as ControlResults[M];
  } catch (error) {
    throw explained(error, network, node, waitMs);
  }
}

/** Rewrites the error for the command line: it names the node instead of its subject. */
function explained(error: unknown, { isConnected }: ClusterNetwork, node: string, waitMs: number): unknown {
  if (!(error instanceof PeerError)) return error;
  const hint = `\`${ownCommand} ls --fleet\` shows the nodes that are alive.`;
  if (error.code === 'REQUEST_TIMEOUT')
    return new PeerError(error.code, `Node "${node}" did not answer within ${waitMs} ms`, { hint, cause: error });
  if (error.code !== 'NOT_SENT' || error.evidence) return error;
  const why = isConnected ? 'it is not connected to NATS' : 'there is no connection to NATS';
  return new PeerError(error.code, `Node "${node}" cannot be reached: ${why}`, { hint, cause: error });
}
