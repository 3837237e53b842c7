// A host with real processes under any sequence of commands, reloads, crashes, slow starts and slow exits, while its
// clock advances: a server (or, without sharing, a client) never has two processes, the limit of processes holds, no
// process remains after `stop` has resolved, and `status()` is always correct.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { loadConfig } from '../../src/config/files/load-config.ts';
import { Host } from '../../src/host/host.ts';
import { undescribed } from '../../src/host/services/typed-client.ts';
import type { ServerState } from '../../src/host/supervision/server-state.ts';
import { Client } from '../../src/mcp/client/client.ts';
import { type ClientIdentity, newClient } from '../../src/mcp/service.ts';
import { isAlive } from '../fixtures/server.ts';
import { folder, serverFile, writeConfig } from './run-host.ts';

const deep = process.env.FC_PROFILE === 'deep';
const numRuns = deep ? 300 : 10;
const timeoutMs = deep ? 3_600_000 : 120_000;

const names = ['a', 'b'] as const;
type Name = (typeof names)[number];
interface Variant {
  startMs: number;
  lingerMs: number;
  autoStart: boolean;
  enabled: boolean;
  share: 'all' | 'principal' | 'client' | 'call';
}
type Variants = Partial<Record<Name, Variant>>;
type Move =
  | { do: 'start' | 'stop' | 'restart' | 'call' | 'crash'; name: Name }
  | { do: 'client-call' | 'gone' | 'watch' | 'unwatch'; name: Name; client: number }
  | { do: 'reload'; variants: Variants }
  | { do: 'host-start' | 'host-stop' | 'wait' }
  | { do: 'turn'; ms: number };

const mostlyTrue = fc.integer({ min: 0, max: 4 }).map((at) => at > 0);
const variant = fc.record({
  startMs: fc.constantFrom(0, 0, 40),
  lingerMs: fc.constantFrom(0, 0, 60),
  autoStart: mostlyTrue,
  enabled: mostlyTrue,
  share: fc.constantFrom('all' as const, 'all' as const, 'principal' as const, 'client' as const, 'call' as const),
});
const variants = fc.record({ a: variant, b: variant }, { requiredKeys: [] });
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    do: fc.constantFrom('start' as const, 'stop' as const, 'restart' as const, 'call' as const, 'crash' as const),
    name: fc.constantFrom(...names),
  }),
  fc.record({
    do: fc.constantFrom(
      'client-call' as const,
      'client-call' as const,
      'client-call' as const,
      'watch' as const,
      'unwatch' as const,
      'gone' as const,
    ),
    name: fc.constantFrom(...names),
    client: fc.nat(3),
  }),
  fc.record({ do: fc.constant('reload' as const), variants }),
  fc.record({ do: fc.constantFrom('host-start' as const, 'host-stop' as const) }),
  fc.record({ do: fc.constant('wait' as const) }),
  fc.record({ do: fc.constant('wait' as const) }),
  fc.record({ do: fc.constant('turn' as const), ms: fc.nat(400) }),
);

/** Limit for clients; one more process belongs to the host. */
const MOST_PROCESSES = 2;

const resting: ReadonlySet<ServerState> = new Set(['stopped', 'ready', 'failed', 'disabled']);

class Trial {
  readonly host: Host;
  readonly #clock: ManualClock;
  readonly #file: string;
  readonly #calls: Promise<unknown>[] = [];
  /** Number of commands that concern each server, including commands for all servers. */
  readonly #commands = { a: 0, b: 0 };
  readonly #faults: string[] = [];
  #changed: () => void = () => undefined;
  readonly #watches: (() => void)[] = [];
  readonly #clients = ['ada', 'grace', 'ada', undefined].map((principal) => newClient(principal));

  private constructor(file: string, clock: ManualClock, open: (onStateChange: () => void) => Host) {
    this.#file = file;
    this.#clock = clock;
    this.host = open(() => {
      this.#changed();
      this.check('at a change of state');
    });
  }

  static async begin(at: number, first: Variants): Promise<Trial> {
    const clock = new ManualClock();
    const file = join(folder, `any-${at}`);
    const { servers } = await loadConfig({ file: writeConfig(entries(file, first)) });
    return new Trial(file, clock, (onStateChange) => new Host(servers, { clock, random: () => 0.5, onStateChange }));
  }

  async play(moves: readonly Move[]): Promise<void> {
    for (const each of moves) {
      await this.#play(each);
      this.check(`after ${JSON.stringify(each)}`);
    }
  }

  async end(): Promise<void> {
    await this.#turning(this.#command(names, () => this.host.stop()));
    expect(this.#alive()).toEqual([]);
    expect(this.host.status().filter(({ pid, state }) => pid !== null || !resting.has(state))).toEqual([]);
    // Every call settles, and none of them starts a process again.
    await this.#turning(Promise.allSettled(this.#calls));
    expect(this.#alive()).toEqual([]);
    expect(names.flatMap((name) => lines(`${this.#file}-${name}.overlaps`))).toEqual([]);
    expect(this.#faults).toEqual([]);
  }

  /** Each server has at most the processes that its status lists. */
  check(when: string): void {
    if (!this.host) return; // the host is being created
    const byName = new Map(this.host.status().map(({ name, processes }) => [name, processes]));
    for (const name of names) {
      const processes = (byName.get(name) ?? []).filter(({ pid }) => pid !== null);
      const alive = this.#alive(name);
      const others = alive.filter((living) => processes.every(({ pid }) => pid !== living));
      const known = processes.map(({ owner, pid }) => `${owner} ${pid}`);
      if (others.length > 0) this.#faults.push(`${when}: ${others} of ${name} live, and the status has ${known}`);
      if (alive.length > MOST_PROCESSES + 1) this.#faults.push(`${when}: ${known} live`);
      const owners = processes.map(({ owner }) => owner).filter((owner) => !owner.startsWith('a call'));
      if (new Set(owners).size < owners.length) this.#faults.push(`${when}: ${known} live of ${name}`);
    }
    for (const { name, state, pid } of this.host.status()) {
      if ((state === 'stopped' || state === 'disabled') && pid !== null)
        this.#faults.push(`${when}: ${name} has ${pid}`);
    }
  }

  async #play(each: Move): Promise<void> {
    const { host } = this;
    switch (each.do) {
      case 'start':
        return this.#note(this.#command([each.name], () => host.startServer(each.name)));
      case 'restart':
        return this.#note(this.#command([each.name], () => host.restartServer(each.name)));
      case 'stop':
        return this.#note(this.#stopped([each.name], () => host.stopServer(each.name)));
      case 'call':
        return this.#note(host.callTool(each.name, 'hello'));
      case 'client-call':
        return this.#note(this.#callAs(this.#clients[each.client]!, each.name));
      case 'watch':
        return this.#note(this.#watchAs(this.#clients[each.client]!, each.name));
      case 'unwatch':
        for (const stop of this.#watches.splice(0, 1)) stop();
        return;
      case 'gone': {
        const client = this.#clients[each.client]!;
        this.#clients[each.client] = newClient(client.principal);
        return host.names.includes(each.name) ? host.service(each.name).gone!(client) : undefined;
      }
      case 'host-start':
        return this.#note(this.#command(names, () => host.start()));
      case 'host-stop':
        return this.#note(this.#stopped(names, () => host.stop()));
      case 'reload': {
        const config = await loadConfig({ file: writeConfig(entries(this.#file, each.variants)) });
        return this.#note(this.#command(names, () => host.reload(config)));
      }
      case 'crash': {
        const [pid] = this.#alive(each.name);
        if (pid) process.kill(pid, 'SIGKILL');
        return;
      }
      case 'turn':
        return this.#clock.advance(each.ms);
      case 'wait':
        if (host.status().every(({ state }) => resting.has(state))) return;
        await this.#turning(new Promise<void>((resolve) => (this.#changed = resolve)));
    }
  }

  async #watchAs(identity: ClientIdentity, name: Name): Promise<void> {
    const client = { ...undescribed, identity, logLevel: undefined };
    const filter = { resourceSubscriptions: ['test://one'] };
    this.#watches.push(await this.host.service(name).watch({ filter, client, notified: () => undefined }));
  }

  async #callAs(identity: ClientIdentity, name: Name): Promise<unknown> {
    const client = new Client(this.host.service(name), undescribed, { identity, checkOutput: false });
    return client.callTool('hello');
  }

  #note(call: Promise<unknown>): void {
    call.catch(() => undefined); // its outcome depends on later commands
    this.#calls.push(call);
  }

  #command<T>(concerned: readonly Name[], run: () => Promise<T>): Promise<T> {
    for (const name of concerned) this.#commands[name]++;
    return run();
  }

  /** Unless another command followed, no process is alive when the promise settles. */
  async #stopped(concerned: readonly Name[], run: () => Promise<void>): Promise<void> {
    const stopping = this.#command(concerned, run);
    const before = { ...this.#commands };
    await stopping;
    for (const name of concerned) {
      if (this.#commands[name] !== before[name]) continue;
      const alive = this.#alive(name);
      if (alive.length > 0) this.#faults.push(`${alive} of ${name} live after stop`);
    }
  }

  /** Advances the clock of the host while waiting. */
  async #turning<T>(event: Promise<T>): Promise<T> {
    const turn = setInterval(() => this.#clock.advance(10), 5);
    try {
      return await event;
    } finally {
      clearInterval(turn);
    }
  }

  #alive(...only: Name[]): number[] {
    const asked = only.length > 0 ? only : names;
    return asked.flatMap((name) => lines(`${this.#file}-${name}.pids`).map(Number).filter(isAlive));
  }
}

function entries(file: string, chosen: Variants): Record<string, object> {
  return Object.fromEntries(
    Object.entries(chosen).map(([name, { startMs, lingerMs, autoStart, enabled, share: by }]) => {
      const env = {
        PID_FILE: `${file}-${name}.pids`,
        ...(by === 'all' && { OVERLAP_FILE: `${file}-${name}.overlaps` }),
      };
      const times = { START_MS: String(startMs), LINGER_MS: String(lingerMs) };
      const restart = { maxRestarts: 2, periodMs: 2000 };
      const args = [serverFile('slow')];
      const share = by === 'all' ? by : { by, maxProcesses: MOST_PROCESSES, ...(by !== 'call' && { idleMs: 100 }) };
      return [name, { command: process.execPath, args, env: { ...env, ...times }, autoStart, enabled, restart, share }];
    }),
  );
}

function lines(file: string): string[] {
  return readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean);
}

test('keeps its limits in any sequence of commands', { timeout: timeoutMs }, async () => {
  let trials = 0;
  await fc.assert(
    fc.asyncProperty(variants, fc.array(move, { minLength: 4, maxLength: 20 }), async (first, moves) => {
      const trial = await Trial.begin(++trials, first);
      try {
        await trial.play(moves);
      } finally {
        await trial.end();
      }
    }),
    { numRuns, endOnFailure: true },
  );
});
