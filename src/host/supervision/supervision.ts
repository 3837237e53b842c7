// Supervision of one server as a pure function: `step` maps the state and an event to the next state and the effects to run. No
// clock, no process, no promise. Invariants: an `open` comes only when no process is left, so that a server never has two; a
// process that was started before the last `stop`, `restart` or `replace` is ended and never used; a server that is held stays
// stopped until a command starts it.

import type { RestartLimits } from '../../config/server-config.ts';
import { decideRestart, type Ending, noHistory, type RestartHistory } from './restart-policy.ts';
import type { ServerState } from './server-state.ts';

/** What was asked for last. */
export interface Intention {
  readonly wanted: boolean;
  /** Why a call must not start it: it was stopped. Only a command takes that back. */
  readonly held: string | undefined;
  /** Raised by every command, every start of a process and every wait, so that each has a number of its own. */
  readonly generation: number;
  /** A process with a lower number belongs to an earlier intention. */
  readonly since: number;
}

/** The one process of the server, from the moment it is asked for until all of its tree is gone. */
export interface ServerProcessSlot {
  readonly phase: 'opening' | 'running' | 'closing';
  readonly generation: number;
}

export interface Supervision {
  readonly state: ServerState;
  readonly reason: string;
  readonly enabled: boolean;
  readonly limits: RestartLimits;
  readonly intention: Intention;
  readonly process: ServerProcessSlot | undefined;
  /** Callers wait for the server to be ready. */
  readonly awaited: boolean;
  /** The number of the wait before the next start. */
  readonly backoff: number | undefined;
  readonly history: RestartHistory;
  readonly restarts: number;
  readonly readySinceMs: number;
}

/** Why a start failed or a process is of no more use. */
export interface Fall extends Omit<Ending, 'uptimeMs'> {
  readonly message: string;
  /** Trying again cannot help: the command itself is wrong. */
  readonly hopeless: boolean;
  readonly nowMs: number;
  /** From 0 up to 1. */
  readonly random: number;
}

export type SupervisionEvent =
  // Commands.
  | { readonly type: 'start' | 'restart' | 'release' }
  | { readonly type: 'stop'; readonly reason: string }
  | {
      readonly type: 'replace';
      readonly reason: string;
      readonly enabled: boolean;
      readonly limits: RestartLimits;
      readonly wanted: boolean;
      readonly held: string | undefined;
      readonly isUnused?: boolean;
    }
  /** A call waits for the server. */
  | { readonly type: 'needed' }
  // What became of effects.
  | { readonly type: 'opened'; readonly generation: number; readonly nowMs: number }
  | { readonly type: 'open-failed' | 'lost'; readonly generation: number; readonly fall: Fall }
  | { readonly type: 'closed' | 'backoff-over'; readonly generation: number };

export type SupervisionEffect =
  | { readonly type: 'changed'; readonly from: ServerState; readonly to: ServerState; readonly reason: string }
  | { readonly type: 'open' | 'abort' | 'close'; readonly generation: number }
  | { readonly type: 'wait'; readonly generation: number; readonly ms: number }
  | { readonly type: 'cancel-wait' }
  /** Callers that wait for the server get it. */
  | { readonly type: 'ready' }
  /** Callers that wait for the server are refused. */
  | { readonly type: 'refuse'; readonly why: 'failed' | 'stopped' | 'disabled' }
  /** No process is left. */
  | { readonly type: 'gone' };

const LONGEST_REASON = 2000;

export interface Stepped {
  readonly next: Supervision;
  readonly effects: readonly SupervisionEffect[];
}

export function newSupervision(enabled: boolean, limits: RestartLimits): Supervision {
  return {
    state: enabled ? 'stopped' : 'disabled',
    reason: enabled ? 'not started yet' : 'disabled in the config',
    enabled,
    limits,
    intention: { wanted: false, held: undefined, generation: 0, since: 0 },
    process: undefined,
    awaited: false,
    backoff: undefined,
    history: noHistory,
    restarts: 0,
    readySinceMs: 0,
  };
}

export function step(before: Supervision, event: SupervisionEvent): Stepped {
  const draft = new Draft(before);
  draft.take(event);
  return { next: draft.next, effects: draft.effects };
}

class Draft {
  next: Supervision;
  readonly effects: SupervisionEffect[] = [];

  constructor(before: Supervision) {
    this.next = before;
  }

  take(event: SupervisionEvent): void {
    switch (event.type) {
      case 'start':
        return this.#start();
      case 'stop':
        this.#intend({ wanted: false, held: event.reason }, 'from now on');
        return this.#letGo(event.reason);
      case 'restart':
        this.#set({ awaited: true });
        if (!this.next.enabled) return this.#answer();
        this.#intend({ wanted: true, held: undefined }, 'from now on');
        this.#set({ history: noHistory });
        return this.#letGo('restarted');
      case 'replace':
        return this.#replace(event);
      case 'release':
        return this.#intend({ held: undefined });
      case 'needed':
        this.#set({ awaited: true });
        if (this.next.enabled && this.next.intention.held === undefined) this.#want();
        return this.#answer();
      case 'opened':
        return this.#opened(event.generation, event.nowMs);
      case 'open-failed':
        if (!this.#concerns(event.generation, 'opening')) return;
        this.#set({ process: undefined });
        if (this.#isOld(event.generation)) return this.#gone();
        return this.#fell(event.fall, 0);
      case 'lost':
        if (!this.#concerns(event.generation, 'running')) return;
        this.#close(event.generation);
        return this.#fell(event.fall, event.fall.nowMs - this.next.readySinceMs);
      case 'closed':
        if (!this.#concerns(event.generation, 'closing')) return;
        this.#set({ process: undefined });
        return this.#gone();
      case 'backoff-over':
        if (this.next.backoff !== event.generation) return;
        this.#set({ backoff: undefined });
        return this.#pursue();
    }
  }

  /** A start that is under way goes on. One that failed gets a new chance. */
  #start(): void {
    this.#set({ awaited: true });
    if (!this.next.enabled) return this.#answer();
    this.#intend({ wanted: true, held: undefined });
    const { state, process } = this.next;
    if (state === 'stopped' || state === 'stopping' || state === 'failed') this.#set({ history: noHistory });
    if (state === 'failed') this.#change(process ? 'stopping' : 'stopped', 'start requested');
    this.#pursue();
    this.#answer();
  }

  #want(): void {
    this.#set({ intention: { ...this.next.intention, wanted: true } });
    this.#pursue();
  }

  /** Tells callers what is known already; otherwise they wait. */
  #answer(): void {
    const { state, enabled, intention } = this.next;
    if (!enabled) this.#settle({ type: 'refuse', why: 'disabled' });
    else if (intention.held !== undefined) this.#settle({ type: 'refuse', why: 'stopped' });
    else if (state === 'failed') this.#settle({ type: 'refuse', why: 'failed' });
    else if (state === 'ready') this.#settle({ type: 'ready' });
  }

  #settle(effect: SupervisionEffect): void {
    this.#set({ awaited: false });
    this.effects.push(effect);
  }

  #replace(event: SupervisionEvent & { type: 'replace' }): void {
    const { reason, enabled, limits, held } = event;
    if (event.isUnused) this.#set({ awaited: false });
    const wanted = event.wanted || (this.next.awaited && held === undefined);
    this.#intend({ wanted: wanted && enabled, held }, 'from now on');
    this.#set({ enabled, limits, history: noHistory });
    if (this.next.state === 'disabled' && enabled) this.#change('stopped', 'enabled in the config');
    this.#letGo(reason);
  }

  #intend(change: Partial<Pick<Intention, 'wanted' | 'held'>>, scope?: 'from now on'): void {
    const generation = this.next.intention.generation + 1;
    const since = scope === undefined ? this.next.intention.since : generation;
    this.#set({ intention: { ...this.next.intention, ...change, generation, since } });
  }

  /** Ends the process, and the wait for the next one. */
  #letGo(reason: string): void {
    const { state, process, backoff } = this.next;
    if (backoff !== undefined) {
      this.#set({ backoff: undefined });
      this.effects.push({ type: 'cancel-wait' });
    }
    if (process || (state !== 'stopped' && state !== 'disabled' && state !== 'stopping')) {
      if (state !== 'stopping') this.#change('stopping', reason);
      if (process?.phase === 'opening') this.effects.push({ type: 'abort', generation: process.generation });
      if (process?.phase === 'running') this.#close(process.generation);
    }
    this.#answer();
    if (!process) this.#gone();
  }

  #gone(): void {
    const { state, reason, enabled, intention } = this.next;
    if (state === 'stopping') this.#change('stopped', intention.held ?? reason);
    if (!enabled && this.next.state !== 'disabled') this.#change('disabled', 'disabled in the config');
    this.effects.push({ type: 'gone' });
    this.#pursue();
  }

  /** Starts a process if one is wanted and nothing stands in the way. */
  #pursue(): void {
    const { state, enabled, process, backoff, intention, restarts } = this.next;
    if (!intention.wanted || !enabled || process || backoff !== undefined) return;
    if (state !== 'stopped' && state !== 'backoff') return;
    const generation = this.#nextNumber();
    const again = state === 'backoff';
    this.#set({ process: { phase: 'opening', generation }, restarts: again ? restarts + 1 : restarts });
    this.#change('starting', again ? 'restarted after a failure' : 'start requested');
    this.effects.push({ type: 'open', generation });
  }

  #opened(generation: number, nowMs: number): void {
    if (!this.#concerns(generation, 'opening')) return;
    if (this.#isOld(generation)) return this.#close(generation);
    this.#set({ process: { phase: 'running', generation }, readySinceMs: nowMs });
    this.#change('ready', this.next.restarts > 0 ? 'reconnected' : 'connected');
    this.#answer();
  }

  /** The process could not be started, or went away. */
  #fell({ message, hopeless, nowMs, random, exitCode, signal }: Fall, uptimeMs: number): void {
    const decision = decideRestart(this.next.history, { uptimeMs, exitCode, signal }, this.next.limits, nowMs, random);
    this.#set({ history: decision.history });
    if (hopeless || !decision.restart) {
      this.#change('failed', `${message} — ${decision.restart ? 'a restart cannot help' : decision.reason}`);
      return this.#answer();
    }
    const backoff = this.#nextNumber();
    this.#set({ backoff });
    this.#change('backoff', `${message} — restarts in ${decision.afterMs} ms`);
    this.effects.push({ type: 'wait', generation: backoff, ms: decision.afterMs });
  }

  #close(generation: number): void {
    this.#set({ process: { phase: 'closing', generation } });
    this.effects.push({ type: 'close', generation });
  }

  #concerns(generation: number, phase: ServerProcessSlot['phase']): boolean {
    const { process } = this.next;
    return process?.generation === generation && process.phase === phase;
  }

  #isOld(generation: number): boolean {
    return generation < this.next.intention.since;
  }

  #nextNumber(): number {
    const generation = this.next.intention.generation + 1;
    this.#set({ intention: { ...this.next.intention, generation } });
    return generation;
  }

  #change(to: ServerState, why: string): void {
    const reason = why.slice(0, LONGEST_REASON); // a server's own words may be in it
    this.effects.push({ type: 'changed', from: this.next.state, to, reason });
    this.#set({ state: to, reason });
  }

  #set(change: Partial<Supervision>): void {
    this.next = { ...this.next, ...change };
  }
}
