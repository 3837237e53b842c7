// A remote server: calls wait for a server that was connected before, and are refused while it is unavailable. Attempts
// to reconnect continue without a limit.

import { expect, test } from 'vitest';
import type { RestartLimits } from '../../config/server-config.ts';
import {
  newSupervision,
  type Supervision,
  type SupervisionEffect,
  type SupervisionEvent,
  stepSupervision,
} from './supervision.ts';

const limits: RestartLimits = {
  policy: 'always',
  maxRestarts: 2,
  periodMs: 30_000,
  backoffMs: 100,
  maxBackoffMs: 1000,
  resetAfterMs: 60_000,
};

class Remote {
  supervision: Supervision = newSupervision(true, limits, true);
  nowMs = 0;
  waitsMs: number[] = [];
  refusals = 0;
  #effects: readonly SupervisionEffect[] = [];

  send(event: SupervisionEvent): void {
    const { next, effects } = stepSupervision(this.supervision, event);
    this.supervision = next;
    this.#effects = effects;
    for (const effect of effects) {
      if (effect.type === 'wait') this.waitsMs.push(effect.ms);
      if (effect.type === 'refuse') this.refusals++;
    }
  }

  get state() {
    return this.supervision.state;
  }

  opened(): void {
    this.send({ type: 'opened', generation: this.supervision.process!.generation, nowMs: this.nowMs });
  }

  fails(hopeless = false): void {
    const fall = { message: 'refused', hopeless, exitCode: null, signal: null, nowMs: this.nowMs, random: 1 };
    const { generation, phase } = this.supervision.process!;
    this.send({ type: phase === 'opening' ? 'open-failed' : 'lost', generation, fall });
    if (phase === 'running') this.send({ type: 'closed', generation });
  }

  waited(): void {
    this.nowMs += this.waitsMs.at(-1)!;
    this.send({ type: 'backoff-over', generation: this.supervision.backoff! });
  }

  needed(): void {
    this.send({ type: 'needed', nowMs: this.nowMs });
  }

  get hasOpened(): boolean {
    return this.#effects.some(({ type }) => type === 'open');
  }
}

function ready(): Remote {
  const remote = new Remote();
  remote.send({ type: 'start' });
  remote.opened();
  expect(remote.state).toBe('ready');
  return remote;
}

test('a server that was never reached is unreachable at once, and retried endlessly with growing delays', () => {
  const remote = new Remote();
  remote.send({ type: 'start' });
  for (let attempt = 0; attempt < 20; attempt++) {
    remote.fails();
    expect(remote.state).toBe('unreachable');
    remote.waited();
  }
  expect(remote.waitsMs.slice(0, 6)).toEqual([100, 200, 400, 800, 1000, 1000]);
  remote.opened();
  expect(remote.state).toBe('ready');
});

test('calls wait for a server that was ready before, and are refused after maxRestarts failures', () => {
  const remote = ready();
  remote.fails();
  remote.needed();
  expect([remote.state, remote.refusals]).toEqual(['backoff', 0]);
  remote.waited();
  remote.fails();
  expect([remote.state, remote.refusals]).toEqual(['backoff', 0]);
  remote.waited();
  remote.fails();
  expect([remote.state, remote.refusals]).toEqual(['unreachable', 1]);
});

test('an unstable server is not tried more often than an unreachable one', () => {
  const remote = ready();
  for (let fall = 0; fall < 10; fall++) {
    remote.fails();
    remote.waited();
    remote.opened();
  }
  expect(remote.waitsMs.at(-1)).toBe(limits.maxBackoffMs);
  remote.nowMs += limits.resetAfterMs;
  remote.fails();
  expect(remote.waitsMs.at(-1)).toBe(limits.backoffMs);
});

test('a server that is reachable again is tried at once, unless it is stopped', () => {
  const remote = new Remote();
  remote.send({ type: 'start' });
  remote.fails();
  remote.send({ type: 'reachable' });
  expect([remote.hasOpened, remote.state]).toEqual([true, 'starting']);
  remote.send({ type: 'reachable' });
  expect(remote.hasOpened).toBe(false);
  remote.opened();
  remote.fails();
  remote.send({ type: 'reachable' });
  expect([remote.hasOpened, remote.state]).toEqual([true, 'starting']);
  remote.fails();
  remote.send({ type: 'stop', reason: 'stop requested' });
  remote.send({ type: 'reachable' });
  expect([remote.hasOpened, remote.state]).toEqual([false, 'stopped']);
});

test('a call retries an unreachable server, but not twice within a second', () => {
  const remote = new Remote();
  remote.send({ type: 'start' });
  remote.fails();
  remote.nowMs += 999;
  remote.needed();
  expect([remote.hasOpened, remote.refusals]).toEqual([false, 2]);
  remote.nowMs += 1;
  remote.needed();
  expect([remote.hasOpened, remote.state]).toEqual([true, 'starting']);
  remote.needed(); // waits for the same attempt
  expect(remote.hasOpened).toBe(false);
  remote.fails();
  expect([remote.state, remote.refusals]).toEqual(['unreachable', 3]);
});

test('a server that needs a login has failed, and only the next call retries it', () => {
  const remote = ready();
  remote.fails(true);
  expect([remote.state, remote.supervision.backoff]).toEqual(['failed', undefined]);
  remote.nowMs += 1000;
  remote.needed();
  expect(remote.state).toBe('starting');
});

test('a stop ends the attempts, and a start begins them again', () => {
  const remote = new Remote();
  remote.send({ type: 'start' });
  remote.fails();
  remote.send({ type: 'stop', reason: 'stop requested' });
  expect([remote.state, remote.supervision.backoff]).toEqual(['stopped', undefined]);
  remote.needed();
  expect([remote.hasOpened, remote.state]).toEqual([false, 'stopped']);
  remote.send({ type: 'start' });
  expect([remote.hasOpened, remote.state]).toEqual([true, 'starting']);
});
