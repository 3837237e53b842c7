// Quotas that hold over all gateways of a fleet together. Each principal has a home among them: the one with the highest hash of both
// names. Gateways come and go: a new home learns from the gateways what they have before it gives out more. A rate may begin anew there.

import type { Clock, Timer } from '../../base/clock.ts';
import { RpcCode, RpcError } from '../../base/errors.ts';
import type { SharedQuotas } from '../../doors/shared-quotas.ts';
import type { Fabric } from '../fabric.ts';
import { askNode } from '../node/answer-node-requests.ts';
import { usableNode } from '../place/usable-records.ts';
import { rendezvousScore } from '../rendezvous.ts';
import { GatewayShare, type ShareAsk, type ShareContext } from './gateway-share.ts';
import { type QuotaAsk, type QuotaGrant, QuotaHome, readAsk } from './quota-home.ts';

/** How often each gateway says what it has, and what is not used is given back. */
const TICK_MS = 500;
/** After this many of them, and half a lifetime in which gateways connect again, a home knows what all have. */
const LEARN_TICKS = 3;
/** A process that does not run for this long may have been forgotten by others. */
const STOPPED_MS = 2_000;
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
  /** Those that have left a moment ago, and until when what they knew is learned. */
  readonly #left = new Map<string, number>();
  readonly #context: ShareContext;
  readonly #learnMs: number;
  /** The other gateways are known. */
  #isReady = false;
  #wasConnected = true;
  #tickedMs: number;
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
    this.#learnMs = Math.max(LEARN_TICKS * TICK_MS, lifetimeMs / 2);
    this.#tickedMs = clock.nowMs();
    this.#context = {
      clock,
      trustedMs: TRUSTED_PART * lifetimeMs,
      ask: (share, ask) => this.#ask(share, ask),
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
      const isGateway = key === this.#self || (value && usableNode(value, key)?.url) !== undefined;
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

  /** For the limits of the gateway. */
  readonly shared: SharedQuotas = (principal, quotas, counts) =>
    new GatewayShare(principal, quotas, counts, this.#context);

  /** A gateway asks, where this node is the home. */
  answer(ask: QuotaAsk): QuotaGrant {
    const read = readAsk(ask);
    if (this.#isReady && this.homeOf(read.principal) === this.#self) return this.#homeAsk(read);
    throw new RpcError(RpcCode.invalidRequest, 'This node is not the home of the principal', undefined, {
      hint: 'A node has joined or left a moment ago. Send it again.',
    });
  }

  /** The home of a principal. */
  homeOf(principal: string): string {
    return bestOf(principal, this.#gateways, this.#self);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#stopWatch?.();
  }

  #order(principal: string): string[] {
    const scored = Array.from(this.#gateways, (node) => ({ node, score: rendezvousScore(principal, node) }));
    return scored.sort((a, b) => b.score - a.score || (a.node < b.node ? 1 : -1)).map(({ node }) => node);
  }

  async #ask(share: GatewayShare, asked: ShareAsk): Promise<QuotaGrant> {
    this.#shares.add(share);
    await this.start();
    const { principal, quotas } = share;
    const ask: QuotaAsk = { principal, quotas, gateway: this.#self, ...asked };
    const home = this.homeOf(principal);
    // Without NATS, no home knows what the others have, this one included.
    if (home === this.#self && this.#fabric.isConnected) return this.#homeAsk(ask);
    return askNode(this.#fabric, home, 'standpipe/quota', ask, ASK_MS);
  }

  #homeAsk(ask: QuotaAsk): QuotaGrant {
    this.#look();
    const before = this.#left.get(bestOf(ask.principal, this.#left.keys(), this.#self));
    return this.#home.ask(ask, before);
  }

  /** Whether the others may have been without this home: it was not connected, or did not run. */
  #look(): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#tickedMs > STOPPED_MS || !this.#wasConnected) this.#learn();
    this.#tickedMs = nowMs;
    this.#wasConnected = this.#fabric.isConnected;
    for (const [gateway, untilMs] of this.#left) if (nowMs > untilMs) this.#left.delete(gateway);
  }

  /** A gateway alone has no other to learn from. */
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

/** The one with the highest score, and of equal ones the last by name. */
function bestOf(principal: string, nodes: Iterable<string>, self: string): string {
  let best = self;
  let bestScore = rendezvousScore(principal, self);
  for (const node of nodes) {
    const score = rendezvousScore(principal, node);
    if (score < bestScore || (score === bestScore && node <= best)) continue;
    best = node;
    bestScore = score;
  }
  return best;
}

/** A node without a gateway is the home of no principal. */
export function answerQuota(quotas: FleetQuotas | undefined, ask: QuotaAsk): QuotaGrant {
  if (quotas) return quotas.answer(ask);
  throw new RpcError(RpcCode.methodNotFound, 'This node has no gateway');
}
