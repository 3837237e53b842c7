// Records the actions of one server as events of a store. It observes a wire; a tap, which has no wire, calls it directly.

import type { Clock, Timer } from '../../base/clock.ts';
import type { FrameFault } from '../../wire/framing/framing.ts';
import type {
  ExchangeObserver,
  HttpBody,
  HttpEnd,
  ObservedRequest,
  RemoteFacts,
  WireObserver,
} from '../../wire/wire.ts';
import { copy, encodeOnce, headOf, tailOf } from './cut-frame.ts';
import type { FlowDirection, FlowFact, HttpPlace, ObservedHop, RemoteFact } from './event.ts';
import type { FlowStore } from './store.ts';

export class FlowSource implements WireObserver {
  readonly server: string;
  pid: number | null = null;
  readonly #store: FlowStore;
  readonly #stderr: StderrLines;
  #life: number;
  #hasBegun = false;
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
    const isNew = (Object.keys(facts) as (keyof RemoteFacts)[]).some((name) => facts[name] !== before[name]);
    if (isNew) this.add({ kind: 'remote', state: 'known', ...this.#remote });
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

  /** Records a frame that exceeds the observer's own limit. It is not a fault, because the limit does not apply to the traffic. */
  cutFrame(direction: FlowDirection, { offset, length, prefix }: FrameFault, tail: Uint8Array): void {
    this.add({ kind: 'frame', direction, offset, length, cut: true, payload: headOf(prefix), tail: tailOf(tail) });
  }

  /** Stderr output that may end with the beginning of a secret is held until the rest arrives. */
  set unfinishedSecret(unfinished: (bytes: Uint8Array) => number) {
    this.#stderr.unfinished = unfinished;
  }

  stderr(chunk: Uint8Array): void {
    this.#stderr.push(chunk);
  }

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

class FlowHttpExchange implements ExchangeObserver {
  readonly first: number;
  readonly #number: number;
  readonly #store: FlowStore;
  readonly #server: string;
  readonly #life: number;
  readonly #request: ObservedRequest;
  readonly #beganMs: number;
  #place: HttpPlace;
  #body: HttpBody | undefined;

  constructor(store: FlowStore, server: string, life: number, number: number, request: ObservedRequest) {
    this.#store = store;
    this.#server = server;
    this.#life = life;
    this.#number = number;
    this.first = request.repeats ?? number;
    this.#request = request;
    this.#place = { exchange: number };
    this.#beganMs = store.clock.nowMs();
  }

  sent(text: string): void {
    const place = { exchange: this.#number };
    this.#store.appendFrame(this.#server, this.#life, 'toServer', encodeOnce(text), undefined, place);
  }

  answered(status: number, responseHeaders: string, body: HttpBody): void {
    this.#place = { exchange: this.#number, status };
    this.#body = body;
    this.#add('answered', { ...this.#begun(), status, responseHeaders, body });
  }

  received(chunk: Uint8Array, start: number, end: number): void {
    const bytes = chunk.subarray(start, end);
    this.#store.appendFrame(this.#server, this.#life, 'fromServer', bytes, undefined, this.#place);
  }

  tooLong(length: number): void {
    const fact = { kind: 'fault', direction: 'fromServer', code: 'FRAME_TOO_LONG', offset: 0, length } as const;
    this.#store.append(this.#server, this.#life, { ...fact, prefix: new Uint8Array(0) });
  }

  ended(end: HttpEnd, reason?: string): void {
    if (this.#body === undefined) {
      this.#add('failed', { ...this.#begun(), end, reason });
    } else if (this.#body === 'stream' || end === 'cut') {
      this.#add('ended', { status: this.#place.status, body: this.#body, end, reason });
    }
  }

  #begun() {
    const { headers: requestHeaders, repeats } = this.#request;
    return { requestHeaders, repeats, waitMs: this.#store.clock.nowMs() - this.#beganMs };
  }

  #add(state: 'answered' | 'failed' | 'ended', rest: object): void {
    const { method, url } = this.#request;
    this.#store.append(this.#server, this.#life, { kind: 'http', state, exchange: this.#number, method, url, ...rest });
  }
}

const LF = 0x0a;
const HOLD_MS = 50;
const SECRET_HOLD_MS = 5_000;
const MAX_HELD_BYTES = 64 * 1024;

/**
 * Splits stderr into events of whole lines. An incomplete line, such as a prompt, is held for at most HOLD_MS; an endless line is passed on in
 * pieces. A possible beginning of a secret is held for at most SECRET_HOLD_MS, so that the secret is in one event and can be recognised.
 */
export class StderrLines {
  /** Number of bytes at the end that may be the beginning of a secret (secrets/unfinished-value.ts). */
  unfinished: (bytes: Uint8Array) => number = () => 0;
  readonly #clock: Clock;
  readonly #emit: (bytes: Uint8Array) => void;
  #held: Uint8Array | undefined;
  #timer: Timer | undefined;

  /** `emit` may keep the bytes. */
  constructor(clock: Clock, emit: (bytes: Uint8Array) => void) {
    this.#clock = clock;
    this.#emit = emit;
  }

  push(chunk: Uint8Array): void {
    const bytes = joined(this.#held, chunk);
    const whole = bytes.length > MAX_HELD_BYTES ? bytes.length : bytes.lastIndexOf(LF) + 1;
    this.#pass(bytes, Math.min(whole, bytes.length - this.unfinished(bytes)), HOLD_MS);
  }

  flush(): void {
    const held = this.#held;
    if (held) this.#pass(held, held.length, HOLD_MS);
  }

  /** The rest of the line did not arrive: emits everything but a possible beginning of a secret. */
  #tired(): void {
    const held = this.#held!;
    this.#pass(held, held.length - this.unfinished(held), SECRET_HOLD_MS);
  }

  #pass(bytes: Uint8Array, end: number, holdMs: number): void {
    this.#hold(end < bytes.length ? bytes.subarray(end) : undefined, holdMs);
    if (end > 0) this.#emit(bytes.subarray(0, end));
  }

  #hold(bytes: Uint8Array | undefined, holdMs: number): void {
    this.#held = bytes;
    this.#timer?.cancel();
    const over = () => (holdMs === HOLD_MS ? this.#tired() : this.flush());
    this.#timer = bytes && this.#clock.after(holdMs, over);
    this.#timer?.keepAlive(false);
  }
}

function joined(held: Uint8Array | undefined, chunk: Uint8Array): Uint8Array {
  if (!held) return copy(chunk);
  const both = new Uint8Array(held.length + chunk.length);
  both.set(held);
  both.set(chunk, held.length);
  return both;
}
