// The slots of servers that this node has claimed, and the order in which they are claimed, run, ended and given back.
// Invariants: an instance runs only between its claim and its end, and a slot has at most one. A claim is one compare-and-set at the
// revision at which the earlier claim was seen not to be in force, with the next generation. Operations on a slot run one at a time,
// in the order of the requests; outdated ones (another generation, another session) have no effect. When the lease is lost, all
// instances end at once, except those of stateless servers. With a new lease the node claims again the slots that still name its lost
// session, and ends those that another node has taken.

import { type Clock, systemClock } from '../../../../base/clock.ts';
import { toError } from '../../../../base/errors.ts';
import type { ClaimRecord, ClusterNetwork, KeyedRecord, ServerRecord } from '../../cluster-network.ts';
import { usableClaim, usableServer } from '../../place/fleet-state.ts';
import { keyOfServer, keyOfSlot } from '../../subjects.ts';
import type { NodeRequests } from '../answer-node-requests.ts';
import type { NodeLease } from '../node-lease.ts';
import type { InstanceRunner } from '../run-instances.ts';
import { Turns } from './turns.ts';
import { WhyTaken } from './why-taken.ts';

/** Limit for the reason of a recorded failure, in characters. */
const LONGEST_REASON = 300;
const RETRY_MS = 100;
/** After this time a server that could not run here is tried again, because the config of the node may have changed. */
const UNFIT_MS = 30_000;

interface Slot {
  readonly key: string;
  /** This node's last claim. The session of the claim shows whether the claim can still be in force. */
  claim: ClaimRecord;
  revision: number;
  isStateless: boolean;
  /** The claim that the runner runs, or whose process may not have exited completely. */
  instance: ClaimRecord | undefined;
  isDraining: boolean;
  failure: string | undefined;
}

export interface ClaimsOptions {
  clock?: Clock;
  /** Called with errors after which the node continues. */
  onProblem?: (error: Error) => void;
}

type Params<M extends keyof NodeRequests> = NodeRequests[M]['params'];
type Placed = NodeRequests['standpipe/place']['result'];

export class Claims {
  readonly #network: ClusterNetwork;
  readonly #lease: NodeLease;
  readonly #runner: InstanceRunner;
  readonly #node: string;
  readonly #clock: Clock;
  readonly #onProblem: (error: Error) => void;
  readonly #slots = new Map<string, Slot>();
  readonly #turns = new Turns((error) => this.#onProblem(error));
  readonly #whyTaken: WhyTaken;
  /** Server records that this node tried to run and could not, by slot key. */
  readonly #unfit = new Map<string, { config: number; reason: string; untilMs: number }>();
  #isLeaving = false;

  constructor(
    network: ClusterNetwork,
    lease: NodeLease,
    runner: InstanceRunner,
    node: string,
    options: ClaimsOptions = {},
  ) {
    this.#network = network;
    this.#lease = lease;
    this.#runner = runner;
    this.#node = node;
    this.#clock = options.clock ?? systemClock;
    this.#onProblem = options.onProblem ?? (() => undefined);
    this.#whyTaken = new WhyTaken(network, this.#clock);
  }

  get held(): readonly ClaimRecord[] {
    const { session } = this.#lease;
    return [...this.#slots.values()].map(({ claim }) => claim).filter((claim) => claim.session === session);
  }

  /** Resolves when the claim is made; the server is run afterwards. */
  place({ server, slot: number, revision }: Params<'standpipe/place'>): Promise<Placed> {
    const key = keyOfSlot(server, number);
    return this.#turns.take(key, async () => {
      if (this.#isLeaving) return { refused: 'The node is leaving the fleet' };
      const session = this.#lease.heldSession;
      if (session === undefined) return { refused: 'The node has no lease' };
      const mine = this.#slots.get(key);
      if (mine?.claim.session === session) {
        const { generation } = mine.claim;
        return mine.revision > revision ? { generation } : { refused: 'The node already runs it' };
      }
      const { claims } = this.#network.directory;
      const record = await this.#lease.unlessLost(this.#recordOf(server));
      if (!record) return { refused: `The fleet has no usable entry for the server "${server}"` };
      const why = this.#whyUnfit(key, record) ?? this.#runner.whyNot?.(record.value);
      if (why !== undefined) return { refused: why, isUnfit: true };
      const before = revision === 0 ? undefined : await this.#lease.unlessLost(claims.get(key));
      if ((before?.revision ?? 0) !== revision) return { refused: 'The claim of the slot has changed' };
      const taken = await this.#lease.unlessLost(this.#whyTaken.ask(before?.value));
      if (taken !== undefined) return { refused: taken };
      const slot = await this.#claim(key, number, record, before, session);
      if (!slot) return { refused: 'Another node was first, or the lease was lost' };
      void this.#turns.take(key, () => this.#run(slot, record));
      return { generation: slot.claim.generation };
    });
  }

  /** Ends the instance when its calls are answered, and gives the slot back. */
  release({ server, slot: number, generation, reason }: Params<'standpipe/release'>): void {
    const key = keyOfSlot(server, number);
    void this.#turns.take(key, async () => {
      const slot = this.#slots.get(key);
      if (slot?.claim.generation === generation) await this.#giveBack(slot, reason);
    });
  }

  /**
   * Runs the server with its current record, in the same generation. The claim shows when the server is ready or has
   * failed.
   */
  async renew({ server, slot: number, generation }: Params<'standpipe/renew'>): Promise<void> {
    const key = keyOfSlot(server, number);
    const renewed = await this.#turns.take(key, async () => {
      const slot = this.#inForce(key, generation);
      const record = slot && (await this.#sure(slot.claim.session, () => this.#recordOf(server)));
      if (!record || record.revision === slot.claim.config) return undefined;
      const { stateless } = record.value.place;
      slot.isStateless &&= stateless; // the previous process may need the lease until it has exited
      const goesOn = await this.#run(slot, record);
      slot.isStateless = stateless;
      if (goesOn) return { claim: slot.claim, config: record.revision, tried: slot.claim.tried ?? [] };
      slot.failure = undefined;
      return { claim: slot.claim, config: record.revision, tried: [] };
    });
    if (!renewed) return;
    const { claim, ...fields } = renewed;
    await this.#lease.unlessLost(this.#runner.settled?.(claim) ?? Promise.resolve());
    await this.#turns.take(key, async () => {
      const slot = this.#inForce(key, generation);
      if (slot) await this.#change(slot, withFailure({ ...slot.claim, ...fields }, slot.failure));
    });
  }

  /** Must be called when the server of a claim has failed permanently, or was started again by a command (without a reason). */
  serverFailed({ server, slot: number, generation }: ClaimRecord, reason: string | undefined): void {
    const key = keyOfSlot(server, number);
    const record = async () => {
      const slot = this.#inForce(key, generation);
      if (!slot) return;
      slot.failure = reason;
      // A slot that is being renewed is recorded with its new config.
      if (slot.instance?.config === slot.claim.config) await this.#change(slot, withFailure(slot.claim, reason));
    };
    void this.#turns.take(key, record).catch(() => undefined); // the failure was already reported
  }

  /** Takes no more slots. Resolves when all processes have exited and their slots are given back, or the lease is lost. */
  async releaseAll(reason: string): Promise<void> {
    this.#isLeaving = true;
    // Includes slots that are being claimed.
    const keys = new Set([...this.#slots.keys(), ...this.#turns.keys()]);
    const release = async (key: string) => {
      const slot = this.#slots.get(key);
      if (slot) await this.#giveBack(slot, reason);
    };
    await Promise.all([...keys].map((key) => this.#turns.take(key, () => release(key))));
  }

  /** Must be called when an entry of the claims table was changed or removed. The entry may be slightly outdated. */
  changed(key: string, claim: ClaimRecord | undefined): void {
    const mine = this.#slots.get(key)?.claim;
    if (mine && !isOf(mine, claim)) void this.#turns.take(key, () => this.#check(key)).catch(() => undefined); // the failure was already reported
  }

  /** The claim was lost with the table, or changed by hand. It is made again if no other node has the slot. */
  async #check(key: string): Promise<void> {
    const slot = this.#slots.get(key);
    const session = this.#lease.heldSession;
    if (!slot || session === undefined || slot.claim.session !== session) return;
    const entry = await this.#sure(session, () => this.#network.directory.claims.get(key));
    if (this.#lease.heldSession !== session || isOf(slot.claim, entry?.value)) return;
    const isTaken = entry && usableClaim(entry.value, key);
    const revision = isTaken ? undefined : await this.#write(key, slot.claim, entry?.revision ?? 0);
    if (revision !== undefined) slot.revision = revision;
    if (revision !== undefined || this.#lease.heldSession !== session) return;
    await this.#end(slot, 'its claim names another owner', 'now');
    this.#slots.delete(key);
  }

  /** Must be called when the lease is lost. Resolves when all processes that need it have exited. */
  async leaseLost(reason: string): Promise<void> {
    await Promise.all(
      [...this.#slots.values()].map((slot) => {
        // A draining instance must not wait until its calls are answered.
        if (slot.isDraining && !slot.isStateless)
          this.#runner.end(slot.instance!, reason, 'now').catch(() => undefined);
        return this.#turns.take(slot.key, async () => {
          const isInForce = slot.claim.session === this.#lease.heldSession; // true if the slot was claimed again in the meantime
          if (!slot.isStateless && !isInForce) await this.#end(slot, reason, 'now');
        });
      }),
    );
  }

  /** Must be called when the lease is held again. Claims the slots again that still name the lost session. */
  async leaseHeld(): Promise<void> {
    await Promise.allSettled([...this.#slots.keys()].map((key) => this.#turns.take(key, () => this.#reclaim(key))));
  }

  async #reclaim(key: string): Promise<void> {
    const slot = this.#slots.get(key);
    const session = this.#lease.heldSession;
    if (!slot || session === undefined || slot.claim.session === session) return;
    const { server, slot: number, session: lost } = slot.claim;
    const { claims } = this.#network.directory;
    const before = await this.#sure(session, () => claims.get(key));
    const record = await this.#sure(session, () => this.#recordOf(server));
    const isOurs = before?.value.session === lost && before.value.held;
    if (isOurs && record && (await this.#claim(key, number, record, before, session))) {
      await this.#run(slot, record);
      return;
    }
    if (this.#lease.heldSession !== session) return; // the lease was lost again: the next lease repeats this
    await this.#end(slot, 'another node has taken the slot', 'drain');
    this.#slots.delete(key);
  }

  #whyUnfit(key: string, { revision }: KeyedRecord<ServerRecord>): string | undefined {
    const unfit = this.#unfit.get(key);
    return unfit?.config === revision && this.#clock.nowMs() < unfit.untilMs ? unfit.reason : undefined;
  }

  /** Resolves to undefined if there is no usable record. */
  async #recordOf(server: string): Promise<KeyedRecord<ServerRecord> | undefined> {
    const key = keyOfServer(server);
    const entry = await this.#network.directory.servers.get(key);
    const value = entry && usableServer(entry.value, key);
    return value && { ...entry, value };
  }

  /**
   * Makes one compare-and-set. Resolves to undefined if it failed, or if the session ended before the result was known.
   */
  async #claim(
    key: string,
    number: number,
    record: KeyedRecord<ServerRecord>,
    before: KeyedRecord<ClaimRecord> | undefined,
    session: string,
  ): Promise<Slot | undefined> {
    const { name: server, place } = record.value;
    const claim: ClaimRecord = {
      server,
      slot: number,
      node: this.#node,
      session,
      lifetimeMs: this.#lease.lifetimeMs,
      generation: (before?.value.generation ?? 0) + 1,
      held: true,
      config: record.revision,
      ...triedBefore(before?.value, record.revision),
    };
    const revision = await this.#write(key, claim, before?.revision ?? 0);
    if (revision === undefined || this.#lease.heldSession !== session) return undefined;
    // An instance of the lost session may still exist: it ends before the new one runs.
    const slot = this.#slots.get(key) ?? ({ instance: undefined, isDraining: false } as Slot);
    Object.assign(slot, { key, claim, revision, isStateless: place.stateless, failure: undefined });
    this.#slots.set(key, slot);
    return slot;
  }

  /** Resolves to whether the previous process continues. */
  async #run(slot: Slot, { value, revision: config }: KeyedRecord<ServerRecord>): Promise<boolean> {
    if (slot.instance && slot.instance.generation !== slot.claim.generation) {
      await this.#end(slot, 'the node has claimed the slot again', slot.isStateless ? 'drain' : 'now');
    }
    // The slot may have been given back before its turn.
    if (this.#slots.get(slot.key) !== slot || slot.claim.session !== this.#lease.heldSession) return false;
    slot.isDraining = slot.instance !== undefined;
    slot.instance = { ...slot.claim, config };
    let goesOn = false;
    try {
      goesOn = (await this.#runner.run(slot.instance, value)) === true;
      this.#unfit.delete(slot.key);
    } catch (thrown) {
      const error = toError(thrown);
      this.#unfit.set(slot.key, { config, reason: error.message, untilMs: this.#clock.nowMs() + UNFIT_MS });
      this.#onProblem(error);
      await this.#giveBack(slot, error.message);
    }
    slot.isDraining = false;
    return goesOn;
  }

  /** The slot is given back only after its process has exited. */
  async #giveBack(slot: Slot, reason: string): Promise<void> {
    await this.#end(slot, reason, 'drain');
    await this.#change(slot, { ...slot.claim, held: false });
    this.#slots.delete(slot.key);
  }

  /** Without the lease there is no time to drain. */
  async #end(slot: Slot, reason: string, wish: 'drain' | 'now'): Promise<void> {
    if (!slot.instance) return;
    const how = slot.isStateless || slot.instance.session === this.#lease.heldSession ? wish : 'now';
    slot.isDraining = how === 'drain';
    await this.#runner.end(slot.instance, reason, how);
    slot.isDraining = false;
    slot.instance = undefined;
  }

  /** Has no effect if the claim no longer belongs to this node. */
  async #change(slot: Slot, claim: ClaimRecord): Promise<void> {
    const revision = await this.#write(slot.key, claim, slot.revision);
    if (revision !== undefined) Object.assign(slot, { claim, revision });
  }

  /** Resolves to the new revision, or to undefined if another node was first or the session of the claim lost its lease. */
  #write(key: string, claim: ClaimRecord, revision: number): Promise<number | undefined> {
    const { claims } = this.#network.directory;
    return this.#sure(claim.session, async () => {
      const written = await (revision === 0 ? claims.create(key, claim) : claims.update(key, claim, revision));
      if (written !== undefined) return written;
      // The entry may be this node's own write whose acknowledgement was lost.
      const entry = await claims.get(key);
      return entry && isSame(entry.value, claim) ? entry.revision : undefined;
    });
  }

  /** Repeats a failing operation until it succeeds. Resolves to undefined if the session loses its lease first. */
  async #sure<T>(session: string, attempt: () => Promise<T>): Promise<T | undefined> {
    while (this.#lease.heldSession === session) {
      try {
        return await this.#lease.unlessLost(attempt());
      } catch (thrown) {
        this.#onProblem(toError(thrown));
        const pause = new Promise<void>((resolve) => this.#clock.after(RETRY_MS, resolve).keepAlive(false));
        await this.#lease.unlessLost(pause);
      }
    }
    return undefined;
  }

  #inForce(key: string, generation: number): Slot | undefined {
    const slot = this.#slots.get(key);
    return slot?.claim.generation === generation && slot.claim.session === this.#lease.heldSession ? slot : undefined;
  }
}

function isOf(claim: ClaimRecord, entry: ClaimRecord | undefined): boolean {
  return entry?.session === claim.session && entry.generation === claim.generation;
}

function isSame(one: ClaimRecord, other: ClaimRecord): boolean {
  return (['session', 'generation', 'held', 'config', 'failed'] as const).every((field) => one[field] === other[field]);
}

/**
 * The claim with the failure of its server on this node, or without one if a command or a changed config has started it again. The
 * placer moves a failed server to each node once, so the claim lists the nodes where the server has failed with this config.
 */
export function withFailure(claim: ClaimRecord, reason: string | undefined): ClaimRecord {
  const { failed: _, tried = [], ...rest } = claim;
  if (reason === undefined) return rest;
  return { ...rest, failed: reason.slice(0, LONGEST_REASON), tried: [...new Set([...tried, claim.node])] };
}

export function triedBefore(claim: ClaimRecord | undefined, config: number): Pick<ClaimRecord, 'tried'> {
  return claim?.tried && claim.config === config ? { tried: claim.tried } : {};
}
