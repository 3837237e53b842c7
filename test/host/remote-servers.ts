// Remote servers for tests: in this process, stopped and started again at the same port; and a network that can be
// interrupted.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type HttpServing, type ServeHttpOptions, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import type { ServerState, StateChange } from '../../src/host/supervision/server-state.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { later } from '../fixtures/later.ts';

/** An HTTP server that can be stopped and started again at the same address. */
export class Remote {
  readonly server: Server;
  readonly #options: ServeHttpOptions;
  #serving: HttpServing | undefined;
  port = 0;
  calls = 0;

  constructor(options: ServeHttpOptions = {}) {
    this.#options = options;
    this.server = new Server({ name: 'remote', version: '1.0.0' });
    this.server.tool('count', { annotations: { readOnlyHint: true } }, () => String(++this.calls));
    this.server.tool('add', {}, async (_args, call) => {
      this.calls++;
      call.progress(1);
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      return 'never';
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  async up(): Promise<this> {
    this.#serving = await serveHttp(this.server, { token: false, port: this.port, ...this.#options });
    this.port = this.#serving.port;
    return this;
  }

  async down(): Promise<void> {
    await this.#serving?.close();
    this.#serving = undefined;
  }
}

export async function remoteUp(options?: ServeHttpOptions): Promise<Remote> {
  const remote = await new Remote(options).up();
  later(() => remote.down());
  return remote;
}

/** A TCP relay in front of a server that can be interrupted. */
export class Network {
  readonly #listener = createServer((near) => this.#carry(near));
  readonly #sockets = new Set<Socket>();
  readonly #to: number;

  constructor(to: number) {
    this.#to = to;
  }

  async up(port = 0): Promise<number> {
    this.#listener.listen(port, '127.0.0.1');
    await once(this.#listener, 'listening');
    return (this.#listener.address() as AddressInfo).port;
  }

  /** Destroys open connections and refuses new ones. */
  async down(): Promise<void> {
    if (!this.#listener.listening) return;
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #carry(near: Socket): void {
    const far = connect(this.#to, '127.0.0.1');
    // The server accepts only its own Host header.
    const host = new RegExp(`(?<=^Host: 127.0.0.1:)${(this.#listener.address() as AddressInfo).port}`, 'gm');
    near.on('data', (chunk) => far.write(chunk.toString('latin1').replace(host, String(this.#to)), 'latin1'));
    far.on('data', (chunk) => near.write(chunk));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => undefined); // destroyed by `down` or `cut`
      one.on('close', () => other.destroy());
    }
  }
}

/** The reported state changes of a host, and waits for them. */
export class States {
  readonly seen: StateChange[] = [];
  readonly #looks = new Set<() => void>();

  readonly changed = (change: StateChange): void => {
    this.seen.push(change);
    for (const look of this.#looks) look();
  };

  /** Resolves with the next change to this state, or with one since the last `next`. */
  next(to: ServerState): Promise<StateChange> {
    return new Promise((resolve) => {
      const look = () => {
        const at = this.seen.findIndex((change) => change.to === to);
        if (at < 0) return;
        this.#looks.delete(look);
        resolve(this.seen.splice(0, at + 1).at(-1)!);
      };
      this.#looks.add(look);
      look();
    });
  }
}

export const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
