// Properties for any order of commands and outcomes: at most one process, none unless one is wanted, and every waiting caller gets an
// answer.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RestartLimits } from '../../config/server-config.ts';
import {
  type Fall,
  newSupervision,
  type Supervision,
  type SupervisionEffect,
  type SupervisionEvent,
  stepSupervision,
} from './supervision.ts';

const deep = process.env.FC_PROFILE === 'deep';
const numRuns = deep ? 30_000 : 500;
const timeout = deep ? 1_800_000 : 120_000;

const limits: RestartLimits = {
  policy: 'always',
  maxRestarts: 2,
  periodMs: 1000,
  backoffMs: 100,
  maxBackoffMs: 400,
  resetAfterMs: 1000,
};

/** Simulates the processes and waits that the effects request, and the callers that wait for an outcome. */
class World {
  supervision: Supervision;
  process: { generation: number; phase: 'opening' | 'running' | 'closing' } | undefined;
  waitNumber: number | undefined;
  /** Callers that wait for the server to be ready, and for its process to exit. */
  waiting = { ready: 0, gone: 0 };
  log: string[] = [];
  nowMs = 0;

  constructor(enabled = true, isRemote = false) {
    this.supervision = newSupervision(enabled, limits, isRemote);
  }

  command(event: SupervisionEvent): void {
    if (event.type === 'stop' || event.type === 'replace') this.waiting.gone++;
    else if (event.type !== 'release') this.waiting.ready++;
    this.send(event.type === 'needed' ? { ...event, nowMs: this.nowMs } : event);
  }

  send(event: SupervisionEvent): void {
    const { next, effects } = stepSupervision(this.supervision, event);
    this.supervision = next;
    for (const effect of effects) this.#carryOut(effect);
    this.check();
  }

  #carryOut(effect: SupervisionEffect): void {
    switch (effect.type) {
      case 'changed':
        this.log.push(effect.to);
        return;
      case 'open':
        expect(this.process).toBeUndefined(); // never two processes
        this.process = { generation: effect.generation, phase: 'opening' };
        return;
      case 'abort':
        expect(this.process).toEqual({ generation: effect.generation, phase: 'opening' });
        return;
      case 'close':
        expect(this.process?.generation).toBe(effect.generation);
        expect(this.process?.phase).not.toBe('closing'); // a process is closed only once
        this.process!.phase = 'closing';
        return;
      case 'wait':
        expect(this.waitNumber).toBeUndefined();
        this.waitNumber = effect.generation;
        return;
      case 'cancel-wait':
        this.waitNumber = undefined;
        return;
      case 'ready':
        expect(this.process?.phase).toBe('running');
        this.waiting.ready = 0;
        return;
      case 'refuse':
        this.waiting.ready = 0;
        return;
      case 'gone':
        expect(this.process).toBeUndefined();
        this.waiting.gone = 0;
        return;
    }
  }

  /** The reported state matches the simulated one. */
  check(): void {
    const { state, process, intention, enabled } = this.supervision;
    expect(process).toEqual(this.process);
    expect(this.supervision.backoff).toBe(this.waitNumber);
    if (state === 'stopped' || state === 'disabled') expect(this.process).toBeUndefined();
    if (state === 'disabled') expect(enabled).toBe(false);
    if (state === 'ready') expect(this.process?.phase).toBe('running');
    if (this.process?.phase === 'running') expect(state).toBe('ready');
    if (state === 'starting') expect(this.process?.phase).toBe('opening');
    if (state === 'stopping') expect(this.process).toBeDefined();
    if (this.waitNumber !== undefined) expect(['backoff', 'unreachable']).toContain(state);
    if (state === 'unreachable') expect(this.supervision.isRemote).toBe(true);
    if (this.process?.phase === 'running') {
      expect(process!.generation).toBeGreaterThanOrEqual(intention.since);
      expect(intention.wanted).toBe(true);
    }
    if (intention.held !== undefined) expect(['stopping', 'stopped', 'disabled']).toContain(state);
  }

  get fall(): Fall {
    return { message: 'it fell', hopeless: false, exitCode: 1, signal: null, nowMs: this.nowMs, random: 0.5 };
  }

  /** Completes one operation in progress. Returns false if there is none. */
  happen(choice: number): boolean {
    const { process, waitNumber } = this;
    this.nowMs += choice % 400;
    const possible: (() => void)[] = [];
    if (waitNumber !== undefined) {
      possible.push(() => {
        this.waitNumber = undefined;
        this.send({ type: 'backoff-over', generation: waitNumber });
      });
    }
    if (process?.phase === 'opening') {
      const { generation } = process;
      possible.push(() => {
        process.phase = 'running';
        this.send({ type: 'opened', generation, nowMs: this.nowMs });
      });
      possible.push(() => {
        this.process = undefined;
        this.send({ type: 'open-failed', generation, fall: { ...this.fall, hopeless: choice % 7 === 0 } });
      });
    }
    if (process?.phase === 'closing') {
      const { generation } = process;
      possible.push(() => {
        this.process = undefined;
        this.send({ type: 'closed', generation });
      });
    }
    if (possible.length === 0) return false;
    possible[choice % possible.length]!();
    return true;
  }

  crash(): void {
    if (this.process?.phase === 'running') {
      this.send({ type: 'lost', generation: this.process.generation, fall: this.fall });
    }
  }

  /** Completes all operations in progress; starts succeed. */
  settle(): void {
    for (let turns = 0; turns < 100; turns++) {
      if (this.process?.phase === 'opening') this.happen(this.waitNumber === undefined ? 0 : 1);
      else if (!this.happen(0)) return;
    }
    throw new Error('it never comes to rest');
  }
}

const command = fc.constantFrom<SupervisionEvent>(
  { type: 'start' },
  { type: 'restart' },
  { type: 'needed', nowMs: 0 },
  { type: 'release' },
  { type: 'stop', reason: 'stop requested' },
  { type: 'replace', reason: 'changed', enabled: true, limits, isRemote: false, wanted: true, held: undefined },
  { type: 'replace', reason: 'changed', enabled: true, limits, isRemote: true, wanted: true, held: undefined },
  { type: 'replace', reason: 'changed', enabled: true, limits, isRemote: true, wanted: false, held: undefined },
  { type: 'replace', reason: 'changed', enabled: false, limits, isRemote: false, wanted: false, held: undefined },
  { type: 'replace', reason: 'changed', enabled: true, limits, isRemote: true, wanted: false, held: 'the host stops' },
);
const stale = fc
  .tuple(fc.constantFrom('closed', 'backoff-over', 'opened', 'lost', 'open-failed'), fc.integer({ min: -1, max: 3 }))
  .map(([type, age]) => ({ stale: type, age }));
const move = fc.oneof(
  { weight: 3, arbitrary: command.map((event) => ({ event })) },
  { weight: 6, arbitrary: fc.nat(1000).map((choice) => ({ choice })) },
  { weight: 1, arbitrary: fc.constant({ crash: true }) },
  { weight: 1, arbitrary: stale },
);

function play(world: World, moves: readonly (object & Partial<Record<string, unknown>>)[]): void {
  for (const each of moves) {
    if ('event' in each) world.command(each.event as SupervisionEvent);
    else if ('choice' in each) world.happen(each.choice as number);
    else if ('crash' in each) world.crash();
    else sendStale(world, each.stale as SupervisionEvent['type'], each.age as number);
  }
}

/** Sends the outcome of an outdated effect, which the state machine must ignore. */
function sendStale(world: World, type: SupervisionEvent['type'], age: number): void {
  const { process, backoff, intention } = world.supervision;
  const generation = intention.generation - age;
  if (generation === process?.generation || generation === backoff) return;
  const before = world.supervision;
  world.send({ type, generation, nowMs: world.nowMs, fall: world.fall } as SupervisionEvent);
  expect(world.supervision).toEqual(before);
}

describe('any sequence of commands, crashes and slow processes', () => {
  test('never has two processes, reports its state, and settles every wait', { timeout }, () => {
    fc.assert(
      fc.property(fc.boolean(), fc.boolean(), fc.array(move, { maxLength: 60 }), (enabled, isRemote, moves) => {
        const world = new World(enabled, isRemote);
        play(world, moves);
        world.settle();
        expect(world.waiting).toEqual({ ready: 0, gone: 0 });
        const { state, intention, enabled: isEnabled } = world.supervision;
        if (!isEnabled) expect(state).toBe('disabled');
        else if (!intention.wanted) expect(state).toBe('stopped');
        else expect(['ready', 'failed']).toContain(state);
      }),
      { numRuns },
    );
  });

  test('leaves no process after a final stop, and starts none', { timeout }, () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), fc.array(fc.nat(1000), { maxLength: 20 }), (moves, choices) => {
        const world = new World();
        play(world, moves);
        world.command({ type: 'stop', reason: 'stop requested' });
        for (const choice of choices) {
          if (world.waiting.gone === 0) expect(world.process).toBeUndefined();
          world.command({ type: 'needed', nowMs: 0 }); // a call must not start the server again
          world.happen(choice);
        }
        world.settle();
        expect(world).toMatchObject({ process: undefined, waitNumber: undefined, waiting: { ready: 0, gone: 0 } });
        expect(['stopped', 'disabled']).toContain(world.supervision.state);
      }),
      { numRuns },
    );
  });
});

describe('single sequences', () => {
  const opened = (world: World) => {
    world.happen(0);
    expect(world.supervision.state).toBe('ready');
  };

  test('a stop during a restart wins', () => {
    const world = new World();
    world.command({ type: 'start' });
    opened(world);
    world.command({ type: 'restart' });
    world.command({ type: 'stop', reason: 'stop requested' });
    world.settle();
    expect(world.log).toEqual(['starting', 'ready', 'stopping', 'stopped']);
    expect(world.supervision.reason).toBe('stop requested');
  });

  test('a process that is ready after a stop is closed and not used', () => {
    const world = new World();
    world.command({ type: 'start' });
    world.command({ type: 'stop', reason: 'stop requested' });
    world.happen(0); // the process opens nevertheless
    expect(world.process?.phase).toBe('closing');
    world.settle();
    expect(world.supervision.state).toBe('stopped');
  });

  test('a start after a stop waits for the exit of the old process', () => {
    const world = new World();
    world.command({ type: 'start' });
    opened(world);
    world.command({ type: 'stop', reason: 'stop requested' });
    world.command({ type: 'start' });
    expect(world.process?.phase).toBe('closing');
    world.settle();
    expect(world.log).toEqual(['starting', 'ready', 'stopping', 'stopped', 'starting', 'ready']);
  });

  test('the next start waits for the exit of the lost process, however short the backoff is', () => {
    const world = new World();
    world.command({ type: 'start' });
    opened(world);
    world.crash();
    const wait = world.waitNumber!;
    world.waitNumber = undefined;
    world.send({ type: 'backoff-over', generation: wait });
    expect(world.supervision).toMatchObject({ state: 'backoff', process: { phase: 'closing' } });
    world.happen(0);
    expect(world.supervision).toMatchObject({ state: 'starting', process: { phase: 'opening' }, restarts: 1 });
  });

  test('a start restarts a failed server, also while its old process is ending', () => {
    const world = new World();
    world.supervision = { ...world.supervision, limits: { ...limits, policy: 'never' } };
    world.command({ type: 'start' });
    opened(world);
    world.crash();
    expect(world.supervision).toMatchObject({ state: 'failed', process: { phase: 'closing' } });
    world.command({ type: 'start' });
    expect(world.waiting.ready).toBe(1);
    world.settle();
    expect(world.log.slice(2)).toEqual(['failed', 'stopping', 'stopped', 'starting', 'ready']);
  });
});
