// Supervision of one server as a pure function: `stepSupervision` maps the state and an event to the next state and the effects to run.
// Invariants: an `open` comes only after the previous process has exited, so a server never has two processes. A process that was started
// before the last `stop`, `restart` or `replace` is ended and never used. A held server stays stopped until a command starts it.

import { waitText } from '../../base/duration.ts';
import type { RestartLimits } from '../../config/server-config.ts';
import { decideRestart, noHistory, type ProcessEnding, type RestartHistory } from './restart-policy.ts';
import { isAway, type ServerState } from './server-state.ts';

/** The outcome of the last command. */
export interface Intention {
  readonly wanted: boolean;
  /** Why a call must not start the server: it was stopped. Only a command clears it. */
  readonly held: string | undefined;
  /** Number that increases with every command, start of a process and wait, so that each has its own number. */
  readonly generation: number;
  /** Processes with a lower generation were started for an earlier intention and are outdated. */
  readonly since: number;
}

/** The process of the server, from the request to start it until its whole tree has exited. */
interface ServerProcessSlot {
  readonly phase: 'opening' | 'running' | 'closing';
  readonly generation: number;
}

export interface Supervision {
  readonly state: ServerState;
  readonly reason: string;
  readonly enabled: boolean;
  readonly limits: RestartLimits;
  /** True for a server at an address. It may recover by itself, and uses no local resources while it is unreachable. */
  readonly isRemote: boolean;
  readonly intention: Intention;
  readonly process: ServerProcessSlot | undefined;
  /** True if callers wait for the server to be ready. */
  readonly awaited: boolean;
  /** The number of the current wait before the next start. */
  readonly backoff: number | undefined;
  readonly history: RestartHistory;
  readonly restarts: number;
  readonly readySinceMs: number;
  /** True if the server has been ready since the last command. */
  readonly wasReady: boolean;
  readonly fellAtMs: number;
}

/** A failed start, or the loss of a process. */
export interface Fall extends Omit<ProcessEnding, 'uptimeMs'> {
  readonly message: string;
  /** True if a retry cannot help: the entry itself is wrong, or a person has to log in. */
  readonly hopeless: boolean;
  readonly nowMs: number;
  /** Random number, 0 ≤ x < 1. */
  readonly random: number;
}

/** Commands, calls, and outcomes of effects. */
export type SupervisionEvent =
  | { type: 'start' | 'restart' | 'release' | 'reachable' }
  | { type: 'stop'; reason: string }
  | ({ type: 'replace'; enabled: boolean; limits: RestartLimits; isRemote: boolean } & Replacement)
  | { type: 'needed'; nowMs: number }
  | { type: 'opened'; generation: number; nowMs: number }
  | { type: 'open-failed' | 'lost'; generation: number; fall: Fall }
  | { type: 'closed' | 'backoff-over'; generation: number };

/** Why a process ends, and what is wanted afterwards. */
export interface Replacement {
  reason: string;
  wanted: boolean;
  held: string | undefined;
  /** True if the callers that wait for the process have given up. */
  isUnused?: boolean;
}

/** `ready` resolves the callers that wait for the server, `refuse` rejects them. `gone`: the process has exited. */
export type SupervisionEffect =
  | { type: 'changed'; from: ServerState; to: ServerState; reason: string }
  | { type: 'open' | 'abort' | 'close'; generation: number }
  | { type: 'wait'; generation: number; ms: number }
  | { type: 'cancel-wait' | 'ready' | 'gone' }
  | { type: 'refuse'; why: 'failed' | 'stopped' | 'disabled' };

interface Stepped {
  readonly next: Supervision;
  readonly effects: readonly SupervisionEffect[];
}

const LONGEST_REASON = 2000;
/** Minimum time between attempts of calls to reach a remote server that is unreachable. */
const SHORTEST_RETRY_MS = 1000;

export function newSupervision(enabled: boolean, limits: RestartLimits, isRemote = false): Supervision {
  return {
    state: enabled ? 'stopped' : 'disabled',
    reason: enabled ? 'not started yet' : 'disabled in the config',
    enabled,
    limits,
    isRemote,
    intention: { wanted: false, held: undefined, generation: 0, since: 0 },
    process: undefined,
    awaited: false,
    backoff: undefined,
    history: noHistory,
    restarts: 0,
    readySinceMs: 0,
    wasReady: false,
    fellAtMs: 0,
  };
}

export function stepSupervision(before: Supervision, event: SupervisionEvent): Stepped {
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
        if (this.next.enabled && this.next.intention.held === undefined) {
          if (this.#mayTryNow(event.nowMs)) this.#tryNow('needed by a call');
          this.#want();
        }
        return this.#answer();
      case 'reachable':
        if (!this.next.isRemote || this.next.backoff === undefined || !this.next.intention.wanted) return;
        this.#cancelWait();
        return this.#pursue();
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

  #start(): void {
    this.#set({ awaited: true });
    if (!this.next.enabled) return this.#answer();
    this.#intend({ wanted: true, held: undefined });
    const { state } = this.next;
    if (state === 'stopped' || state === 'stopping' || isAway(state)) {
      this.#set({ history: noHistory, wasReady: false });
    }
    if (isAway(state)) this.#tryNow('start requested');
    this.#pursue();
    this.#answer();
  }

  /** Whether a call may try the server before the wait is over. A local process that has failed waits for a command. */
  #mayTryNow(nowMs: number): boolean {
    const { isRemote, state, process, fellAtMs } = this.next;
    return isRemote && isAway(state) && !process && nowMs - fellAtMs >= SHORTEST_RETRY_MS;
  }

  #tryNow(why: string): void {
    this.#cancelWait();
    this.#change(this.next.process ? 'stopping' : 'stopped', why);
  }

  #cancelWait(): void {
    if (this.next.backoff === undefined) return;
    this.#set({ backoff: undefined });
    this.effects.push({ type: 'cancel-wait' });
  }

  #want(): void {
    this.#set({ intention: { ...this.next.intention, wanted: true } });
    this.#pursue();
  }

  /** Settles callers if the outcome is known; otherwise they keep waiting. */
  #answer(): void {
    const { state, enabled, intention } = this.next;
    if (!enabled) this.#settle({ type: 'refuse', why: 'disabled' });
    else if (intention.held !== undefined) this.#settle({ type: 'refuse', why: 'stopped' });
    else if (isAway(state)) this.#settle({ type: 'refuse', why: 'failed' });
    else if (state === 'ready') this.#settle({ type: 'ready' });
  }

  #settle(effect: SupervisionEffect): void {
    this.#set({ awaited: false });
    this.effects.push(effect);
  }

  #replace(event: SupervisionEvent & { type: 'replace' }): void {
    const { reason, enabled, limits, isRemote, held } = event;
    if (event.isUnused) this.#set({ awaited: false });
    const wanted = event.wanted || (this.next.awaited && held === undefined);
    this.#intend({ wanted: wanted && enabled, held }, 'from now on');
    this.#set({ enabled, limits, isRemote, history: noHistory });
    if (this.next.state === 'disabled' && enabled) this.#change('stopped', 'enabled in the config');
    this.#letGo(reason);
  }

  #intend(change: Partial<Pick<Intention, 'wanted' | 'held'>>, scope?: 'from now on'): void {
    const generation = this.next.intention.generation + 1;
    const since = scope === undefined ? this.next.intention.since : generation;
    if (scope) this.#set({ wasReady: false });
    this.#set({ intention: { ...this.next.intention, ...change, generation, since } });
  }

  #letGo(reason: string): void {
    const { state, process } = this.next;
    this.#cancelWait();
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

  /** Starts a process if one is wanted and nothing prevents it. */
  #pursue(): void {
    const { state, enabled, process, backoff, intention, restarts, isRemote } = this.next;
    if (!intention.wanted || !enabled || process || backoff !== undefined) return;
    if (state !== 'stopped' && state !== 'backoff' && state !== 'unreachable') return;
    const generation = this.#nextNumber();
    const again = state !== 'stopped';
    this.#set({ process: { phase: 'opening', generation }, restarts: again && !isRemote ? restarts + 1 : restarts });
    this.#change('starting', again ? (isRemote ? 'connecting again' : 'restarted after a failure') : 'start requested');
    this.effects.push({ type: 'open', generation });
  }

  #opened(generation: number, nowMs: number): void {
    if (!this.#concerns(generation, 'opening')) return;
    if (this.#isOld(generation)) return this.#close(generation);
    // Attempts to reach an address do not count as restarts.
    const { isRemote, wasReady, restarts } = this.next;
    if (isRemote && wasReady) this.#set({ restarts: restarts + 1 });
    this.#set({ process: { phase: 'running', generation }, readySinceMs: nowMs, wasReady: true });
    this.#change('ready', this.next.restarts > 0 ? 'reconnected' : 'connected');
    this.#answer();
  }

  #fell({ message, hopeless, nowMs, random, exitCode, signal }: Fall, uptimeMs: number): void {
    const { isRemote, history, wasReady } = this.next;
    // A remote server is never given up. Its number of failures only decides whether calls wait for it.
    const limits = isRemote ? { ...this.next.limits, maxRestarts: Number.POSITIVE_INFINITY } : this.next.limits;
    const decision = decideRestart(history, { uptimeMs, exitCode, signal }, limits, nowMs, random);
    this.#set({ history: decision.history, fellAtMs: nowMs });
    if (hopeless || !decision.restart) {
      const again = isRemote ? 'the next call tries again' : 'a restart cannot help';
      this.#change('failed', `${message} — ${decision.restart ? again : decision.reason}`);
      return this.#answer();
    }
    const backoff = this.#nextNumber();
    this.#set({ backoff });
    this.effects.push({ type: 'wait', generation: backoff, ms: decision.afterMs });
    if (isRemote && (!wasReady || decision.history.failures > this.next.limits.maxRestarts)) {
      this.#change('unreachable', `${message} — next attempt in ${waitText(decision.afterMs)}, or for a call`);
      return this.#answer();
    }
    const what = isRemote ? 'connects again' : 'restarts';
    this.#change('backoff', `${message} — ${what} in ${waitText(decision.afterMs)}`);
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
    const reason = why.slice(0, LONGEST_REASON); // the reason may quote the server's output
    this.effects.push({ type: 'changed', from: this.next.state, to, reason });
    this.#set({ state: to, reason });
  }

  #set(change: Partial<Supervision>): void {
    this.next = { ...this.next, ...change };
  }
}
