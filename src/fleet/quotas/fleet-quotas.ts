// Quotas that hold over all gateways of a fleet together. Each principal has a home among them: the one with the highest hash of both
// names. Gateways come and go: a new home learns from the gateways what they have, so for about a second after such a change there may be
// more than the quota, and a rate may begin anew.

import type { Clock, Timer } from '../../base/clock.ts';
import { RpcCode, RpcError } from '../../base/errors.ts';
import type { Counts } from '../../doors/limits.ts';
import type { SharedQuotas } from '../../doors/shared-quotas.ts';
import type { Fabric } from '../fabric.ts';
import { askNode } from '../node/answer-node-requests.ts';
import { rendezvousScore } from '../rendezvous.ts';
import { GatewayShare, type ShareContext } from './gateway-share.ts';
import { type QuotaAsk, type QuotaGrant, QuotaHome } from './quota-home.ts';

/** How often what is not used is given back. */
const TICK_MS = 500;
/** A home that takes longer is taken as gone. */
const ASK_MS = 1_000;
/** As with leases: a grant is used no longer than this part of the time after which the home forgets it. */
const TRUSTED_PART = 0.6;

export class FleetQuotas {
  readonly #fabric: Fabric;
  readonly #self: string;
  readonly #clock: Clock;
  readonly #home: QuotaHome;
  /** Those that have something. */
  readonly #shares = new Set<GatewayShare>();
  readonly #gateways: Set<string>;
  readonly #context: ShareContext;
  #timer: Timer | undefined;
  #stopWatch: (() => void) | undefined;
  #started: Promise<void> | undefined;

  constructor(fabric: Fabric, self: string, clock: Clock) {
    this.#fabric = fabric;
    this.#self = self;
    this.#clock = clock;
    this.#gateways = new Set([self]);
    const { lifetimeMs } = fabric.leases;
    this.#home = new QuotaHome(lifetimeMs, clock);
    this.#context = {
      clock,
      trustedMs: TRUSTED_PART * lifetimeMs,
      ask: (share, wanted, requests) => this.#ask(share, wanted, requests),
      rank: (principal) => {
        const order = this.#order(principal);
        return { index: order.indexOf(self), count: order.length };
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
    this.#stopWatch = await this.#fabric.directory.nodes.watch(({ key, value }) => {
      if (value?.url !== undefined || key === this.#self) this.#gateways.add(key);
      else this.#gateways.delete(key);
    });
    this.#tickLater();
  }

  /** For the limits of the gateway. */
  readonly shared: SharedQuotas = (principal, quotas, counts) =>
    new GatewayShare(principal, quotas, counts, this.#context);

  /** A gateway asks, where this node is the home. */
  answer(ask: QuotaAsk): QuotaGrant {
    return this.#home.ask(ask);
  }

  /** The home of a principal. */
  homeOf(principal: string): string {
    return this.#order(principal)[0]!;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#stopWatch?.();
  }

  #order(principal: string): string[] {
    const scored = Array.from(this.#gateways, (node) => ({ node, score: rendezvousScore(principal, node) }));
    return scored.sort((a, b) => b.score - a.score || (a.node < b.node ? 1 : -1)).map(({ node }) => node);
  }

  async #ask(share: GatewayShare, wanted: Counts, requests: number): Promise<QuotaGrant> {
    this.#shares.add(share);
    await this.start();
    const { principal, quotas } = share;
    const ask: QuotaAsk = { principal, quotas, gateway: this.#self, wanted, requests };
    const home = this.homeOf(principal);
    // Without NATS, no home knows what the others have, this one included.
    if (home === this.#self && this.#fabric.isConnected) return this.#home.ask(ask);
    return askNode(this.#fabric, home, 'standpipe/quota', ask, ASK_MS);
  }

  #tickLater(): void {
    this.#timer = this.#clock.after(TICK_MS, () => {
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

/** A node without a gateway is the home of no principal. */
export function answerQuota(quotas: FleetQuotas | undefined, ask: QuotaAsk): QuotaGrant {
  if (quotas) return quotas.answer(ask);
  throw new RpcError(RpcCode.methodNotFound, 'This node has no gateway');
}
