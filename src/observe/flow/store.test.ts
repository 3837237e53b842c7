import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import type { FlowEvent, FrameEvent } from './event.ts';
import { FlowStore } from './store.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (event: FlowEvent | undefined) => new TextDecoder().decode((event as FrameEvent).payload);

describe('the flow store', () => {
  it('numbers events from 1 and stamps them with its own clock', () => {
    const clock = new ManualClock();
    clock.advance(5000);
    const beforeMs = Date.now();
    const store = new FlowStore({ clock });
    const afterMs = Date.now();
    const source = store.begin('weather');
    source.add({ kind: 'spawn', command: 'node server.js', pid: 7 });
    clock.advance(12.5);
    source.frame('toServer', bytes('{}'), 40);
    expect(store.since(0)).toMatchObject([
      { seq: 1, atMs: 0, server: 'weather', life: 1, kind: 'spawn', pid: 7 },
      { seq: 2, atMs: 12.5, server: 'weather', life: 1, kind: 'frame', direction: 'toServer', offset: 40, length: 2 },
    ]);
    expect(store.startedAt.getTime()).toBeGreaterThanOrEqual(beforeMs);
    expect(store.startedAt.getTime()).toBeLessThanOrEqual(afterMs);
  });

  it('numbers the process runs of each server separately', () => {
    const store = new FlowStore();
    expect([store.begin('a'), store.begin('b'), store.begin('a')].map((source) => source.life)).toEqual([1, 1, 2]);
  });

  it('keeps the bytes if the given view is overwritten', () => {
    const store = new FlowStore();
    const chunk = Buffer.from('{"id":1}\n{"id":2}\n');
    const source = store.begin('a');
    source.frame('toServer', chunk.subarray(0, 8), 0);
    source.frame('toServer', chunk.subarray(9, 17), 9);
    chunk.fill(0);
    expect(store.since(0).map(text)).toEqual(['{"id":1}', '{"id":2}']);
  });

  it('stores a text message with its number of bytes', () => {
    const store = new FlowStore();
    store.begin('a').text('toServer', '{"é":1}');
    expect((store.get(1) as FrameEvent).length).toBe(8);
    expect(text(store.get(1))).toBe('{"é":1}');
  });

  it('keeps both ends of a frame that is too long, and its length', () => {
    const store = new FlowStore({ keepFrameBytes: 10_000 });
    const source = store.begin('a');
    const long = `{"id":1,"text":"${'ü'.repeat(6000)}","end":2}`;
    source.frame('fromServer', bytes(long), 5);
    source.text('toServer', long);
    for (const event of store.since(0) as FrameEvent[]) {
      expect(event).toMatchObject({ kind: 'frame', cut: true, length: bytes(long).length });
      expect(event.payload.length).toBeLessThanOrEqual(1024);
      expect(text(event)).toMatch(/^\{"id":1,"text":"ü+$/);
      expect(new TextDecoder().decode(event.tail)).toMatch(/^ü+","end":2\}$/);
    }
    expect(store.heldBytes).toBeLessThan(4000);
  });

  it('keeps the newest events and counts the dropped ones', () => {
    const store = new FlowStore({ maxEvents: 3 });
    const source = store.begin('a');
    for (let i = 1; i <= 5; i++) source.frame('toServer', bytes(String(i)));
    expect(store.since(0).map(text)).toEqual(['3', '4', '5']);
    expect(store.dropped.events).toBe(2);
    expect(store.dropped.bytes).toBeGreaterThan(2);
    expect([store.get(2), store.get(6)]).toEqual([undefined, undefined]);
    expect(text(store.get(4))).toBe('4');
  });

  it('keeps thousands of events in order while older ones are dropped', () => {
    const store = new FlowStore({ maxEvents: 2500 });
    const source = store.begin('a');
    const expected: string[] = [];
    const show = (event: FlowEvent) => `${event.seq} ${event.kind === 'note' ? event.text : text(event)}`;
    for (let i = 0; expected.length < 9000; i++) {
      const place = i % 5 === 0 ? { exchange: i } : undefined;
      if (i % 3 === 0) source.add({ kind: 'note', text: `note ${i}` });
      else store.appendFrame('a', 1, 'toServer', bytes(`frame ${i}`), undefined, place);
      expected.push(`${i + 1} ${i % 3 === 0 ? 'note' : 'frame'} ${i}`);
      const frame = i % 15 === 10 ? store.get(i + 1) : undefined;
      if (frame) expect(frame).toMatchObject({ http: { exchange: i } });
      if (i % 700 === 0) expect(store.since(0).map(show)).toEqual(expected.slice(-2500));
    }
    expect(store.since(0).map(show)).toEqual(expected.slice(-2500));
    for (const seq of [6501, 7000, 8192, 8193, 9000]) expect(show(store.get(seq)!)).toBe(expected[seq - 1]);
    expect(store.get(6500)).toBeUndefined();
    expect(store.since(8190, 5).map((event) => event.seq)).toEqual([8191, 8192, 8193, 8194, 8195]);
  });

  it('stays within its limits for any events, and returns the kept ones without a gap', () => {
    const size = fc.constantFrom(0, 1, 100, 5000, 9000, 20_000);
    const limits = fc.record({ maxEvents: fc.integer({ min: 1, max: 50 }), maxBytes: fc.constantFrom(100, 30_000) });
    fc.assert(
      fc.property(fc.array(size, { maxLength: 200 }), limits, fc.nat(220), (sizes, { maxEvents, maxBytes }, seq) => {
        const store = new FlowStore({ maxEvents, maxBytes, keepFrameBytes: 10_000 });
        const source = store.begin('a');
        for (const [i, length] of sizes.entries()) {
          source.frame('toServer', new Uint8Array(length).fill(i));
          expect(store.size).toBeLessThanOrEqual(maxEvents);
          expect(store.size === 1 || store.heldBytes <= maxBytes).toBe(true);
        }
        const held = store.since(0).map((event) => event.seq);
        expect(held).toEqual(Array.from(held, (_, i) => sizes.length - held.length + 1 + i));
        expect(store.since(seq).map((event) => event.seq)).toEqual(held.filter((each) => each > seq));
        expect(store.since(seq, 3).map((event) => event.seq)).toEqual(held.filter((each) => each > seq).slice(0, 3));
        for (const event of store.since(0) as FrameEvent[]) {
          expect(event.payload.every((byte) => byte === (event.seq - 1) % 256)).toBe(true);
          expect(store.get(event.seq)).toEqual(event);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('keeps frames of large chunks without a copy, and returns each with its own content', () => {
    const frames = fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 12 });
    const step = fc.oneof(frames, fc.constant('note' as const));
    const limits = fc.record({ maxEvents: fc.integer({ min: 1, max: 40 }), maxBytes: fc.constantFrom(3000, 50_000) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), limits, fc.nat(100), fc.nat(20), (steps, bounds, seq, limit) => {
        const store = new FlowStore(bounds);
        const source = store.begin('a');
        const naive: string[] = [];
        const told: string[] = [];
        store.subscribe((event) => told.push(show(event)));
        let offset = 0;
        for (const each of steps) {
          if (each === 'note') {
            source.add({ kind: 'note', text: 'x' });
            naive.push('note');
            continue;
          }
          const chunk = new Uint8Array(5000).fill(naive.length);
          let start = 0;
          for (const length of each.slice(0, 5)) {
            source.span('toServer', chunk, start, start + length, offset + start);
            naive.push(`${offset + start} ${length} ${length > 0 ? chunk[0] : ''}`);
            start += length + 1;
          }
          offset += chunk.length;
        }
        const held = store.since(0);
        expect(told).toEqual(naive);
        expect(held.map(show)).toEqual(naive.slice(naive.length - held.length));
        expect(held.map((event) => event.seq)).toEqual(held.map((_, i) => naive.length - held.length + 1 + i));
        expect(held.length).toBeLessThanOrEqual(bounds.maxEvents);
        expect(held.length <= 1 || store.heldBytes <= bounds.maxBytes).toBe(true);
        expect(store.since(seq, limit).map(show)).toEqual(
          held
            .filter((event) => event.seq > seq)
            .slice(0, limit)
            .map(show),
        );
        for (const event of held) expect(show(store.get(event.seq)!)).toBe(show(event));
        expect(store.get(naive.length - held.length)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
    function show(event: FlowEvent): string {
      return event.kind === 'frame' ? `${event.offset} ${event.length} ${event.payload[0] ?? ''}` : event.kind;
    }
  });

  it('never overwrites a returned frame, however many frames follow', () => {
    const way = fc.constantFrom('frame', 'span', 'spans', 'look', 'lookAtAll', 'listen');
    fc.assert(
      fc.property(fc.array(way, { minLength: 50, maxLength: 120 }), fc.nat(255), (ways, salt) => {
        const store = new FlowStore({ maxEvents: 30, maxBytes: 60_000 });
        const source = store.begin('a');
        const seen: { frame: FrameEvent; first: number }[] = [];
        const see = (event: FlowEvent | undefined) => {
          if (event?.kind === 'frame') seen.push({ frame: event, first: event.payload[0]! });
        };
        for (const [at, each] of ways.entries()) {
          const chunk = new Uint8Array(40_000).fill((at + salt) % 256);
          if (each === 'frame') source.frame('toServer', chunk.subarray(0, 9000));
          if (each === 'spans') source.sentSpans(chunk, [0, 10_000, 10_001, 40_000]);
          if (each === 'span') for (let i = 0; i < 4; i++) source.span('fromServer', chunk, i * 9, i * 9 + 8, i * 9);
          if (each === 'listen') store.subscribe(see);
          if (each === 'look') see(store.get(store.lastSeq));
          if (each === 'lookAtAll') store.since(0).forEach(see);
          chunk.fill(77); // a reader may reuse its memory
        }
        for (const { frame, first } of seen) expect(frame.payload.every((byte) => byte === first)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('notifies subscribers in order until they unsubscribe', () => {
    const store = new FlowStore();
    const seen: number[] = [];
    const leave = store.subscribe((event) => seen.push(event.seq));
    const source = store.begin('a');
    source.add({ kind: 'note', text: 'one' });
    source.add({ kind: 'note', text: 'two' });
    leave();
    source.add({ kind: 'note', text: 'three' });
    expect(seen).toEqual([1, 2]);
  });

  it('notifies a listener without frames of every event, in order with those of other listeners', () => {
    const store = new FlowStore({ maxEvents: 1 });
    const source = store.begin('a');
    const seen: string[] = [];
    store.notice((kind, seq, event) => {
      seen.push(`${kind} ${seq}${event ? ' read' : ''}`);
      if (seq === 1) source.add({ kind: 'note', text: 'added by a listener' });
    });
    source.sentSpans(bytes('abc'), [0, 1, 1, 2]);
    const leave = store.subscribe(({ kind, seq }) => seen.push(`subscribed ${kind} ${seq}`));
    source.frame('toServer', bytes('d'));
    leave();
    source.frame('toServer', bytes('e'));
    expect(seen).toEqual(['frame 1', 'frame 2', 'note 3 read', 'frame 4 read', 'subscribed frame 4', 'frame 5']);
  });

  it('removes a listener without frames that throws, and names the server of the frame', () => {
    const store = new FlowStore();
    const seen: string[] = [];
    store.notice(() => {
      throw new Error('broken view');
    });
    store.notice((kind) => seen.push(kind));
    const source = store.begin('a');
    source.frame('toServer', bytes('x'));
    source.frame('toServer', bytes('y'));
    expect(seen).toEqual(['frame', 'error', 'frame']);
    expect(store.get(2)).toMatchObject({ code: 'LISTENER_FAILED', server: 'a', life: 1 });
  });

  it('removes a listener that throws, reports it, and continues', () => {
    const store = new FlowStore();
    const seen: string[] = [];
    store.subscribe(() => {
      throw new Error('broken view');
    });
    store.subscribe((event) => seen.push(event.kind));
    const source = store.begin('a');
    source.add({ kind: 'note', text: 'one' });
    source.add({ kind: 'note', text: 'two' });
    expect(seen).toEqual(['note', 'error', 'note']);
    expect(store.since(0).find((event) => event.kind === 'error')).toMatchObject({
      code: 'LISTENER_FAILED',
      message: expect.stringContaining('broken view'),
    });
  });

  it('passes events to all listeners in order, even if a listener throws or adds some', () => {
    const store = new FlowStore();
    const seen: number[] = [];
    const source = store.begin('a');
    store.subscribe(({ seq }) => {
      if (seq === 1) source.add({ kind: 'note', text: 'added by a listener' });
    });
    store.subscribe(({ seq }) => {
      if (seq === 2) throw new Error('broken view');
    });
    store.subscribe(({ seq }) => seen.push(seq));
    source.sentSpans(bytes('abc'), [0, 1, 1, 2, 2, 3]);
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    expect(store.since(3).map(({ kind }) => kind)).toEqual(['note', 'error']);
  });

  it('waits longer for the rest of a possible secret, up to a limit', () => {
    const clock = new ManualClock();
    const store = new FlowStore({ clock });
    const source = store.begin('a');
    const secret = 'hunter22';
    source.unfinishedSecret = (all) => {
      const text = new TextDecoder().decode(all);
      for (let length = secret.length - 1; length > 0; length--)
        if (text.endsWith(secret.slice(0, length))) return length;
      return 0;
    };
    const texts = () =>
      store.since(0).map((event) => (event.kind === 'stderr' ? new TextDecoder().decode(event.payload) : event.kind));
    source.stderr(bytes('key hunt'));
    clock.advance(50);
    expect(texts()).toEqual(['key ']);
    clock.advance(4_000);
    source.stderr(bytes('er22\nnext hun'));
    expect(texts()).toEqual(['key ', 'hunter22\n']);
    clock.advance(50);
    clock.advance(4_999);
    expect(texts()).toEqual(['key ', 'hunter22\n', 'next ']);
    clock.advance(1);
    expect(texts()).toEqual(['key ', 'hunter22\n', 'next ', 'hun']);
    source.stderr(bytes('hunter'));
    source.endStderr();
    expect(texts().at(-1)).toBe('hunter');
  });

  it('waits for a limited time for the rest of a line of stderr', () => {
    const clock = new ManualClock();
    const store = new FlowStore({ clock });
    const source = store.begin('a');
    source.stderr(bytes('one\ntw'));
    source.stderr(bytes('o\n'));
    source.stderr(bytes('Password? '));
    const seen = () => store.since(0).map(text);
    expect(seen()).toEqual(['one\n', 'two\n']);
    clock.advance(60);
    expect(seen()).toEqual(['one\n', 'two\n', 'Password? ']);
    source.stderr(bytes('the last words'));
    source.endStderr();
    expect(seen().at(-1)).toBe('the last words');
    expect(clock.pending).toBe(0);
  });
});
