// Quotas that apply across all gateways of a fleet. Each principal has a home gateway: the one with the highest hash of both names.
// Gateways may join and leave: a new home learns from the gateways what they hold before it grants more. A rate may start again
// there.

import type { Clock, Timer } from '../../../base/clock.ts';
import { RpcCode, RpcError } from '../../../base/errors.ts';
import type { SharedQuotas } from '../../gateway/limits.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { askNode } from '../node/answer-node-requests.ts';
import { usableNode } from '../place/fleet-state.ts';
import { rendezvousScore } from '../route/choose-instance.ts';
import { GatewayShare, type ShareAsk, type ShareContext } from './gateway-share.ts';
import { type QuotaAsk, type QuotaGrant, QuotaHome, readAsk } from './quota-home.ts';

/** Interval at which each gateway reports its shares and gives back unused ones. */
const TICK_MS = 500;
/** After this many ticks, and at least half a lifetime in which gateways reconnect, a home knows what all gateways hold. */
const LEARN_TICKS = 3;
/** After the process was suspended for this long, others may have dropped its grants. */
const STOPPED_MS = 2_000;
/** A home gateway that takes longer to answer is treated as unavailable. */
const ASK_MS = 1_000;
/** A grant is used for this fraction of the time after which the home drops it, as with leases. */
const TRUSTED_PART = 0.6;

export class FleetQuotas {
  readonly #network: ClusterNetwork;
  readonly #self: string;
  readonly #clock: Clock;
  readonly #home: QuotaHome;
  /** Shares that hold a grant or resources. */
  readonly #shares = new Set<GatewayShare>();
  readonly #gateways: Set<string>;
  /** Gateways that have left recently, each with the time until which a new home gateway collects the shares of the others. */
  readonly #left = new Map<string, number>();
  readonly #context: ShareContext;
  readonly #learnMs: number;
  #isReady = false;
  #wasConnected = true;
  #tickedMs: number;
  #timer: Timer | undefined;
  #stopWatch: (() => void) | undefined;
  #started: Promise<void> | undefined;

  constructor(network: ClusterNetwork, self: string, clock: Clock) {
    this.#network = network;
    this.#self = self;
    this.#clock = clock;
    this.#gateways = new Set([self]);
    const { lifetimeMs } = network.leases;
    this.#home = new QuotaHome(lifetimeMs, clock);
    this.#learnMs = Math.max(LEARN_TICKS * TICK_MS, lifetimeMs / 2);
    this.#tickedMs = clock.nowMs();
    this.#context = {
      clock,
      trustedMs: TRUSTED_PART * lifetimeMs,
      ask: (share, ask) => this.#ask(share, ask),
      rank: (principal) => {
        const index = [...this.#gateways].filter((node) => isBetter(principal, node, self)).length;
        return { index, count: this.#gateways.size };
      },
    };
  }

  /** Resolves when the other gateways are known. */
  start(): Promise<void> {
    this.#started ??= this.#start().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  async #start(): Promise<void> {
    this.#stopWatch = await this.#network.directory.nodes.watch(({ key, value }) => {
      const node = value === undefined ? undefined : usableNode(value, key);
      if (value !== undefined && !node) return; // the change is not a removal
      const isGateway = key === this.#self || node?.url !== undefined;
      if (isGateway === this.#gateways.has(key)) return;
      if (isGateway) this.#gateways.add(key);
      else {
        this.#gateways.delete(key);
        this.#left.set(key, this.#clock.nowMs() + this.#learnMs);
      }
      this.#home.keep((principal) => this.homeOf(principal) === this.#self);
    });
    this.#learn();
    this.#isReady = true;
    this.#tickLater();
  }

  readonly shared: SharedQuotas = (principal, quotas, counts) =>
    new GatewayShare(principal, quotas, counts, this.#context);

  answer(ask: QuotaAsk): QuotaGrant {
    const read = readAsk(ask);
    const isHome = this.#isReady && this.homeOf(read.principal) === this.#self;
    // A node could use up the quotas of a principal under names of gateways that do not exist.
    if (isHome && this.#gateways.has(read.gateway)) return this.#homeAsk(read);
    const problem = isHome ? 'The gateway is not in the directory' : 'This node is not the home of the principal';
    throw new RpcError(RpcCode.invalidRequest, problem, undefined, {
      hint: 'A node has joined or left a moment ago. Send it again.',
    });
  }

  homeOf(principal: string): string {
    return bestOf(principal, this.#gateways, this.#self);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#stopWatch?.();
  }

  async #ask(share: GatewayShare, asked: ShareAsk): Promise<QuotaGrant> {
    this.#shares.add(share);
    await this.start();
    const { principal, quotas } = share;
    const ask: QuotaAsk = { principal, quotas, gateway: this.#self, ...asked };
    const home = this.homeOf(principal);
    // While NATS is disconnected, this gateway does not know the shares of the others, even if it is the home.
    if (home === this.#self && this.#network.isConnected) return this.#homeAsk(ask);
    return askNode(this.#network, home, 'standpipe/quota', ask, ASK_MS);
  }

  #homeAsk(ask: QuotaAsk): QuotaGrant {
    this.#look();
    const before = this.#left.get(bestOf(ask.principal, this.#left.keys(), this.#self));
    return this.#home.ask(ask, before);
  }

  /** If this home was disconnected or suspended, waits for the reports of the other gateways before it grants more. */
  #look(): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#tickedMs > STOPPED_MS || !this.#wasConnected) this.#learn();
    this.#tickedMs = nowMs;
    this.#wasConnected = this.#network.isConnected;
    for (const [gateway, untilMs] of this.#left) if (nowMs > untilMs) this.#left.delete(gateway);
  }

  /** A single gateway has no other reports to wait for. */
  #learn(): void {
    if (this.#gateways.size > 1) this.#home.learn(this.#clock.nowMs() + this.#learnMs);
  }

  #tickLater(): void {
    this.#timer = this.#clock.after(TICK_MS, () => {
      this.#look();
      for (const share of this.#shares) {
        if (share.isIdle) this.#shares.delete(share);
        else void share.tick();
      }
      this.#home.sweep();
      this.#tickLater();
    });
    this.#timer.keepAlive(false);
  }
}

function bestOf(principal: string, nodes: Iterable<string>, self: string): string {
  let best = self;
  for (const node of nodes) if (isBetter(principal, node, best)) best = node;
  return best;
}

/** Among equal scores, the last by name is the best. */
function isBetter(principal: string, node: string, other: string): boolean {
  const difference = rendezvousScore(principal, node) - rendezvousScore(principal, other);
  return difference > 0 || (difference === 0 && node > other);
}
