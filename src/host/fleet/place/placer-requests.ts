// Carries out the actions of plans by requests to nodes: at most 256 at a time, and 4 per node, so that an unresponsive node does not
// delay the others. Requests that are unsent when the next plan arrives are left to that plan.

import type { Clock } from '../../../base/clock.ts';
import { StandpipeError, toError } from '../../../base/errors.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { askNode } from '../node/answer-node-requests.ts';
import type { PlaceRefusal } from '../node-methods.ts';
import type { PlacerAttempts, SlotAction } from './placer-attempts.ts';
import type { Action } from './plan.ts';

export interface PlacerRequestsOptions {
  attempts: PlacerAttempts;
  clock: Clock;
  /** Revision of a server's record. */
  configOf: (server: string) => number;
  mayAct: () => boolean;
  /** Called when a request was answered or has failed. */
  onDone: () => void;
  note: (text: string) => void;
}

/** Limits of pending requests. */
const MOST_REQUESTS = 256;
const MOST_REQUESTS_OF_NODE = 4;

export class PlacerRequests {
  readonly #network: ClusterNetwork;
  readonly #options: PlacerRequestsOptions;
  /** Waiting actions, by node. */
  #queues = new Map<string, Action[]>();
  readonly #underWay = new Map<string, number>();
  #requests = 0;

  constructor(network: ClusterNetwork, options: PlacerRequestsOptions) {
    this.#network = network;
    this.#options = options;
  }

  /** Replaces the waiting actions. */
  carryOut(actions: readonly Action[]): void {
    const { attempts, clock } = this.#options;
    const nowMs = clock.nowMs();
    this.#queues = new Map();
    for (const action of actions) {
      if (action.kind !== 'forget' && attempts.isAsked(action, nowMs)) continue;
      const queue = this.#queues.get(action.node);
      if (queue) queue.push(action);
      else this.#queues.set(action.node, [action]);
    }
    this.#send();
  }

  #send(): void {
    if (!this.#options.mayAct()) return;
    for (const [node, queue] of this.#queues) {
      while (queue.length > 0 && (this.#underWay.get(node) ?? 0) < MOST_REQUESTS_OF_NODE) {
        if (this.#requests >= MOST_REQUESTS) return;
        void this.#begin(queue.shift()!);
      }
      if (queue.length === 0) this.#queues.delete(node);
    }
  }

  async #begin(action: Action): Promise<void> {
    const { node } = action;
    this.#requests++;
    this.#underWay.set(node, (this.#underWay.get(node) ?? 0) + 1);
    if (action.kind === 'forget') await this.#forget(node, action.revision);
    else await this.#ask(action);
    this.#requests--;
    const left = this.#underWay.get(node)! - 1;
    if (left > 0) this.#underWay.set(node, left);
    else this.#underWay.delete(node);
    this.#options.onDone();
    this.#send();
  }

  async #forget(node: string, revision: number): Promise<void> {
    try {
      await this.#network.directory.nodes.remove(node, revision);
    } catch (error) {
      this.#options.note(`The record of node ${node} cannot be removed: ${toError(error).message}`);
    }
  }

  async #ask(action: SlotAction): Promise<void> {
    const { attempts, clock, configOf } = this.#options;
    const config = configOf(action.server);
    attempts.began(action);
    try {
      const refused = await this.#request(action);
      if (refused === undefined) attempts.accepted(action, clock.nowMs());
      else attempts.refused(action, refused, config, clock.nowMs());
    } catch (error) {
      const code = error instanceof StandpipeError ? error.code : undefined;
      if (code === 'NOT_SENT' || code === 'REQUEST_TIMEOUT') attempts.unanswered(action, clock.nowMs());
      else attempts.refused(action, { refused: toError(error).message }, config, clock.nowMs());
    }
  }

  /** Resolves to the refusal, or to undefined if the node accepts. */
  async #request(action: SlotAction): Promise<PlaceRefusal | undefined> {
    const { kind, server, slot, node } = action;
    const timeoutMs = this.#network.leases.lifetimeMs / 2;
    if (kind === 'place') {
      const params = { server, slot, revision: action.revision };
      const answer = await askNode(this.#network, node, 'standpipe/place', params, timeoutMs);
      return 'refused' in answer ? answer : undefined;
    }
    const { generation } = action;
    if (kind === 'renew') {
      await askNode(this.#network, node, 'standpipe/renew', { server, slot, generation }, timeoutMs);
    } else {
      const params = { server, slot, generation, reason: action.reason };
      await askNode(this.#network, node, 'standpipe/release', params, timeoutMs);
    }
    return undefined;
  }
}
