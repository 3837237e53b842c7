// One tap or host in another process: its events arrive through its socket, and a host also accepts commands.

import type { Socket } from 'node:net';
import { RemoteHost } from '../../../host/control/remote-host.ts';
import type { LiveDescriptor } from '../../../observe/live/descriptor.ts';
import { connectLive } from '../../../observe/live/find-live.ts';
import { type RecordingItem, readRecording } from '../../../observe/record/reader.ts';

export class LiveMember {
  readonly descriptor: LiveDescriptor;
  /** Set for a host, while it runs. */
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
