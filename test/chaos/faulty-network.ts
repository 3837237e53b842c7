// A network between a client and a server on loopback that injects one fault at a given byte, in one direction. TCP keeps bytes in order
// and complete; `duplicate` and `reorder` stand for faults of proxies.

import { connect, createServer, type Server, type Socket } from 'node:net';

/** `cut`: resets both sides. `truncate`: ends one direction, as if the sender had finished. */
export const faults = ['cut', 'truncate', 'delay', 'duplicate', 'reorder'] as const;

export interface Plan {
  fault: (typeof faults)[number];
  direction: Direction;
  /** Position of the byte, counted from `arm`. */
  at: number;
}

type Direction = 'toServer' | 'toClient';

const DELAY_MS = 5;

export class FaultyNetwork {
  /** Number of bytes since the last `arm`. */
  passed: Record<Direction, number> = { toServer: 0, toClient: 0 };
  readonly sockets = new Set<Socket>();
  /** Port of the server. */
  target = 0;
  readonly #server: Server;
  #plan: Plan | undefined;

  private constructor() {
    this.#server = createServer((client) => this.#connect(client, connect(this.target, '127.0.0.1')));
  }

  static async open(): Promise<FaultyNetwork> {
    const network = new FaultyNetwork();
    await new Promise<void>((resolve) => network.#server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Sets the next fault, which occurs once. Undefined: no fault. */
  arm(plan: Plan | undefined): void {
    this.#plan = plan;
    this.passed = { toServer: 0, toClient: 0 };
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #connect(client: Socket, server: Socket): void {
    this.#pass('toServer', client, server);
    this.#pass('toClient', server, client);
  }

  #pass(direction: Direction, from: Socket, to: Socket): void {
    let isOver = false;
    this.sockets.add(from);
    from.setNoDelay();
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroySoon();
    });
    from.on('end', () => to.end());
    from.on('data', (chunk: Buffer) => {
      if (isOver) return;
      const start = this.passed[direction];
      this.passed[direction] += chunk.length;
      const plan = this.#plan;
      const at = plan ? plan.at - start : -1;
      if (plan?.direction !== direction || at < 0 || at >= chunk.length) return void to.write(chunk);
      this.#plan = undefined;
      const [before, after] = [chunk.subarray(0, at), chunk.subarray(at)];
      switch (plan.fault) {
        case 'cut':
          isOver = true;
          to.write(before, () => {
            to.resetAndDestroy();
            from.resetAndDestroy();
          });
          break;
        case 'truncate':
          isOver = true;
          to.end(before);
          break;
        case 'delay':
          from.pause();
          to.write(before);
          setTimeout(() => {
            to.write(after);
            from.resume();
          }, DELAY_MS);
          break;
        case 'duplicate':
          to.write(Buffer.concat([before, after.subarray(0, 1), after]));
          break;
        case 'reorder':
          to.write(Buffer.concat([before, after.subarray(1, 2), after.subarray(0, 1), after.subarray(2)]));
      }
    });
  }
}
