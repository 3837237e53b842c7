// Tracks the placer's requests to nodes and their outcomes. A slot has one request at a time, a request is not repeated before its
// effect can be seen, and a node that refuses or does not answer is left out for a time.

import type { Clock } from '../../../base/clock.ts';
import { StandpipeError, toError } from '../../../base/errors.ts';
import type { ClaimRecord, ClusterNetwork } from '../cluster-network.ts';
import { askNode, type PlaceRefusal as NodeRefusal, type PlaceRefusal } from '../node/answer-node-requests.ts';
import { keyOfServer, keyOfSlot } from '../subjects.ts';
import type { Action, Attempts, FleetView } from './plan.ts';

export type SlotAction = Exclude<Action, { kind: 'forget' }>;

/** How long the effect of a request may take to become visible before it is repeated. Releases and renewals wait for calls to end. */
const REPEAT_MS = { place: 2_000, release: 10_000, renew: 30_000 };
/** Delay after a refusal; doubles with each. */
const REFUSAL_MS = { first: 500, most: 60_000 };
const SILENT_MS = 3_000;

interface Asked {
  action: SlotAction;
  /** Infinity while the request is pending. */
  untilMs: number;
}

interface Refusal {
  reason: string;
  isUnfit: boolean;
  config: number;
  waitMs: number;
  untilMs: number;
}

export class PlacerAttempts {
  readonly #asked = new Map<string, Asked>();
  /** Refusals by server key, then by node. */
  readonly #refusals = new Map<string, Map<string, Refusal>>();
  readonly #silent = new Map<string, number>();

  /** Whether the same request is pending, or so recent that its effect may not be visible yet. */
  isAsked(action: SlotAction, nowMs: number): boolean {
    const asked = this.#asked.get(keyOfSlot(action.server, action.slot));
    if (!asked) return false;
    if (asked.untilMs === Number.POSITIVE_INFINITY) return true;
    return asked.untilMs > nowMs && isSame(asked.action, action);
  }

  began(action: SlotAction): void {
    this.#asked.set(keyOfSlot(action.server, action.slot), { action, untilMs: Number.POSITIVE_INFINITY });
  }

  accepted(action: SlotAction, nowMs: number): void {
    const key = keyOfSlot(action.server, action.slot);
    if (this.#asked.get(key)?.action === action) {
      this.#asked.set(key, { action, untilMs: nowMs + REPEAT_MS[action.kind] });
    }
    this.#silent.delete(action.node);
  }

  refused(action: SlotAction, { refused: reason, isUnfit = false }: NodeRefusal, config: number, nowMs: number): void {
    const key = keyOfServer(action.server);
    const ofServer = this.#refusals.get(key) ?? new Map<string, Refusal>();
    const before = ofServer.get(action.node);
    const isAgain = before !== undefined && before.config === config;
    const waitMs = isAgain ? Math.min(2 * before.waitMs, REFUSAL_MS.most) : REFUSAL_MS.first;
    ofServer.set(action.node, { reason, isUnfit, config, waitMs, untilMs: nowMs + waitMs });
    this.#refusals.set(key, ofServer);
    this.#notDone(action, nowMs + waitMs);
  }

  unanswered(action: SlotAction, nowMs: number): void {
    this.#notDone(action, nowMs + SILENT_MS);
    this.#silent.set(action.node, nowMs + SILENT_MS);
  }

  /** The claim of the slot has changed: the request was carried out or is outdated. */
  claimChanged(key: string, held: ClaimRecord | undefined): void {
    this.#asked.delete(key);
    if (held) this.#refusals.get(keyOfServer(held.server))?.delete(held.node);
  }

  /** Returns the active attempts and drops expired ones. `nextMs` is the time of the next expiry. */
  at(nowMs: number, { servers, nodes }: FleetView): Attempts & { nextMs: number } {
    const attempts = {
      placing: new Map<string, Map<number, string>>(),
      refusals: new Map<string, Map<string, string>>(),
      unfit: new Map<string, Map<string, string>>(),
      silent: new Set<string>(),
      nextMs: Number.POSITIVE_INFINITY,
    };
    const isOver = (untilMs: number) => {
      if (untilMs <= nowMs) return true;
      attempts.nextMs = Math.min(attempts.nextMs, untilMs);
      return false;
    };
    for (const [key, { action, untilMs }] of this.#asked) {
      if (isOver(untilMs)) this.#asked.delete(key);
      else if (action.kind === 'place')
        nested(attempts.placing, keyOfServer(action.server)).set(action.slot, action.node);
    }
    for (const [key, ofServer] of this.#refusals) {
      for (const [node, { config, reason, isUnfit, untilMs }] of ofServer) {
        if (servers.get(key)?.revision !== config || !nodes.has(node)) {
          ofServer.delete(node);
          continue;
        }
        if (isUnfit) nested(attempts.unfit, key).set(node, reason);
        if (!isOver(untilMs)) nested(attempts.refusals, key).set(node, reason);
      }
      if (ofServer.size === 0) this.#refusals.delete(key);
    }
    for (const [node, untilMs] of this.#silent) {
      if (isOver(untilMs)) this.#silent.delete(node);
      else attempts.silent.add(node);
    }
    return attempts;
  }

  lastRefusal(server: string, node: string): string | undefined {
    return this.#refusals.get(keyOfServer(server))?.get(node)?.reason;
  }

  /** Another node may be asked at once to take the slot. Any other request concerns only this node and is repeated later. */
  #notDone(action: SlotAction, untilMs: number): void {
    const key = keyOfSlot(action.server, action.slot);
    if (this.#asked.get(key)?.action !== action) return;
    if (action.kind === 'place') this.#asked.delete(key);
    else this.#asked.set(key, { action, untilMs });
  }
}

function nested<K, V>(maps: Map<string, Map<K, V>>, key: string): Map<K, V> {
  const known = maps.get(key);
  if (known) return known;
  const made = new Map<K, V>();
  maps.set(key, made);
  return made;
}

function isSame(one: SlotAction, other: SlotAction): boolean {
  if (one.kind !== other.kind || one.node !== other.node) return false;
  if (one.kind === 'place') return one.revision === (other as typeof one).revision;
  if (one.kind === 'renew' && one.config !== (other as typeof one).config) return false;
  return one.generation === (other as typeof one).generation;
}

export interface PlacerRequestsOptions {
  attempts: PlacerAttempts;
  clock: Clock;
  configOf: (server: string) => number;
  mayAct: () => boolean;
  onDone: () => void;
  note: (text: string) => void;
}

const MOST_REQUESTS = 256;
const MOST_REQUESTS_OF_NODE = 4;

/** Carries out the actions of plans. Requests that are unsent when the next plan arrives are left to that plan. */
export class PlacerRequests {
  readonly #network: ClusterNetwork;
  readonly #options: PlacerRequestsOptions;
  #queues = new Map<string, Action[]>();
  readonly #underWay = new Map<string, number>();
  #requests = 0;

  constructor(network: ClusterNetwork, options: PlacerRequestsOptions) {
    this.#network = network;
    this.#options = options;
  }

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
    const what =
      kind === 'place'
        ? { revision: action.revision }
        : { generation: action.generation, ...(kind === 'release' && { reason: action.reason }) };
    const timeoutMs = this.#network.leases.lifetimeMs / 2;
    const params = { server, slot, ...what } as never;
    const answer: object = await askNode(this.#network, node, `standpipe/${kind}`, params, timeoutMs);
    return 'refused' in answer ? (answer as PlaceRefusal) : undefined;
  }
}
