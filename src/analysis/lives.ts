// The processes ("lives") of each server, as the events show them. Bounded: those that run and the newest are kept.

import { decodeText } from '../base/decode-text.ts';
import type { FlowEvent } from '../flow/event.ts';
import type { Redact } from '../secrets/redact.ts';
import type { Exchange } from './exchange.ts';
import { keepNewest } from './keep-newest.ts';

/** One process of a server, from its spawn to its exit. */
export interface Life {
  life: number;
  pid: number | undefined;
  command: string | undefined;
  startedAtMs: number;
  readyAtMs: number | undefined;
  endedAtMs: number | undefined;
  exitCode: number | null | undefined;
  signal: string | null | undefined;
  rung: string | undefined;
  stderrTail: string;
}

const MOST_LIVES = 200;
const MOST_SERVERS = 1_000;
/** More is kept than is shown, so that no secret is cut before it is found. */
const KEPT_STDERR_CHARS = 16 * 1024;
const SHOWN_STDERR_CHARS = 4096;

export class Lives {
  readonly #byServer = new Map<string, Map<number, Life>>();
  /** Servers of a host, which reports their states. */
  readonly #saysStates = new Set<string>();

  get servers(): string[] {
    return [...this.#byServer.keys()];
  }

  of(server: string, redact: Redact = (text) => text): Life[] {
    const lives = [...(this.#byServer.get(server)?.values() ?? [])];
    return lives.map((life) => ({
      ...life,
      command: life.command && redact(life.command),
      stderrTail: redact(life.stderrTail).slice(-SHOWN_STDERR_CHARS),
    }));
  }

  /** Returns whether something changed that is shown at once. */
  see(event: FlowEvent): boolean {
    const life = this.#life(event);
    switch (event.kind) {
      case 'spawn':
        life.pid = event.pid;
        life.command = event.command;
        life.startedAtMs = event.atMs;
        return true;
      case 'state':
        this.#saysStates.add(event.server);
        if (event.to === 'ready') life.readyAtMs = event.atMs;
        return true;
      case 'exit':
        life.endedAtMs = event.atMs;
        life.exitCode = event.exitCode;
        life.signal = event.signal;
        return true;
      case 'stop':
        life.rung = event.rung;
        return true;
      case 'stderr':
        life.stderrTail = (life.stderrTail + decodeText(event.payload)).slice(-KEPT_STDERR_CHARS);
        return false;
      default:
        return false;
    }
  }

  /** Without state events, a server counts as ready at its first answer. */
  answered({ server, life, endMs }: Exchange): void {
    const known = this.#byServer.get(server)?.get(life);
    if (known && !this.#saysStates.has(server)) known.readyAtMs ??= endMs;
  }

  #life({ server, life, atMs }: FlowEvent): Life {
    let lives = this.#byServer.get(server);
    if (!lives) {
      lives = new Map();
      this.#byServer.set(server, lives);
      keepNewest(this.#byServer, MOST_SERVERS);
    }
    let found = lives.get(life);
    if (!found) {
      found = { life, startedAtMs: atMs, stderrTail: '' } as Life;
      lives.set(life, found);
      if (lives.size > MOST_LIVES) lives.delete(oldestOf(lives));
    }
    return found;
  }
}

/** The first that has ended, before those that run. */
function oldestOf(lives: ReadonlyMap<number, Life>): number {
  const [first] = lives.keys();
  for (const [life, { endedAtMs }] of lives) if (endedAtMs !== undefined) return life;
  return first!;
}
