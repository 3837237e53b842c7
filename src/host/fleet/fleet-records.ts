// Records of extensions about servers of the fleet, in a table that every node reads: the end of a node does not end them. Each
// changes by compare-and-set, so that of two nodes that end a record only one succeeds, and all nodes read the same end.

import type { Clock } from '../../base/clock.ts';
import { PeerError, RpcCode, RpcError, toError } from '../../base/errors.ts';
import type { FoundRecord, KeptRecord, KeptRecords } from '../../mcp/extensions/extension.ts';
import type { ClaimRecord, ClusterNetwork, StoredRecord } from './cluster-network.ts';
import type { RoutingTable } from './route/routing-table.ts';
import { instanceOf, keyOfServer, keyOfSlot } from './subjects.ts';

/** Clients send any text as an id. NATS closes a connection that names a subject of more than 4 KiB. */
const ID = /^[A-Za-z0-9-]{1,64}$/;
const MOST_CHARS = 256 * 1024;
/** Upper limit: UTF-8 needs at most 3 bytes for a character, and the rest of the record needs space too. */
const BYTES_OF_CHAR = 4;
/** Delay until the end of a record is written again after a failure. */
const AGAIN_MS = 500;
const NOTE_EVERY_MS = 60_000;

interface Own {
  readonly claim: ClaimRecord;
  readonly revision: number;
}

interface Found extends FoundRecord {
  readonly claim: ClaimRecord;
  readonly revision: number;
}

export class FleetRecords {
  readonly #network: ClusterNetwork;
  readonly #routes: RoutingTable;
  readonly #clock: Clock;
  readonly #note: (text: string) => void;
  /** Records of instances of this node that are not final, by key. */
  readonly #own = new Map<string, Own>();
  #nextNoteMs = 0;
  #isClosed = false;

  constructor(network: ClusterNetwork, routes: RoutingTable, clock: Clock, note: (text: string) => void) {
    this.#network = network;
    this.#routes = routes;
    this.#clock = clock;
    this.#note = note;
  }

  /** `claimOf`: the claim under which this node runs the server now. Without it, records are only read and ended. */
  of(server: string, claimOf: () => ClaimRecord | undefined = () => undefined): KeptRecords {
    const keyOf = (id: string) => `${keyOfServer(server)}.${id}`;
    return {
      mostChars: Math.min(MOST_CHARS, Math.floor(this.#network.maxBytes / BYTES_OF_CHAR)),
      put: (id, record, replaces) => this.#put(keyOf(id), record, replaces as Found | undefined, claimOf()),
      get: async (id) => {
        if (!ID.test(id)) return undefined;
        return this.#get(keyOf(id)).catch((error) => Promise.reject(this.#refusal(error, 'read')));
      },
      // NATS removes the entry when it expires. Its id is no longer in use.
      delete: async (id) => void this.#own.delete(keyOf(id)),
    };
  }

  /** From now on, the end of a record is not written again after a failure. */
  close(): void {
    this.#isClosed = true;
  }

  async #get(key: string): Promise<Found | undefined> {
    const entry = await (await this.#network.records()).get(key);
    if (!isStored(entry?.value)) return undefined;
    const { claim, value, untilMs, isFinal } = entry.value;
    const isOrphaned = !isFinal && (await this.#isOver(claim));
    const ranAt = { node: claim.node, claim: claim.generation };
    return { value, untilMs, isFinal, isOrphaned, ranAt, claim, revision: entry.revision };
  }

  async #put(key: string, record: KeptRecord, found: Found | undefined, runs: ClaimRecord | undefined): Promise<void> {
    const before = found ?? this.#own.get(key);
    const claim = before?.claim ?? runs;
    if (!claim) throw new RpcError(RpcCode.internalError, 'The server has ended here');
    const stored: StoredRecord = { ...record, claim };
    try {
      const revision = await this.#write(key, stored, before?.revision, before !== undefined && !found);
      if (record.isFinal) this.#own.delete(key);
      else this.#own.set(key, { claim, revision });
    } catch (error) {
      throw this.#refusal(error, 'written');
    }
  }

  /** Resolves to the revision. `isEnd`: the end of a record of this node, which is lost if it is not written. */
  async #write(key: string, stored: StoredRecord, revision: number | undefined, isEnd: boolean): Promise<number> {
    for (;;) {
      try {
        const records = await this.#network.records();
        const written = await (revision === undefined
          ? records.create(key, stored)
          : records.update(key, stored, revision));
        if (written !== undefined) return written;
        // The answer to an earlier attempt may have been lost.
        const found = await records.get(key);
        if (found && JSON.stringify(found.value) === JSON.stringify(stored)) return found.revision;
        throw new RpcError(RpcCode.internalError, 'Another node has ended it meanwhile');
      } catch (error) {
        if (!isEnd || !isUnreachable(error) || this.#isClosed || Date.now() > stored.untilMs) throw error;
      }
      await new Promise<void>((resolve) => this.#clock.after(AGAIN_MS, resolve).keepAlive(false));
    }
  }

  /** The copy of the directory may be outdated, so an instance that it lacks is looked up. */
  async #isOver(claim: ClaimRecord): Promise<boolean> {
    const id = instanceOf(claim);
    if (this.#routes.instancesOf(claim.server).some((instance) => instance.id === id)) return false;
    const { claims, nodes } = this.#network.directory;
    const [current, node] = await Promise.all([claims.get(keyOfSlot(claim.server, claim.slot)), nodes.get(claim.node)]);
    return !current?.value.held || instanceOf(current.value) !== id || node?.value.session !== claim.session;
  }

  /** Replaces the reason, which names addresses that clients must not see. */
  #refusal(error: unknown, verb: 'read' | 'written'): RpcError {
    // Other code reports the loss of the connection.
    if (!isUnreachable(error) && this.#clock.nowMs() >= this.#nextNoteMs) {
      this.#nextNoteMs = this.#clock.nowMs() + NOTE_EVERY_MS;
      this.#note(`A record of the fleet could not be ${verb}: ${toError(error).message}`);
    }
    return new RpcError(RpcCode.internalError, `The record cannot be ${verb} at the moment`);
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof PeerError && error.code === 'FLEET_UNREACHABLE';
}

function isStored(value: StoredRecord | undefined): value is StoredRecord {
  return typeof value?.claim?.server === 'string' && typeof value.untilMs === 'number';
}
