// Records the actions of one server as events of a store. It observes a wire; a tap, which has no wire, calls it
// directly.

import type { FrameFault } from '../../wire/framing/framing.ts';
import type { ExchangeObserver, ObservedRequest, RemoteFacts, WireObserver } from '../../wire/wire.ts';
import { copy, headOf, tailOf } from './cut-frame.ts';
import type { FlowDirection, FlowFact, ObservedHop, RemoteFact } from './event.ts';
import { FlowHttpExchange } from './http-exchange.ts';
import { StderrLines } from './stderr-lines.ts';
import type { FlowStore } from './store.ts';

export class FlowSource implements WireObserver {
  readonly server: string;
  /** Pid of the running process. */
  pid: number | null = null;
  readonly #store: FlowStore;
  readonly #stderr: StderrLines;
  #life: number;
  #hasBegun = false;
  /** Facts about a remote server. */
  #remote: Omit<RemoteFact, 'kind' | 'state'> = { url: '' };
  #exchanges = 0;

  constructor(store: FlowStore, server: string) {
    this.#store = store;
    this.server = server;
    this.#life = store.nextLife(server);
    this.#stderr = new StderrLines(store.clock, (payload) => this.#addStderr(payload));
  }

  get life(): number {
    return this.#life;
  }

  /** A second process starts a new process run, for example after the first one exited at the revision probe. */
  spawned(pid: number, command: string): void {
    this.#beginLife();
    this.pid = pid;
    this.add({ kind: 'spawn', pid, command });
  }

  connected(url: string): void {
    this.#beginLife();
    this.#remote = { url };
    this.#exchanges = 0;
    this.add({ kind: 'remote', state: 'connected', url });
  }

  learned(facts: RemoteFacts): void {
    const before = this.#remote;
    this.#remote = { ...before, ...facts };
    const isSubscriptionNotification = (Object.keys(facts) as (keyof RemoteFacts)[]).some(
      (name) => facts[name] !== before[name],
    );
    if (isSubscriptionNotification) this.add({ kind: 'remote', state: 'known', ...this.#remote });
  }

  disconnected(reason?: string): void {
    this.add({ kind: 'remote', state: 'disconnected', ...this.#remote, reason });
  }

  exchange(request: ObservedRequest): ExchangeObserver {
    return new FlowHttpExchange(this.#store, this.server, this.#life, ++this.#exchanges, request);
  }

  hop(hop: ObservedHop): void {
    this.add({ kind: 'hop', ...hop });
  }

  sentSpans(chunk: Uint8Array, places: number[]): void {
    this.#store.appendSpans(this.server, this.#life, 'toServer', chunk, places);
  }

  receivedSpan(chunk: Uint8Array, start: number, end: number, offset: number): void {
    this.#store.appendSpan(this.server, this.#life, 'fromServer', chunk, start, end, offset);
  }

  fault(fault: FrameFault): void {
    this.badFrame('fromServer', fault);
  }

  exited(exitCode: number | null, signal: string | null): void {
    this.pid = null;
    this.endStderr();
    this.add({ kind: 'exit', exitCode, signal });
  }

  stopped(rung: string): void {
    this.endStderr();
    this.add({ kind: 'stop', rung });
  }

  /** The bytes are copied. */
  frame(direction: FlowDirection, bytes: Uint8Array, offset?: number): void {
    this.#store.appendFrame(this.server, this.#life, direction, bytes, offset);
  }

  /** Records the frame chunk[start, end). The bytes of all frames in the chunk are copied at once. */
  span(direction: FlowDirection, chunk: Uint8Array, start: number, end: number, offset: number): void {
    this.#store.appendSpan(this.server, this.#life, direction, chunk, start, end, offset);
  }

  text(direction: FlowDirection, text: string): void {
    this.frame(direction, new TextEncoder().encode(text));
  }

  badFrame(direction: FlowDirection, { code, offset, length, prefix }: FrameFault): void {
    this.add({ kind: 'fault', direction, code, offset, length, prefix: copy(prefix) });
  }

  /**
   * Records a frame that exceeds the observer's own limit. It is not reported as a fault, because the limit does not
   * apply to the traffic.
   */
  cutFrame(direction: FlowDirection, { offset, length, prefix }: FrameFault, tail: Uint8Array): void {
    this.add({
      kind: 'frame',
      direction,
      offset,
      length,
      cut: true,
      payload: headOf(prefix),
      tail: tailOf(tail),
    });
  }

  /** Stderr output that may end with the beginning of a secret is held until the rest arrives. */
  set unfinishedSecret(unfinished: (bytes: Uint8Array) => number) {
    this.#stderr.unfinished = unfinished;
  }

  stderr(chunk: Uint8Array): void {
    this.#stderr.push(chunk);
  }

  /** Called when stderr has ended. */
  endStderr(): void {
    this.#stderr.flush();
  }

  add(fact: FlowFact): void {
    this.#store.append(this.server, this.#life, fact);
  }

  #beginLife(): void {
    if (this.#hasBegun) this.#life = this.#store.nextLife(this.server);
    this.#hasBegun = true;
  }

  #addStderr(bytes: Uint8Array): void {
    const kept = this.#store.keepFrameBytes;
    this.add({ kind: 'stderr', length: bytes.length, payload: bytes.subarray(0, kept) });
  }
}
