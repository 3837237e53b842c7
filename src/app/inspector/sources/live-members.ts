// Taps and hosts in other processes: how they are found, their sockets, and unique names for their servers.

import { readdir } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { type Clock, systemClock, type Timer } from '../../../base/clock.ts';
import { RemoteHost } from '../../../host/control/remote-host.ts';
import { connectLive, findLive } from '../../../observe/live/find-live.ts';
import type { LiveDescriptor } from '../../../observe/live/runtime-folder.ts';
import { runtimeFolder } from '../../../observe/live/runtime-folder.ts';
import { type RecordingItem, readRecording } from '../../../observe/record/reader.ts';

/** One tap or host. Its events arrive through its socket; a host also accepts commands. */
export class LiveMember {
  readonly descriptor: LiveDescriptor;
  /** The commands of a host, while it runs; undefined for a tap. */
  host: RemoteHost | undefined;
  ended = false;
  readonly #socket: Socket;
  readonly #read: Promise<void>;

  private constructor(
    descriptor: LiveDescriptor,
    socket: Socket,
    host: RemoteHost | undefined,
    take: (member: LiveMember, item: RecordingItem) => void,
    ended: (member: LiveMember) => void,
  ) {
    this.descriptor = descriptor;
    this.host = host;
    this.#socket = socket;
    this.#read = this.#readAll((item) => take(this, item)).then(async () => {
      this.ended = true;
      const { host } = this;
      this.host = undefined;
      await host?.close();
      ended(this);
    });
  }

  /** Rejects with the system's error if nothing answers. */
  static async connect(
    descriptor: LiveDescriptor,
    take: (member: LiveMember, item: RecordingItem) => void,
    ended: (member: LiveMember) => void,
  ): Promise<LiveMember> {
    const socket = await connectLive(descriptor);
    const { control } = descriptor;
    // A host of another version can only be watched.
    const host = control === undefined ? undefined : await RemoteHost.connect(control).catch(() => undefined);
    return new LiveMember(descriptor, socket, host, take, ended);
  }

  async close(): Promise<void> {
    this.#socket.destroy();
    await this.#read;
  }

  async #readAll(take: (item: RecordingItem) => void): Promise<void> {
    try {
      for await (const item of readRecording(this.#socket)) take(item);
    } catch {
      // The process was killed, or this side has closed: in both cases nothing more arrives.
    }
  }
}

const LOOK_MS = 1_000;

/** Finds taps and hosts that start. Connects only after the file names in the folder have changed. */
export class LiveWatch {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #known = new Set<string>();
  #names = '';
  #timer: Timer | undefined;
  #stopped = false;

  constructor(folder: string = runtimeFolder(), clock: Clock = systemClock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** Resolves when all running taps and hosts were found. `found` is called once for each. */
  async start(found: (descriptor: LiveDescriptor) => Promise<void>): Promise<void> {
    await this.#look(found);
    if (this.#stopped) return;
    this.#timer = this.#clock.after(LOOK_MS, () => void this.start(found));
    this.#timer.keepAlive(false);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #look(found: (descriptor: LiveDescriptor) => Promise<void>): Promise<void> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => name.endsWith('.json')).join('\n'); // the folder may not exist yet
    if (names === this.#names) return;
    this.#names = names;
    for (const descriptor of await findLive(this.#folder)) {
      if (this.#known.has(descriptor.socket) || this.#stopped) continue;
      this.#known.add(descriptor.socket);
      await found(descriptor);
    }
  }
}

/** Names under which the servers of all taps and hosts are shown. */
export class ServerNames {
  readonly #owners = new Map<string, LiveMember>();
  readonly #shown = new Map<LiveMember, Map<string, string>>();

  of(member: LiveMember, server: string): string {
    let names = this.#shown.get(member);
    if (!names) {
      names = new Map();
      this.#shown.set(member, names);
    }
    let shown = names.get(server);
    if (shown === undefined) {
      shown = this.#claim(member, server);
      names.set(server, shown);
    }
    return shown;
  }

  /** The member that runs the server, and its name there. */
  find(shown: string): { member: LiveMember; server: string } | undefined {
    const member = this.#owners.get(shown);
    if (!member) return undefined;
    const entry = [...(this.#shown.get(member) ?? [])].find(([, name]) => name === shown);
    return entry && { member, server: entry[0] };
  }

  /** Frees the names of a member that has ended, and returns them. */
  release(member: LiveMember): string[] {
    const names = [...(this.#shown.get(member)?.values() ?? [])];
    for (const name of names) if (this.#owners.get(name) === member) this.#owners.delete(name);
    this.#shown.delete(member);
    return names;
  }

  #claim(member: LiveMember, server: string): string {
    const { kind, pid } = member.descriptor;
    const candidates = [server, `${server} (${kind} ${pid})`];
    const free =
      candidates.find((name) => !this.#owners.has(name)) ?? `${server} (${kind} ${pid}, ${this.#owners.size})`;
    this.#owners.set(free, member);
    return free;
  }
}
