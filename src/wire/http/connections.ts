// Limits on open connections. Any user of this machine can open connections to a loopback port and leave them open. Connections without the
// token share a few slots, and the newest replaces the oldest. Connections with the token are counted separately and never closed for
// others, so that the owner cannot be locked out.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { HttpProblem } from './http-problem.ts';

const MOST_UNAUTHENTICATED = 64;
const MOST_OWNED = 256;
/** How long a connection without the token may be idle. */
const UNAUTHENTICATED_IDLE_MS = 10_000;

export class Connections {
  /** Connections without the token, oldest first. The value is true while a request is being answered. */
  readonly #unauthenticated = new Map<Socket, boolean>();
  readonly #owned = new Set<Socket>();

  constructor(server: Server) {
    server.timeout = UNAUTHENTICATED_IDLE_MS;
    server.maxConnections = MOST_UNAUTHENTICATED + MOST_OWNED;
    server.on('connection', (socket: Socket) => {
      this.#unauthenticated.set(socket, false);
      socket.once('close', () => {
        this.#unauthenticated.delete(socket);
        this.#owned.delete(socket);
      });
      if (this.#unauthenticated.size > MOST_UNAUTHENTICATED) this.#dropOne(socket);
    });
    server.on('request', ({ socket }, response) => {
      if (!this.#unauthenticated.has(socket)) return;
      this.#unauthenticated.set(socket, true);
      response.once('close', () => {
        if (this.#unauthenticated.has(socket)) this.#unauthenticated.set(socket, false);
      });
    });
  }

  /** Called when the connection has presented the token. */
  admit(socket: Socket): void {
    if (this.#owned.has(socket)) return;
    if (this.#owned.size >= MOST_OWNED) {
      throw new HttpProblem(503, `${MOST_OWNED} connections are open: close some of them first`);
    }
    this.#unauthenticated.delete(socket);
    this.#owned.add(socket);
  }

  /** Drops an idle connection, or else the oldest. */
  #dropOne(newest: Socket): void {
    const others = [...this.#unauthenticated].filter(([socket]) => socket !== newest);
    const [socket] = others.find(([, isAnswered]) => !isAnswered) ?? others[0]!;
    this.#unauthenticated.delete(socket);
    socket.destroy();
  }
}
