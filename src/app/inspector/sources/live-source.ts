// All taps and hosts that run in other processes, on one clock. New ones are added, and the events of those that end are kept. Server
// names are unique: the first server keeps its name while it runs; a server that is started again under its name continues as another
// process run of the same server.

import { type Clock, systemClock, type Timer } from '../../../base/clock.ts';
import { UsageError } from '../../../base/errors.ts';
import type { FleetStatus } from '../../../host/fleet/fleet-status.ts';
import { isOfClient } from '../../../observe/flow/event.ts';
import type { LiveDescriptor } from '../../../observe/live/runtime-folder.ts';
import type { RecordingItem } from '../../../observe/record/reader.ts';
import { type Origin, RestoredFlow } from '../../../observe/record/restored-flow.ts';
import type { Reach } from '../api.ts';
import { LiveMember, LiveWatch, ServerNames } from './live-members.ts';
import type { InspectorSource, SourceHost } from './source.ts';

interface Held {
  atMs: number;
  run: () => void;
}

export interface LiveSourceOptions {
  folder?: string;
  clock?: Clock;
}

/** Earlier events count as read after QUIET_MS without an event, or after PATIENCE_MS. */
const QUIET_MS = 100;
const PATIENCE_MS = 5_000;
const HOLD_MS = 30;

export function liveSource({ folder, clock = systemClock }: LiveSourceOptions = {}): InspectorSource {
  return new LiveSource(new LiveWatch(folder, clock), clock);
}

class LiveSource implements InspectorSource {
  readonly title = 'all running taps and hosts';
  readonly live = true;
  lost = 0;
  readonly #watch: LiveWatch;
  readonly #restored = new RestoredFlow({ maxEvents: 200_000, maxBytes: 64 * 1024 * 1024 });
  readonly #clock: Clock;
  readonly #order: TimeOrder;
  readonly #names = new ServerNames();
  readonly #members = new Set<LiveMember>();
  readonly #runs = new Map<LiveMember, Origin>();
  #arrivals = 0;
  #opening = true;
  #closed = false;

  constructor(watch: LiveWatch, clock: Clock) {
    this.#watch = watch;
    this.#clock = clock;
    this.#order = new TimeOrder(HOLD_MS, clock);
  }

  get kind(): 'host' | 'tap' {
    return this.host ? 'host' : 'tap';
  }

  get flow() {
    return this.#restored.store;
  }

  isHosted(shown: string): boolean {
    return this.#names.find(shown)?.member.host !== undefined;
  }

  reach(shown: string): Reach | undefined {
    const found = this.#names.find(shown);
    const options = found?.member.descriptor.cliOptions;
    return found && Array.isArray(options) ? { server: found.server, options: options.map(String) } : undefined;
  }

  get startedAt(): Date {
    return this.#restored.startedAt;
  }

  get host(): SourceHost | undefined {
    return [...this.#members].some(({ host }) => host) ? this.#acting : undefined;
  }

  /** Status of the fleet of the first host that has joined one. */
  async fleet(): Promise<FleetStatus | undefined> {
    for (const { host } of this.#members) {
      const status = await host?.control('standpipe/fleet', {}).catch(() => undefined); // fails if the host is not in a fleet
      if (status) return status;
    }
    return undefined;
  }

  async open(): Promise<void> {
    await this.#watch.start((descriptor) => this.#join(descriptor).catch(() => undefined)); // the member has just ended
    await this.#quiet();
    this.#opening = false;
    this.#order.flush();
    this.#restored.beginClock();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watch.stop();
    await Promise.all([...this.#members].map((member) => member.close()));
    this.#order.flush();
  }

  async #join(descriptor: LiveDescriptor): Promise<void> {
    const member = await LiveMember.connect(descriptor, this.#take, this.#left);
    if (this.#closed) await member.close();
    else this.#members.add(member);
    await this.#claimNames(member);
  }

  /** The server that runs first keeps the plain name, regardless of the order of events. */
  async #claimNames(member: LiveMember): Promise<void> {
    if (member.descriptor.kind === 'tap') this.#names.of(member, member.descriptor.name);
    for (const { name } of (await member.host?.status())?.servers ?? []) this.#names.of(member, name);
  }

  readonly #take = (member: LiveMember, item: RecordingItem): void => {
    this.#arrivals++;
    if (item.type === 'gap') this.lost += item.toSeq - item.fromSeq + 1;
    if (item.type !== 'event') return;
    const { run, event } = item;
    if (!isOfClient(event)) this.#names.of(member, event.server); // names are claimed in the order of arrival
    this.#restored.expect(run);
    this.#runs.set(member, run);
    const add = () => this.#restored.add(run, event, (server) => this.#names.of(member, server));
    this.#order.add((run.startedAt?.getTime() ?? 0) + event.atMs, add, this.#opening);
  };

  readonly #left = (member: LiveMember): void => {
    this.#members.delete(member);
    if (this.#closed) return;
    this.#order.flush();
    const { kind, pid } = member.descriptor;
    const run = this.#runs.get(member);
    if (run) this.#restored.ended(run);
    this.#runs.delete(member);
    for (const server of this.#names.release(member)) this.#restored.note(server, `The ${kind} (${pid}) has ended`);
  };

  readonly #acting: SourceHost = {
    status: async () => {
      const asked = [...this.#members].map(async (member) => {
        const status = await member.host?.status().catch(() => undefined); // the host is closing
        return status?.servers.map((server) => ({ ...server, name: this.#names.of(member, server.name) })) ?? [];
      });
      return (await Promise.all(asked)).flat();
    },
    find: (shown) => {
      const found = this.#names.find(shown);
      const host = found?.member.host;
      if (!host) throw new UsageError('NAME_UNKNOWN', `No host here runs a server named "${shown}"`);
      return { host, name: found.server, sendsRawJson: false };
    },
  };

  async #quiet(): Promise<void> {
    const deadlineMs = this.#clock.nowMs() + PATIENCE_MS;
    for (let before = -1; before !== this.#arrivals && this.#clock.nowMs() < deadlineMs; ) {
      before = this.#arrivals;
      await new Promise<void>((resolve) => this.#clock.after(QUIET_MS, resolve));
    }
  }
}

/** Sorts events from several sources by time: they are held for a short time and then released in order. */
class TimeOrder {
  readonly #holdMs: number;
  readonly #clock: Clock;
  #held: Held[] = [];
  #timer: Timer | undefined;

  constructor(holdMs: number, clock: Clock = systemClock) {
    this.#holdMs = holdMs;
    this.#clock = clock;
  }

  /** `run` is called later, after all earlier events that arrived in time. `untilFlush`: not before `flush` is called. */
  add(atMs: number, run: () => void, untilFlush = false): void {
    this.#held.push({ atMs, run });
    if (!untilFlush) this.#timer ??= this.#clock.after(this.#holdMs, () => this.flush());
  }

  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const held = this.#held.sort((a, b) => a.atMs - b.atMs); // the sort is stable: events of one source keep their order
    this.#held = [];
    for (const { run } of held) run();
  }
}
