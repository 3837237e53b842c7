// Who is connected. Any user of this machine can open a connection to a port of the loopback and leave it open. Those that
// have not shown the token share a few places, and the newest takes that of the oldest: nobody can lock out the owner, whose
// connections are counted apart and closed by nobody but him.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { HttpProblem } from './http-problem.ts';

const MOST_STRANGERS = 64;
const MOST_OWNED = 256;
/** How long one without the token may neither send nor take anything. */
const STRANGER_IDLE_MS = 10_000;

export class Connections {
  /** Oldest first; true for those whose request is being answered. */
  readonly #strangers = new Map<Socket, boolean>();
  readonly #owned = new Set<Socket>();

  constructor(server: Server) {
    server.timeout = STRANGER_IDLE_MS;
    server.maxConnections = MOST_STRANGERS + MOST_OWNED;
    server.on('connection', (socket: Socket) => {
      this.#strangers.set(socket, false);
      socket.once('close', () => {
        this.#strangers.delete(socket);
        this.#owned.delete(socket);
      });
      if (this.#strangers.size > MOST_STRANGERS) this.#dropOne(socket);
    });
    server.on('request', ({ socket }, response) => {
      if (!this.#strangers.has(socket)) return;
      this.#strangers.set(socket, true);
      response.once('close', () => {
        if (this.#strangers.has(socket)) this.#strangers.set(socket, false);
      });
    });
  }

  /** It has shown the token. */
  admit(socket: Socket): void {
    if (this.#owned.has(socket)) return;
    if (this.#owned.size >= MOST_OWNED) {
      throw new HttpProblem(503, `${MOST_OWNED} connections are open: close some of them first`);
    }
    this.#strangers.delete(socket);
    this.#owned.add(socket);
  }

  /** One that asks for nothing, or else the oldest. */
  #dropOne(newest: Socket): void {
    const others = [...this.#strangers].filter(([socket]) => socket !== newest);
    const [socket] = others.find(([, isAnswered]) => !isAnswered) ?? others[0]!;
    this.#strangers.delete(socket);
    socket.destroy();
  }
}
