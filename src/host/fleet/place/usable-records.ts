// Checks records of a fleet. Others may have been written by another version, or by hand: they are ignored, and must not crash the
// node that reads them. An unusable version of a known entry is not a removal: the version before it stays in force.

import { isObject } from '../../../base/json-object.ts';
import { defaultPlace, MOST_LABELS, MOST_REPLICAS, type Place } from '../../../config/server-config.ts';
import type { ClaimRecord, NodeRecord, ServerRecord } from '../cluster-network.ts';
import { fleetName, isAddressable, keyOfServer, keyOfSlot } from '../subjects.ts';

/** Servers that a node offers, at most. Further ones in its record are ignored. */
export const MOST_OFFERS = 1_000;
/** Nodes on which a server has failed, in a claim. */
const MOST_TRIED = 1_000;

/** Unreadable values in `place` are replaced by their defaults. */
export function usableServer(value: ServerRecord, key: string): ServerRecord | undefined {
  if (!isObject(value) || typeof value.name !== 'string' || keyOfServer(value.name) !== key) return undefined;
  // These characters are reserved for servers and instances on nodes: such an entry would replace one.
  if (!isObject(value.entry) || /[@#]/.test(value.name) || !isAddressable(value.name)) return undefined;
  const { labels, replicas, spread, stateless } = (isObject(value.place) ? value.place : {}) as Partial<Place>;
  const required = textsIn(labels);
  if (required.length > MOST_LABELS) return undefined; // without one of them, it would run on other nodes
  const count = Number.isInteger(replicas) ? Math.min(Math.max(replicas!, 0), MOST_REPLICAS) : defaultPlace.replicas;
  return {
    name: value.name,
    entry: value.entry,
    place: {
      labels: required,
      replicas: count,
      spread: spread === 'nodes' ? 'nodes' : 'prefer',
      stateless: stateless === true,
    },
  };
}

export function usableNode(value: NodeRecord, key: string): NodeRecord | undefined {
  if (!isObject(value) || value.name !== key || !fleetName.test(key) || typeof value.session !== 'string')
    return undefined;
  return {
    ...value,
    labels: textsIn(value.labels).slice(0, MOST_LABELS),
    offers: [...new Set(textsIn(value.offers).slice(0, MOST_OFFERS).filter(isAddressable))],
    draining: value.draining === true,
  };
}

export function usableClaim(value: ClaimRecord, key: string): ClaimRecord | undefined {
  return isUsableClaim(value, key) ? value : undefined;
}

function isUsableClaim(value: ClaimRecord, key: string): boolean {
  if (!isObject(value)) return false;
  const { server, node, session, slot, generation, failed, tried } = value as Partial<ClaimRecord>;
  if (failed !== undefined && typeof failed !== 'string') return false;
  if (tried !== undefined && !(Array.isArray(tried) && tried.length <= MOST_TRIED)) return false;
  if (tried?.some((each) => typeof each !== 'string')) return false;
  const isNamed = [server, node, session].every((each) => typeof each === 'string');
  const isCounted = [slot, generation].every((each) => Number.isInteger(each));
  return isNamed && isCounted && keyOfSlot(server!, slot!) === key;
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
