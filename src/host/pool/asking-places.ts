// Chooses the process for a call that is known to ask questions, at a server before 2026-07-28 whose process all clients share. A
// question can be assigned to a client only while no other client uses the process. So the call runs in the shared process if it is
// otherwise unused, and else in one of a few more processes of the entry, each for one client at a time. A principal has at most half
// of them; beyond that, its calls wait for its own. A call never waits for another principal: if all processes are taken, it runs in
// the shared one, and an ambiguous question there is refused.

import { type ClientKey, clientKeyOf } from '../../mcp/client/session/gated-request.ts';
import type { Caller, ClientIdentity } from '../../mcp/service.ts';
import type { Instance } from './instance.ts';
import type { Tenant, Tenants } from './tenants.ts';

/** Stands for a client without requests. */
const NOBODY = 0;

interface Place {
  /** Undefined for the shared process. */
  readonly tenant: Tenant | undefined;
  readonly instance: Instance;
  /** Number of running calls that may ask, by client. */
  readonly calls: Map<ClientKey, number>;
  /** Principal of the last call. */
  principal: string | undefined;
}

interface PlacesOptions {
  /** Creates the slot owner for one more process. */
  add(): Tenant;
}

export class AskingPlaces {
  readonly #home: Place;
  readonly #tenants: Tenants;
  readonly #options: PlacesOptions;
  #places: Place[] = [];

  constructor(home: Instance, tenants: Tenants, options: PlacesOptions) {
    this.#home = { tenant: undefined, instance: home, calls: new Map(), principal: undefined };
    this.#tenants = tenants;
    this.#options = options;
  }

  /** Assigns a process to a call until `leave`. */
  enter(caller: Caller): { tenant: Tenant | undefined; leave: () => void } {
    const client = clientKeyOf(caller);
    const place = this.#choose(client, caller.client.identity);
    const { calls, tenant } = place;
    calls.set(client, (calls.get(client) ?? 0) + 1);
    place.principal = caller.client.identity.principal;
    const leave = () => {
      const left = calls.get(client)! - 1;
      if (left > 0) calls.set(client, left);
      else calls.delete(client);
    };
    return { tenant, leave };
  }

  #choose(client: ClientKey, { principal }: ClientIdentity): Place {
    this.#places = this.#places.filter(({ tenant }) => isUsable(tenant!));
    const known = this.#places.find(({ calls }) => calls.has(client));
    if (known) return known;
    const free = [this.#home, ...this.#places].find(
      ({ calls, instance }) => calls.size - Number(calls.has(client)) === 0 && instance.isFreeFor(client),
    );
    if (free) return free;
    const own = this.#places.filter((place) => place.principal === principal && isTaken(place));
    if (own.length < Math.ceil(this.#tenants.most / 2) && this.#tenants.hasRoom) return this.#addPlace();
    return own.sort((a, b) => a.calls.size - b.calls.size)[0] ?? this.#home;
  }

  #addPlace(): Place {
    const tenant = this.#options.add();
    const place = { tenant, instance: tenant.instance, calls: new Map(), principal: undefined };
    this.#places.push(place);
    return place;
  }
}

/** Calls that the client has given up may still run there. */
function isTaken({ calls, instance }: Place): boolean {
  return calls.size > 0 || !instance.isFreeFor(NOBODY);
}

function isUsable({ isEnding, isRetired, isForgotten, instance }: Tenant): boolean {
  return !isEnding && !isRetired && !isForgotten && instance.supervised.state !== 'failed';
}
