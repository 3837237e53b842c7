// The calls of all instances of a node's endpoint: those in flight, those with an answer, and their limits.
// A call is identified by its reply subject and never runs twice. The reported state of an unanswered call holds in whatever order
// messages arrive: a request that arrives after its call was reported as unknown is refused. On one NATS server, an inquiry arrives
// after everything that its node sent before. In a cluster, after the node has connected to another server, that is not guaranteed.

import { type Clock, systemClock } from '../../../base/clock.ts';
import type { ClientIdentity } from '../../../mcp/service.ts';
import { InFlight } from '../../../wire/requests/in-flight.ts';
import { type CallState, toCaller } from '../call-protocol.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { PartsAssembler, type Payload, publishMessage } from '../parts.ts';
import { subjectsOf } from '../subjects.ts';
import { AnsweredCalls, type CallingNode, CallingNodes, type KeptLimits } from './calling-nodes.ts';
import type { NodeCall } from './node-call.ts';

export interface EndpointLimits extends KeptLimits {
  /** Limits of calls in flight: in all, and per node. */
  maxCalls: number;
  maxCallsPerNode: number;
  /** Limits of the bytes of the requests in flight. A single request is accepted whatever its size. */
  maxCallBytes: number;
  maxCallBytesPerNode: number;
  maxMessageBytes: number;
}

const MB = 1024 * 1024;

export const defaultEndpointLimits: Readonly<EndpointLimits> = {
  maxCalls: 20_000,
  maxCallsPerNode: 10_000,
  maxCallBytes: 256 * MB,
  maxCallBytesPerNode: 128 * MB,
  maxMessageBytes: 64 * MB,
  maxKept: 100_000,
  maxKeptChars: 64 * MB,
  keptMs: 120_000,
};

/** An inquiry whose call number is more than this above the highest known one is not recorded: it would make later requests fail. */
const MOST_AHEAD = 1_000_000;
const OLD = `${toCaller.refused}old The number of the call is not above the numbers of calls that this node has dropped`;
const LATE = `${toCaller.refused}moved The request arrived after this node had reported it as missing`;

export class EndpointCalls {
  readonly limits: EndpointLimits;
  readonly nodes: CallingNodes;
  readonly answered: AnsweredCalls;
  readonly assembler: PartsAssembler;
  readonly running = new InFlight<string, NodeCall>();
  onClientEnded: (client: ClientIdentity) => void = () => undefined;
  readonly #network: ClusterNetwork;
  readonly #sendingAgain = new Set<string>();
  #calls = 0;
  #bytes = 0;

  constructor(network: ClusterNetwork, limits: Partial<EndpointLimits> = {}, clock: Clock = systemClock) {
    this.limits = { ...defaultEndpointLimits, ...limits };
    this.#network = network;
    this.nodes = new CallingNodes(subjectsOf(network.fleet));
    this.answered = new AnsweredCalls(this.limits, clock, this.nodes);
    this.assembler = new PartsAssembler({ clock });
  }

  /** Returns a promise if too many bytes are unsent. It never rejects. */
  send(reply: string, payload: Payload): Promise<void> | undefined {
    try {
      return publishMessage(this.#network, reply, payload)?.catch(() => undefined);
    } catch {
      // The node has left the fleet. The calling nodes learn the outcome of their calls from its lease.
      return undefined;
    }
  }

  /** Returns true if the call is already known, so that the request must not run. A kept answer is sent again. */
  isKnown(caller: CallingNode, number: number, reply: string): boolean {
    if (this.running.get(reply)) return true;
    const answer = this.answered.get(reply);
    if (answer) this.#sendAgain(reply, answer);
    if (answer !== undefined) return true;
    if (number <= caller.forgotten) {
      void this.send(reply, OLD);
      return true;
    }
    if (number > caller.highest) caller.highest = number;
    return false;
  }

  whyBusy(caller: CallingNode, bytes: number): string | undefined {
    const { maxCalls, maxCallsPerNode, maxCallBytes, maxCallBytesPerNode } = this.limits;
    if (caller.calls >= maxCallsPerNode) return `${caller.calls} calls of node ${caller.name} are in flight here`;
    if (this.#calls >= maxCalls) return `${this.#calls} calls of other nodes are in flight here`;
    const isTooLong = caller.bytes > 0 && caller.bytes + bytes > maxCallBytesPerNode;
    if (isTooLong) return `calls of node ${caller.name} with ${caller.bytes} bytes are in flight here`;
    const isTooMuch = this.#bytes > 0 && this.#bytes + bytes > maxCallBytes;
    return isTooMuch ? `calls of other nodes with ${this.#bytes} bytes are in flight here` : undefined;
  }

  begun(call: NodeCall): void {
    this.running.add(call.reply, call);
    this.#count(call, 1);
  }

  over(call: NodeCall, answer: Payload | undefined): void {
    this.running.delete(call.reply);
    this.#count(call, -1);
    this.answered.add(call.caller, call.number, call.reply, answer);
  }

  inquire(reply: string): CallState {
    if (this.running.get(reply) || this.#sendingAgain.has(reply)) return 'running';
    const caller = this.nodes.of(reply);
    const number = caller ? caller.numberOf(reply) : Number.NaN;
    if (!caller || Number.isNaN(number)) return 'forgotten';
    const answer = this.answered.get(reply);
    if (answer === LATE) return 'unknown';
    if (answer) {
      this.#sendAgain(reply, answer);
      return 'answered';
    }
    if (answer !== undefined || number <= caller.forgotten || !caller.isComplete) return 'forgotten';
    if (number > caller.highest + MOST_AHEAD) return 'forgotten';
    this.assembler.forget(reply);
    this.answered.add(caller, number, reply, LATE);
    return 'unknown';
  }

  /** Must be called when a run of a node has ended: cancels its calls, and ends its clients. */
  runEnded(node: string, run: string): void {
    const callers = this.nodes.ofRun(node, run);
    if (callers.length === 0) return;
    for (const call of [...this.running.values()]) if (callers.includes(call.caller)) call.cancel();
    for (const client of callers.flatMap((caller) => caller.takeClients())) this.onClientEnded(client);
  }

  close(): void {
    this.answered.clear();
    this.assembler.clear();
  }

  /** Sends the answer again, one copy at a time: the parts of two copies must not be mixed. */
  #sendAgain(reply: string, answer: Payload): void {
    if (this.#sendingAgain.has(reply)) return;
    const sending = this.send(reply, answer);
    if (!sending) return;
    this.#sendingAgain.add(reply);
    void sending.then(() => this.#sendingAgain.delete(reply));
  }

  #count({ caller, bytes }: NodeCall, by: 1 | -1): void {
    this.#calls += by;
    this.#bytes += by * bytes;
    caller.calls += by;
    caller.bytes += by * bytes;
  }
}
