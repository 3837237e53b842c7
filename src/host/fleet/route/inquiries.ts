// Inquires about unanswered calls: once a second their nodes are asked, all calls of a node in one request. A call is given up only
// if its outcome can no longer be determined, and never while this node is disconnected.

import type { Timer } from '../../../base/clock.ts';
import { PeerError } from '../../../base/errors.ts';
import type { CallState } from '../call-protocol.ts';
import { askNode } from '../node/answer-node-requests.ts';
import { FIRST_INQUIRY_MS, type FleetCall } from './call.ts';
import type { FleetCalls } from './calls.ts';

const TICK_MS = 1_000;
/** Limit of the interval between inquiries about a running call, which doubles each time. */
const LAST_INQUIRY_MS = 5_000;
const ANSWER_MS = 3_000;
/** A node without a subscription may be reconnecting for this long. */
const NO_SUBSCRIBER_MS = 3_000;
/** Limit of calls in one request. The remaining calls follow with the next one. */
const MOST_CALLS = 1_000;

interface AskedNode {
  isAsked: boolean;
  /** Time since which the node has no subscription, and since which it does not answer. */
  absentSinceMs: number | undefined;
  silentSinceMs: number | undefined;
}

export class Inquiries {
  readonly #calls: FleetCalls;
  readonly #nodes = new Map<string, AskedNode>();
  #timer: Timer | undefined;
  #isOver = false;

  constructor(calls: FleetCalls) {
    this.#calls = calls;
  }

  begin(): void {
    if (this.#timer || this.#isOver) return;
    this.#timer = this.#calls.clock.after(TICK_MS, () => {
      this.#timer = undefined;
      if (this.#calls.size === 0) return this.#nodes.clear();
      this.begin();
      this.#ask();
    });
    this.#timer.keepAlive(false);
  }

  /** Asks at once about calls to instances that the table no longer has. */
  hurry(): void {
    const { table, clock } = this.#calls;
    const nowMs = clock.nowMs();
    let isNeeded = false;
    for (const call of this.#calls.values()) {
      if (call.askAtMs <= nowMs || call.askAtMs === Number.POSITIVE_INFINITY) continue;
      if (table.instancesOf(call.instance!.server).some(({ id }) => id === call.instance!.id)) continue;
      call.askAtMs = nowMs;
      isNeeded = true;
    }
    if (isNeeded) this.#ask();
  }

  askAll(): void {
    const nowMs = this.#calls.clock.nowMs();
    for (const call of this.#calls.values()) if (call.askAtMs !== Number.POSITIVE_INFINITY) call.askAtMs = nowMs;
    this.#ask();
  }

  end(): void {
    this.#isOver = true;
    this.#timer?.cancel();
  }

  #ask(): void {
    if (!this.#calls.network.isConnected) return this.#forgetAbsences();
    const nowMs = this.#calls.clock.nowMs();
    const byNode = new Map<string, FleetCall[]>();
    for (const call of this.#calls.values()) {
      if (call.askAtMs > nowMs) continue;
      const { node } = call.instance!;
      const calls = byNode.get(node);
      if (!calls) byNode.set(node, [call]);
      else if (calls.length < MOST_CALLS) calls.push(call);
    }
    for (const [node, calls] of byNode) void this.#askNode(node, calls);
  }

  async #askNode(node: string, calls: readonly FleetCall[]): Promise<void> {
    const asked = this.#nodes.get(node) ?? { isAsked: false, absentSinceMs: undefined, silentSinceMs: undefined };
    if (asked.isAsked) return;
    this.#nodes.set(node, asked);
    asked.isAsked = true;
    this.#calls.counts.inquiries++;
    const replies = calls.map(({ reply }) => reply);
    const { network } = this.#calls;
    try {
      const { run, states } = await askNode(network, node, 'standpipe/calls', { calls: replies }, ANSWER_MS);
      asked.absentSinceMs = undefined;
      asked.silentSinceMs = undefined;
      calls.forEach((call, at) => {
        // The call may have been answered, or sent again, in the meantime.
        if (call.reply === replies[at] && this.#calls.isOpen(call)) this.#became(call, run, states[at]);
      });
    } catch (error) {
      this.#unanswered(node, asked, error);
    } finally {
      asked.isAsked = false;
    }
  }

  #became(call: FleetCall, run: string, state: CallState | undefined): void {
    const { clock } = this.#calls;
    const { node } = call.instance!;
    switch (state) {
      case 'running':
        call.askAtMs = clock.nowMs() + call.askEveryMs;
        call.askEveryMs = Math.min(2 * call.askEveryMs, LAST_INQUIRY_MS);
        return;
      case 'answered':
        call.askAtMs = clock.nowMs() + FIRST_INQUIRY_MS;
        return;
      case 'unknown':
        if (run !== call.instance!.run) return this.#calls.giveUp(call, 'lost', `Node "${node}" was restarted`);
        return this.#calls.giveUp(call, 'not_run', `it did not arrive at node "${node}"`);
      case 'forgotten':
        return this.#calls.giveUp(call, 'lost', `Node "${node}" has answered it, and the answer was lost`);
      default:
        return this.#calls.giveUp(call, 'lost', `Node "${node}" does not know its outcome`);
    }
  }

  /** `error`: the node has no subscription, or did not answer. */
  #unanswered(node: string, asked: AskedNode, error: unknown): void {
    const { network, clock, table } = this.#calls;
    if (!network.isConnected) return this.#forgetAbsences();
    const nowMs = clock.nowMs();
    const isAbsent = error instanceof PeerError && error.code === 'NOT_SENT';
    asked.silentSinceMs ??= nowMs;
    asked.absentSinceMs = isAbsent ? (asked.absentSinceMs ?? nowMs) : undefined;
    const isGone = asked.absentSinceMs !== undefined && nowMs - asked.absentSinceMs >= NO_SUBSCRIBER_MS;
    const isSilent = nowMs - asked.silentSinceMs >= 2 * network.leases.lifetimeMs;
    const run = table.runOf(node);
    for (const call of [...this.#calls.values()]) {
      if (call.instance!.node !== node || call.askAtMs === Number.POSITIVE_INFINITY) continue;
      // Skips a call whose answer is arriving.
      if (isSilent && !isGone && call.askAtMs > nowMs) continue;
      if (isGone || isSilent || run !== call.instance!.run)
        this.#calls.giveUp(call, 'lost', `Node "${node}" has left the fleet or does not answer`);
    }
  }

  #forgetAbsences(): void {
    for (const asked of this.#nodes.values()) {
      asked.absentSinceMs = undefined;
      asked.silentSinceMs = undefined;
    }
  }
}
