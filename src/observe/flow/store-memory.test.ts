// Frames share memory. For any input and any way of reading: a frame that was returned stays unchanged and has the
// recorded content, and the memory of the store stays within its limit.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FlowEvent, FlowFact, FrameEvent } from './event.ts';
import { FlowStore } from './store.ts';

const BLOCK = 256 * 1024;

/** Sizes at which the store changes its strategy: shared blocks, shared chunks, and one byte more or less. */
const shared = fc.constantFrom(4096, 30_000, 65_536);
const size = fc.oneof(shared, fc.constantFrom(0, 17, 4095, 65_537, BLOCK - 1, BLOCK, BLOCK + 1));

type Step =
  | { way: 'frame'; bytes: number }
  | { way: 'span' | 'spans'; bytes: number; frames: number }
  | { way: 'note' | 'look' | 'lookAtAll' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ way: fc.constant('frame' as const), bytes: size }),
  fc.record({
    way: fc.constantFrom('span' as const, 'spans' as const),
    bytes: fc.oneof({ weight: 4, arbitrary: shared }, size),
    frames: fc.constantFrom(0, 1, 2, 200, 9000),
  }),
  fc.record({ way: fc.constantFrom('note' as const, 'look' as const, 'lookAtAll' as const) }),
);

/** Plays the steps on a store and keeps a plain copy of the expected frames. */
class Player {
  readonly store: FlowStore;
  readonly came: string[] = [];
  readonly held: { frame: FrameEvent; was: string }[] = [];
  #salt = 0;
  #offset = 0;
  /** A reader that reuses one buffer for all frames. */
  readonly #buffer = new Uint8Array(BLOCK + 1);
  readonly #views = new Map<number, Uint8Array>();

  constructor(store: FlowStore) {
    this.store = store;
  }

  play(each: Step): void {
    if ('bytes' in each) return this.#receive(each);
    if (each.way === 'look') this.hold(this.store.get(this.store.lastSeq));
    else if (each.way === 'lookAtAll') for (const event of this.store.since(0)) this.hold(event);
    else this.#came('note', () => this.store.begin('a').add({ kind: 'note', text: 'x' }));
  }

  #receive(each: Extract<Step, { bytes: number }>): void {
    const source = this.store.begin('a');
    const chunk = this.#read(each.bytes);
    const offset = this.#offset;
    this.#offset += chunk.length;
    if (each.way === 'frame') {
      return this.#came(told(offset, chunk), () => source.frame('toServer', chunk, offset));
    }
    const places = cutInto(each.frames, chunk.length);
    for (let at = 0; at < places.length; at += 2) {
      const [start, end] = [places[at]!, places[at + 1]!];
      const bytes = chunk.subarray(start, end);
      if (each.way === 'spans') this.came.push(told(undefined, bytes));
      else this.#came(told(offset + start, bytes), () => source.span('toServer', chunk, start, end, offset + start));
    }
    if (each.way === 'spans') source.sentSpans(chunk, places);
  }

  /** The same object for the same length, so that only the content distinguishes two reads. */
  #read(bytes: number): Uint8Array {
    const view = this.#views.get(bytes) ?? this.#buffer.subarray(0, bytes);
    this.#views.set(bytes, view);
    return view.fill(++this.#salt % 251);
  }

  #came(what: string, happen: () => void): void {
    this.came.push(what);
    happen();
  }

  hold(event: FlowEvent | undefined): void {
    if (event?.kind === 'frame') this.held.push({ frame: event, was: show(event) });
  }
}

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function arrayBytes(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

function cutInto(frames: number, bytes: number): number[] {
  const each = Math.floor(bytes / Math.max(1, frames));
  return Array.from({ length: frames * 2 }, (_, at) => (at % 2 === 0 ? (at / 2) * each : ((at + 1) / 2) * each));
}

function told(offset: number | undefined, bytes: Uint8Array): string {
  const first = bytes[0];
  let at = 1;
  while (at < bytes.length && bytes[at] === first) at++;
  return `${offset} ${bytes.length} ${at < bytes.length ? 'mixed' : first}`;
}

function show(event: FlowEvent): string {
  return event.kind === 'frame' ? told(event.offset, event.payload) : event.kind;
}

describe('the memory of the flow', () => {
  it('is never overwritten, so that returned frames stay unchanged', () => {
    const bounds = fc.record({
      maxEvents: fc.constantFrom(1, 3, 50, 20_000),
      maxBytes: fc.constantFrom(2000, 200_000, 900_000),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), bounds, fc.boolean(), (steps, limits, listens) => {
        const player = new Player(new FlowStore(limits));
        const heard: string[] = [];
        if (listens) {
          player.store.subscribe((event) => {
            heard.push(show(event));
            if (event.seq % 8 === 1) player.hold(event);
          });
        }
        for (const each of steps) player.play(each);
        const kept = player.store.since(0);
        expect(kept.map((event) => event.seq)).toEqual(kept.map((_, at) => player.came.length - kept.length + 1 + at));
        expect(kept.map(show)).toEqual(player.came.slice(player.came.length - kept.length));
        if (listens) expect(heard).toEqual(player.came);
        expect(player.held.map(({ frame }) => show(frame))).toEqual(player.held.map(({ was }) => was));
      }),
      { numRuns: 80 },
    );
  });

  it('passes the frame to every listener, even if another one adds events', () => {
    const store = new FlowStore({ maxEvents: 2 });
    const source = store.begin('a');
    const busy = store.begin('busy');
    const heard: string[] = [];
    // A listener may add many frames before the next listener is called.
    store.subscribe((event) => {
      if (event.server === 'busy') return;
      for (let i = 0; i < 20; i++) busy.frame('toServer', new Uint8Array(60_000).fill(9));
    });
    store.subscribe((event) => {
      if (event.server !== 'busy') heard.push(show(event));
    });
    const chunk = new Uint8Array(50_000).fill(1);
    source.span('fromServer', chunk, 0, 20_000, 0);
    source.span('fromServer', chunk, 20_000, 50_000, 20_000);
    source.sentSpans(chunk, [0, 10_000, 10_000, 30_000]);
    source.frame('fromServer', chunk, 0);
    expect(heard).toEqual(['0 20000 1', '20000 30000 1', 'undefined 10000 1', 'undefined 20000 1', '0 50000 1']);
  });
});

describe('the memory of the store', () => {
  const MB = 1024 * 1024;
  /** The block that is being filled. */
  const besides = 5 * 64 * 1024;

  it.each([
    ['chunks that leave a fifth of every block empty', 52_500, 1],
    ['chunks of frames so short that the slots are used up first', 4096, 2048],
    ['large chunks of such frames', 65_536, 30_000],
    ['frames with separate blocks', 300_000, 1],
  ])('stays near its limit: %s', async (_, bytes, frames) => {
    const store = new FlowStore({ maxBytes: 8 * MB, maxEvents: Number.MAX_SAFE_INTEGER });
    const source = store.begin('a');
    const places = cutInto(frames, bytes);
    const chunk = new Uint8Array(bytes);
    const before = arrayBytes();
    for (let passed = 0, at = 0; passed < 64 * MB; passed += bytes + frames * 40) {
      for (let i = 0; i < places.length; i += 2)
        source.span('toServer', chunk, places[i]!, places[i + 1]!, at + places[i]!);
      at += bytes;
    }
    expect(store.heldBytes).toBeGreaterThan(7 * MB);
    // Another thread frees collected memory with a delay.
    await expect.poll(() => arrayBytes() - before, { timeout: 20_000 }).toBeLessThan(1.6 * 8 * MB + besides);
  });

  it('is filled again after its frames were dropped without having been read', () => {
    const store = new FlowStore({ maxBytes: MB });
    store.notice(() => undefined);
    const source = store.begin('a');
    const chunk = new Uint8Array(1000);
    const pass = (bytes: number) => {
      for (let passed = 0; passed < bytes; passed += chunk.length) source.receivedSpan(chunk, 0, chunk.length, passed);
    };
    pass(2 * MB);
    const { arrayBuffers } = process.memoryUsage();
    let most = 0;
    for (let i = 0; i < 64; i++) {
      pass(MB);
      most = Math.max(most, process.memoryUsage().arrayBuffers - arrayBuffers);
    }
    expect(most).toBeLessThan(MB);
  });
});

it.each<[FlowFact['kind'], (text: string) => FlowFact]>([
  ['signal', (signal) => ({ kind: 'signal', signal })],
  ['exit', (signal) => ({ kind: 'exit', exitCode: null, signal })],
  ['stop', (rung) => ({ kind: 'stop', rung })],
  ['state', (to) => ({ kind: 'state', from: '', to })],
  ['error', (code) => ({ kind: 'error', code, message: '' })],
  ['spawn', (command) => ({ kind: 'spawn', pid: 1, command })],
])('counts the size of every text of an event: %s', (_, fact) => {
  const store = new FlowStore({ maxBytes: 100_000 });
  for (let i = 0; i < 20; i++) store.begin('a').add(fact('x'.repeat(10_000)));
  expect(store.size).toBe(9);
  for (let i = 0; i < 20; i++) store.begin('x'.repeat(20_000)).frame('toServer', new Uint8Array(1));
  expect(store.size).toBe(4);
});
