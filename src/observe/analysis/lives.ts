// The process runs of each server. Bounded: running processes and the newest are kept.

import { decodeText } from '../../base/decode-text.ts';
import type { Redact } from '../../base/secrets/redact.ts';
import type { FlowEvent, FlowStamp, HttpFact, RemoteFact } from '../flow/event.ts';
import { type Exchange, keepNewest } from './exchange.ts';
import { isHttpFailure } from './http-failure.ts';

/** One process of a server, from its spawn to its exit; or one connection to a remote server. */
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
  /** The process exited when it was asked for its revision (`server/discover`). Another process of the same start follows. */
  probe?: true;
  stderrTail: string;
  /** Facts about a remote server, which has no process. */
  remote?: RemoteLife;
}

interface RemoteLife {
  url: string;
  /** `http`, or `http+sse` of 2024-11-05. */
  transport: string | undefined;
  revision: string | undefined;
  session: string | undefined;
  requests: number;
  /** HTTP requests without a response, or with a status of 400 or above. */
  failures: number;
  /** The number of streams resumed with Last-Event-ID. */
  resumptions: number;
  needsLogin: boolean;
  lost: string | undefined;
}

const MOST_LIVES = 200;
const MOST_SERVERS = 1_000;
/** More is kept than shown, so that a secret at the cut is complete when it is redacted. */
const KEPT_STDERR_CHARS = 16 * 1024;
const SHOWN_STDERR_CHARS = 4096;

export class Lives {
  readonly #byServer = new Map<string, Map<number, Life>>();
  /** Servers with state events, which only a host reports. */
  readonly #saysStates = new Set<string>();

  get servers(): string[] {
    return [...this.#byServer.keys()];
  }

  of(server: string, redact: Redact = (text) => text): Life[] {
    const lives = [...(this.#byServer.get(server)?.values() ?? [])];
    return lives.map((life) => ({
      ...life,
      command: life.command && redact(life.command),
      ...(life.remote && { remote: { ...life.remote, url: redact(life.remote.url) } }),
      stderrTail: redact(life.stderrTail).slice(-SHOWN_STDERR_CHARS),
    }));
  }

  /** Returns whether viewers must be updated now. */
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
      case 'remote':
        seeRemote(life, event);
        return true;
      case 'http':
        return seeHttp(life, event);
      case 'stderr':
        life.stderrTail = (life.stderrTail + decodeText(event.payload)).slice(-KEPT_STDERR_CHARS);
        return false;
      default:
        return false;
    }
  }

  /** The process exited before it answered `server/discover`. */
  probed({ server, life }: Exchange): void {
    const known = this.#byServer.get(server)?.get(life);
    if (known) known.probe = true;
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

function seeRemote(life: Life, event: RemoteFact & FlowStamp): void {
  const { state, url, transport, revision, session, reason, atMs } = event;
  const before = life.remote ?? { requests: 0, failures: 0, resumptions: 0, needsLogin: false };
  const known = { transport: transport ?? life.remote?.transport, revision: revision ?? life.remote?.revision };
  life.remote = { ...before, ...known, url, session, lost: reason };
  if (state === 'connected') life.startedAtMs = atMs;
  if (state === 'disconnected') life.endedAtMs = atMs;
}

/** Returns whether anything but the number of requests changed. */
function seeHttp({ remote }: Life, event: HttpFact): boolean {
  if (!remote || event.state === 'ended') return false;
  const { needsLogin } = remote;
  const isFailure = isHttpFailure(event);
  if (event.state === 'answered') {
    remote.requests++;
    remote.needsLogin = event.status === 401;
  }
  if (isFailure) remote.failures++;
  const isMcp = event.body === 'json' || event.body === 'stream';
  if (isMcp && !isFailure && remote.revision === undefined) learnRevision(remote, event.requestHeaders);
  const isResumption = /^last-event-id:/im.test(event.requestHeaders ?? '');
  if (isResumption) remote.resumptions++;
  return isFailure || isResumption || remote.needsLogin !== needsLogin;
}

/** 2026-07-28 has no `initialize`: the headers of each request name the revision. */
function learnRevision(remote: RemoteLife, headers = ''): void {
  const revision = /^mcp-protocol-version: ([\w-]{1,40})$/im.exec(headers)?.[1];
  if (revision === undefined) return;
  remote.revision = revision;
  remote.transport ??= 'http';
}

/** The oldest ended run. The oldest of all if all are running. */
function oldestOf(lives: ReadonlyMap<number, Life>): number {
  const [first] = lives.keys();
  for (const [life, { endedAtMs }] of lives) if (endedAtMs !== undefined) return life;
  return first!;
}
