// Chooses the process for a call that is known to ask questions, at a server before 2026-07-28 whose process all clients share. A
// question can be assigned to a client only while no other client uses the process. So the call runs in the shared process if it is
// otherwise unused, and else in one of a few more processes of the entry, each for one client at a time. A principal has at most half
// of them; beyond that, its calls wait for its own. A call never waits for another principal: if all processes are taken, it runs in
// the shared one, and an ambiguous question there is refused.

import { type ClientKey, clientKeyOf } from '../../mcp/client/session/gated-request.ts';
import type { Caller, ClientIdentity } from '../../mcp/service.ts';
import type { Instance } from './instance.ts';
import type { ProcessSlot, ProcessSlots } from './process-slots.ts';

/** Stands for a client without requests. */
const NOBODY = 0;

interface Place {
  /** Undefined for the shared process. */
  readonly slot: ProcessSlot | undefined;
  readonly instance: Instance;
  /** Number of running calls that may ask, by client. */
  readonly calls: Map<ClientKey, number>;
  /** Principal of the last call. */
  principal: string | undefined;
}

interface PlacesOptions {
  /** Creates the slot owner for one more process. */
  add(): ProcessSlot;
}

export class AskingPlaces {
  readonly #home: Place;
  readonly #slots: ProcessSlots;
  readonly #options: PlacesOptions;
  #places: Place[] = [];

  constructor(home: Instance, slots: ProcessSlots, options: PlacesOptions) {
    this.#home = { slot: undefined, instance: home, calls: new Map(), principal: undefined };
    this.#slots = slots;
    this.#options = options;
  }

  /** Assigns a process to a call until `leave`. */
  enter(caller: Caller): { slot: ProcessSlot | undefined; leave: () => void } {
    const client = clientKeyOf(caller);
    const place = this.#choose(client, caller.client.identity);
    const { calls, slot } = place;
    calls.set(client, (calls.get(client) ?? 0) + 1);
    place.principal = caller.client.identity.principal;
    const leave = () => {
      const left = calls.get(client)! - 1;
      if (left > 0) calls.set(client, left);
      else calls.delete(client);
    };
    return { slot, leave };
  }

  #choose(client: ClientKey, { principal }: ClientIdentity): Place {
    this.#places = this.#places.filter(({ slot }) => isUsable(slot!));
    const known = this.#places.find(({ calls }) => calls.has(client));
    if (known) return known;
    const free = [this.#home, ...this.#places].find(
      ({ calls, instance }) => calls.size - Number(calls.has(client)) === 0 && instance.isFreeFor(client),
    );
    if (free) return free;
    const own = this.#places.filter((place) => place.principal === principal && isTaken(place));
    if (own.length < Math.ceil(this.#slots.most / 2) && this.#slots.hasRoom) return this.#addPlace();
    return own.sort((a, b) => a.calls.size - b.calls.size)[0] ?? this.#home;
  }

  #addPlace(): Place {
    const slot = this.#options.add();
    const place = { slot, instance: slot.instance, calls: new Map(), principal: undefined };
    this.#places.push(place);
    return place;
  }
}

/** Calls that the client has given up may still run there. */
function isTaken({ calls, instance }: Place): boolean {
  return calls.size > 0 || !instance.isFreeFor(NOBODY);
}

function isUsable({ isEnding, isRetired, isForgotten, instance }: ProcessSlot): boolean {
  return !isEnding && !isRetired && !isForgotten && instance.supervised.state !== 'failed';
}
