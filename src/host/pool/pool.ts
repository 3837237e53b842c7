// The processes of a server, by the `share` of its entry. The host has its own process for requests unrelated to a client; with `all`,
// every client uses that process too. Commands apply to all processes.

import { firstChars } from '../../base/first-chars.ts';
import { textOf } from '../../base/text-of.ts';
import { isOfFleet, type SharePolicy } from '../../config/server-config.ts';
import { type ClientKey, clientKeyOf, toolOf, usesId } from '../../mcp/client/session/gated-request.ts';
import { mayAsk } from '../../mcp/methods.ts';
import type { Caller, ClientFacts, ClientIdentity, Params } from '../../mcp/service.ts';
import type { HostContext } from '../hosted-server.ts';
import { hostClient } from '../services/typed-client.ts';
import { serverStopped } from '../supervision/server-errors.ts';
import type { ServerStatus } from '../supervision/server-state.ts';
import type { Replacement } from '../supervision/supervision.ts';
import { type Askable, askableByHandlers, askableOf, ClientsAskable, isPermitted, isQuestion } from './askable.ts';
import { Instance, type InstanceOwner } from './instance.ts';
import { type ProcessSlot, ProcessSlots } from './process-slots.ts';

const CHANGED = 'its entry in the config changed';
const LONGEST_NAME = 64;
export class Pool {
  readonly home: Instance;
  readonly slots: ProcessSlots;
  readonly places: AskingPlaces;
  leaving: Promise<unknown> | undefined;
  readonly #server: InstanceOwner;
  readonly #context: HostContext;
  /** Capabilities of the clients that share the host's process. */
  readonly #askable = new ClientsAskable();
  readonly #askableAt = new WeakMap<Instance, readonly Askable[]>();
  #calls = 0;
  /** True if the shared process was restarted to declare more capabilities, and none of its successors has been used since. */
  #hasRestarted = false;

  constructor(server: InstanceOwner, context: HostContext) {
    this.#server = server;
    this.#context = context;
    this.home = new Instance(server, context);
    this.slots = new ProcessSlots(context.clock, () => server.config);
    this.places = new AskingPlaces(this.home, this.slots, () =>
      this.#add(`asks ${++this.#calls}`, 'calls that ask questions'),
    );
  }

  /** The capabilities that are declared to a process that starts now. */
  askable(instance: Instance): Askable[] {
    const { clientCapabilities: only } = this.#server.config;
    return [...(this.#askableAt.get(instance) ?? this.#askable.all)].filter((each) => isPermitted(each, only));
  }

  /** Must be called before a client uses the shared process. */
  noticed(client: ClientFacts): void {
    if (this.home.client?.server.era === 'modern') return;
    this.#askable.add(client.identity, this.#askableOf(client));
  }

  /** Restarts the shared process if a client has capabilities that were not declared to it, unless it has been used. */
  beforeUse(method: string, client: ClientFacts): void {
    this.noticed(client);
    if (mayAsk(method) && this.home.supervised.state === 'ready') this.announceMore();
  }

  /** Must be called when the shared process is connected: clients may have arrived while it started. */
  announceMore(): void {
    const { home } = this;
    if (home.hasRun) this.#hasRestarted = false;
    const unannounced = home.hasRun ? [] : this.#unannounced;
    // Clients choose the names of extensions: each new one must not cause a restart.
    if (unannounced.length === 0 || (this.#hasRestarted && !unannounced.some(isQuestion))) return;
    this.#hasRestarted = true;
    void home.supervised.end('a client supports capabilities that were not declared to the process', true);
  }

  /** Whether a request may ask a question while other clients use the same process. */
  asksBesideOthers(method: string, params: Params, { identity }: ClientFacts): boolean {
    const { asking } = this.#server;
    if (asking.isEmpty || this.#by !== 'all' || this.home.client?.server.era !== 'legacy') return false;
    return mayAsk(method) && !usesId(method, params) && asking.has(toolOf(method, params), identity.principal);
  }

  /** Key of the process slot of a request. Undefined if the host's own process runs it. */
  keyOf(client: ClientFacts | undefined, method?: string): string | undefined {
    switch (this.#by) {
      case 'all':
        return undefined;
      case 'principal':
        return client?.identity.principal;
      case 'client':
        return client?.identity.affinity === hostClient.affinity ? undefined : client?.identity.affinity;
      case 'call':
        return method === 'tools/call' ? `call ${++this.#calls}` : undefined;
    }
  }

  slot(key: string, client: ClientFacts | undefined, params?: Params): ProcessSlot {
    const known = this.slots.find(key);
    if (known) return known;
    const by = this.#by;
    return this.#add(key, ownerOf(by, client, params), by === 'call', client);
  }

  gone(client: ClientIdentity): void {
    const { id, affinity } = client;
    if (id !== affinity) return;
    this.#askable.gone(client);
    if (isOfFleet(this.#server.config)) return this.home.client?.service.gone?.(client);
    if (this.#by !== 'client') return;
    const slot = this.slots.find(affinity);
    if (slot) this.slots.over(slot);
  }

  get isWanted(): boolean {
    return this.#instances.some(({ supervised }) => supervised.intention.wanted);
  }

  get hasProcess(): boolean {
    return this.#instances.some(({ supervised }) => supervised.hasProcess);
  }

  /** Starts the host's own process and the processes with subscriptions. Requests start the other processes. */
  async start(): Promise<void> {
    this.release();
    for (const slot of this.slots.current) {
      const { supervised } = slot.instance;
      if (slot.subscriptions > 0)
        supervised.start().catch(() => undefined); // the status shows the reason
      else if (supervised.state === 'failed') void this.#rested(slot, supervised.end('start requested'));
    }
    await this.home.supervised.start();
  }

  release(): void {
    this.home.supervised.release();
    for (const { instance } of this.slots.current) instance.supervised.release();
  }

  async stop(reason?: string): Promise<void> {
    const stopped = this.home.supervised.stop(reason);
    this.slots.refuse(serverStopped(this.#server.config.name, this.home.supervised.intention.held!));
    const others = this.slots.all.map((slot) => this.#rested(slot, slot.instance.supervised.stop(reason)));
    await Promise.all([stopped, ...others]);
  }

  /** Restarts the host's own process and processes with subscriptions. Requests start the others again. */
  async restart(): Promise<void> {
    const others = this.slots.current.map((slot) => {
      const { supervised } = slot.instance;
      supervised.release();
      return this.#rested(slot, supervised.end('restarted', slot.subscriptions > 0));
    });
    await Promise.all([this.home.supervised.restart(), ...others]);
  }

  /** Applies a changed entry. Resolves when the processes of the previous entry have exited. */
  async replace({ wanted, held }: Omit<Replacement, 'reason'>, isOtherShare: boolean): Promise<void> {
    const { config } = this.#server;
    const others = isOtherShare
      ? this.slots.retire(CHANGED)
      : this.slots.current.map((slot) => {
          const again = slot.subscriptions > 0 && held === undefined;
          const intention = { reason: CHANGED, wanted: again, held };
          return this.#rested(slot, slot.instance.supervised.replace(config, intention));
        });
    if (isOtherShare) this.#leave(others); // ends these processes before the host's own process can start
    const own = this.home.supervised.replace(config, { reason: CHANGED, wanted, held });
    if (isOtherShare) this.#leave([own]);
    await Promise.all([own, ...others, this.leaving]);
  }

  lockChanged(): void {
    for (const instance of this.#instances) instance.lockChanged();
  }

  endWatches(): void {
    for (const { service } of this.#instances) service.end();
  }

  get status(): ServerStatus {
    const { source } = this.#server.config;
    const by = this.#by;
    const instances = this.#instances;
    const ready = instances.find(({ supervised }) => supervised.state === 'ready');
    const shown = this.home.supervised.isAtRest && ready ? ready : this.home;
    const all = instances.map(({ supervised }) => supervised.status);
    const { past } = this.slots;
    const unannounced = this.#unannounced.filter(isQuestion);
    const sum = (key: 'calls' | 'errors' | 'restarts') => all.reduce((total, each) => total + each[key], past[key]);
    return {
      ...shown.supervised.status,
      source,
      share: by,
      questions: {
        ...this.#server.asking.status(shown.client?.server.era),
        ...(unannounced.length > 0 && { unannounced }),
      },
      processes: instances
        .filter(({ supervised }) => !supervised.isAtRest || supervised.state === 'failed')
        .map((instance) => instance.status(instance.owner ?? (by === 'all' ? 'all' : 'host'))),
      waiting: this.slots.waiting,
      calls: sum('calls'),
      errors: sum('errors'),
      restarts: sum('restarts'),
      lastError: all.find(({ lastError }) => lastError !== undefined)?.lastError ?? past.lastError,
    };
  }

  /** Capabilities of clients of the shared process that were not declared to it. */
  get #unannounced(): Askable[] {
    const { home } = this;
    if (this.#by !== 'all' || home.client?.server.era !== 'legacy') return [];
    return this.askable(home).filter((each) => !home.announced.has(each));
  }

  /** For a server of a fleet, the node that runs it applies `share`. */
  get #by(): SharePolicy['by'] {
    const { config } = this.#server;
    return isOfFleet(config) ? 'all' : config.share.by;
  }

  get #instances(): Instance[] {
    return [this.home, ...this.slots.all.map(({ instance }) => instance)];
  }

  #add(key: string, owner: string, isOver = false, client?: ClientFacts): ProcessSlot {
    const instance = new Instance(this.#server, this.#context, owner, client !== undefined);
    if (client) this.#askableAt.set(instance, this.#askableOf(client));
    const { held } = this.home.supervised.intention;
    if (held !== undefined) void instance.supervised.stop(held);
    return this.slots.add(key, instance, isOver);
  }

  /** Calls of the host itself have the capabilities of the host's handlers. */
  #askableOf({ identity, capabilities }: ClientFacts): Askable[] {
    const { name, clientCapabilities: only } = this.#server.config;
    if (identity !== hostClient) return askableOf(capabilities, only);
    return askableByHandlers(this.#context.inputs?.(name) ?? {}, only);
  }

  #leave(gone: Promise<void>[]): void {
    const leaving = Promise.all([this.leaving, ...gone]);
    this.leaving = leaving;
    void leaving.then(() => {
      if (this.leaving === leaving) this.leaving = undefined;
    });
  }

  async #rested(slot: ProcessSlot, gone: Promise<void>): Promise<void> {
    await gone;
    this.slots.rested(slot);
  }
}

/** Describes the owner as text. Names given by a client are cut to 64 characters. */
function ownerOf(by: SharePolicy['by'], client: ClientFacts | undefined, params: Params | undefined): string {
  if (by === 'call') return `a call of ${firstChars(textOf(params?.name), LONGEST_NAME)}`;
  const { id, affinity, principal } = client!.identity;
  if (by === 'principal') return principal!;
  if (id !== affinity) return `requests without a session${principal === undefined ? '' : ` of ${principal}`}`;
  const name = client!.info?.name;
  return `client ${id}${typeof name === 'string' ? ` (${firstChars(name, LONGEST_NAME)})` : ''}`;
}

/** Key of a client that does not exist. */
const NOBODY = 0;

interface Place {
  /** The slot of the process; undefined for the shared process. */
  readonly slot: ProcessSlot | undefined;
  readonly instance: Instance;
  /** Number of running calls that may ask, by client. */
  readonly calls: Map<ClientKey, number>;
  /** Principal of the last call. */
  principal: string | undefined;
}

/**
 * Chooses the process for a call that is known to ask questions, at a server before 2026-07-28 whose process all clients share. A question
 * can be assigned to a client only while no other client uses the process. So the call runs in the shared process if it is otherwise
 * unused, or else in one of a few more processes, each for one client at a time. A principal has at most half of them; beyond that, its
 * calls wait for its own. A call never waits for another principal: if all processes are taken, it runs in the shared one, and an ambiguous
 * question there is refused.
 */
class AskingPlaces {
  readonly #home: Place;
  readonly #slots: ProcessSlots;
  readonly #add: () => ProcessSlot;
  #places: Place[] = [];

  constructor(home: Instance, slots: ProcessSlots, add: () => ProcessSlot) {
    this.#home = { slot: undefined, instance: home, calls: new Map(), principal: undefined };
    this.#slots = slots;
    this.#add = add;
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
    if (own.length >= Math.ceil(this.#slots.most / 2) || !this.#slots.hasRoom) {
      return own.sort((a, b) => a.calls.size - b.calls.size)[0] ?? this.#home;
    }
    const slot = this.#add();
    const place = { slot, instance: slot.instance, calls: new Map(), principal: undefined };
    this.#places.push(place);
    return place;
  }
}

/** Calls that their client has cancelled may still run in the process. */
function isTaken({ calls, instance }: Place): boolean {
  return calls.size > 0 || !instance.isFreeFor(NOBODY);
}

function isUsable({ isEnding, isRetired, isForgotten, instance }: ProcessSlot): boolean {
  return !isEnding && !isRetired && !isForgotten && instance.supervised.state !== 'failed';
}
