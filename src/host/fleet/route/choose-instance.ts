// Chooses the instance of a server that answers a request. For a stateless server, it is the one with the fewest calls of this node
// in flight; among equals one on this node, or each in turn. Otherwise a client keeps its instance as long as that exists. A new
// client gets one by rendezvous hashing, so that all nodes choose the same one for it, and an added or removed replica affects only
// its own share of clients.

import type { SharePolicy } from '../../../config/server-config.ts';
import type { ClientIdentity } from '../../../mcp/service.ts';
import type { RoutedInstance } from './routing-table.ts';

/** Above this limit, the client that was unused for longest is dropped. Its instance is then chosen by hash again. */
const MOST_CLIENTS = 10_000;

export class InstanceChooser {
  readonly #self: string;
  readonly #share: SharePolicy['by'];
  readonly #chosen = new Map<string, string>();
  #turn = 0;

  constructor(self: string, share: SharePolicy['by']) {
    this.#self = self;
    this.#share = share;
  }

  choose(
    instances: readonly RoutedInstance[],
    isStateless: boolean,
    client: ClientIdentity | undefined,
  ): RoutedInstance | undefined {
    if (instances.length <= 1) return instances[0];
    if (isStateless) return this.#any(instances);
    const key = this.#keyOf(client);
    const known = this.#chosen.get(key);
    const kept = known === undefined ? undefined : instances.find(({ id }) => id === known);
    const chosen = kept ?? highest(instances, key);
    if (known !== undefined) this.#chosen.delete(key);
    else if (this.#chosen.size >= MOST_CLIENTS) this.#chosen.delete(this.#chosen.keys().next().value!);
    this.#chosen.set(key, chosen.id);
    return chosen;
  }

  /** Drops a client that has disconnected. Returns its instance, if one was chosen for it. */
  forget(instances: readonly RoutedInstance[], client: ClientIdentity): RoutedInstance | undefined {
    if (instances.length <= 1) return instances[0];
    const key = this.#keyOf(client);
    const known = this.#chosen.get(key);
    if (this.#share !== 'principal') this.#chosen.delete(key);
    return instances.find(({ id }) => id === known);
  }

  #any(instances: readonly RoutedInstance[]): RoutedInstance {
    this.#turn = (this.#turn + 1) % instances.length;
    let best = instances[this.#turn]!;
    for (const instance of instances) {
      const fewer = best.inFlight - instance.inFlight;
      if (fewer > 0 || (fewer === 0 && instance.node === this.#self)) best = instance;
    }
    return best;
  }

  #keyOf(client: ClientIdentity | undefined): string {
    if (!client) return '';
    return this.#share === 'principal' ? `p${client.principal ?? ''}` : `c${client.affinity}`;
  }
}

function highest(instances: readonly RoutedInstance[], key: string): RoutedInstance {
  let best = instances[0]!;
  let bestScore = -1;
  for (const instance of instances) {
    const score = rendezvousScore(key, String(instance.slot));
    if (score > bestScore) [best, bestScore] = [instance, score];
  }
  return best;
}

/**
 * Rendezvous hashing: all nodes choose the candidate with the highest score for a key, and a candidate that disappears moves only its
 * own keys. 32-bit FNV-1a with a final mix, because similar keys must differ in the high bits too.
 */
export function rendezvousScore(key: string, candidate: string): number {
  const text = `${key}\n${candidate}`;
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
