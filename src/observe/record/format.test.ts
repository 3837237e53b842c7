import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { redactor } from '../../base/secrets/redact.ts';
import type { FlowEvent } from '../flow/event.ts';
import { FlowStore } from '../flow/store.ts';
import { anyEvents, damageOf, eventsOf, fileOf, readAll } from './any-events.contract.ts';
import { EventLines } from './event-line.ts';
import { LineBuffer } from './line-buffer.ts';
import { parseEvent, type RecordingItem, readRecording } from './reader.ts';
import { headerLine, migrate } from './run-header.ts';

describe('the format', () => {
  it('returns every event unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, async (all) => {
        expect(eventsOf(await readAll(fileOf(all)))).toEqual(all);
      }),
      { numRuns: 300 },
    );
  });

  it('escapes U+2028 and U+2029 in every line', async () => {
    const text = 'a\u2028b\u2029';
    const origin = { seq: 1, atMs: 0, server: text, life: 1 };
    const note: FlowEvent = { ...origin, kind: 'note', text };
    const stderr: FlowEvent = { ...origin, seq: 2, kind: 'stderr', payload: Buffer.from(text), length: 8 };
    const lines = [note, stderr].map((event) => new EventLines(text).encode(event));
    const header = headerLine({ run: text, about: { command: text } });
    expect([header, ...lines].join('')).not.toMatch(/[\u2028\u2029]/);
    const items = await readAll(Buffer.from([header, ...lines, ''].join('\n')));
    expect(eventsOf(items)).toMatchObject([note, { ...stderr, payload: new Uint8Array(Buffer.from(text)) }]);
  });

  it('is readable up to any point at which it was cut off', async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, fc.double({ min: 0, max: 1, noNaN: true }), async (all, part) => {
        const file = fileOf(all);
        const cut = file.subarray(0, Math.floor(part * file.length));
        const whole = cut.toString('latin1').split('\n').length - 2; // the header and the partial line are not counted
        const items = await readAll(cut);
        expect(eventsOf(items)).toEqual(all.slice(0, Math.max(0, whole)));
        expect(damageOf(items).length).toBe(cut.length === 0 || cut.at(-1) === 0x0a ? 0 : 1);
      }),
      { numRuns: 300 },
    );
  });

  it('loses one line if one line is damaged', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyEvents,
        fc.nat(),
        fc.uint8Array({ minLength: 1, maxLength: 4 }),
        async (all, place, garbage) => {
          const lines = fileOf(all).toString('latin1').split('\n');
          const index = 1 + (place % all.length);
          const line = lines[index]!;
          const at = place % line.length;
          const noNewline = Buffer.from(garbage.map((byte) => (byte === 0x0a ? 0 : byte))).toString('latin1');
          lines[index] = line.slice(0, at) + noNewline + line.slice(at + noNewline.length);
          // Exclude a line that now claims the number of another one.
          const numberOf = (text: string) => /"seq":(\d+)/.exec(text)?.[1];
          fc.pre([undefined, numberOf(line)].includes(numberOf(lines[index]!)));
          const items = await readAll(Buffer.from(lines.join('\n'), 'latin1'));
          const others = (list: FlowEvent[]) => list.filter((each) => each.seq !== all[index - 1]!.seq);
          // A damaged line may still be valid with any content, so all other events are compared.
          const read = eventsOf(items).filter((each) => all.some((known) => known.seq === each.seq));
          expect(others(read)).toEqual(expect.arrayContaining(others(all)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('keeps a message readable: text as text, other bytes as base64', () => {
    const lines = new EventLines('r1');
    const frame = { seq: 1, atMs: 1.23456, server: 'a', life: 1, kind: 'frame', direction: 'toServer' } as const;
    expect(lines.encode({ ...frame, payload: Buffer.from('{"é":1}'), length: 8, offset: 0 })).toBe(
      '{"run":"r1","seq":1,"atMs":1.235,"server":"a","life":1,"kind":"frame","direction":"toServer","offset":0,"length":8,"text":"{\\"é\\":1}"}',
    );
    expect(lines.encode({ ...frame, payload: Uint8Array.of(0xff, 0), length: 2 })).toContain(
      '"length":2,"base64":"/wA="',
    );
  });

  it('writes the same text on the fast path', () => {
    const payload = fc.oneof(
      fc.string({ maxLength: 60 }).map((text) => Buffer.from(text)),
      fc.json().map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 20 }),
      fc.constant(Buffer.from('{"token":"abc"}')),
    );
    const direction = fc.constantFrom('toServer' as const, 'fromServer' as const);
    const stamp = fc.tuple(fc.constantFrom('a', 'ü', '"q"'), fc.option(fc.nat(), { nil: undefined }), fc.nat(5e6));
    fc.assert(
      fc.property(fc.array(fc.tuple(payload, direction, stamp), { maxLength: 20 }), (frames) => {
        const clock = new ManualClock();
        const store = new FlowStore({ clock });
        for (const [bytes, way, [server, offset, afterUs]] of frames) {
          clock.advance(afterUs / 1000);
          store.appendFrame(server, 3, way, bytes, offset);
        }
        const [slow, fast] = [new EventLines('r', redactor()), new EventLines('r', redactor())];
        const buffer = new LineBuffer();
        for (const event of store.since(0)) fast.write(event, buffer);
        expect(buffer.lines).toBe(frames.length);
        expect(buffer.take().toString()).toBe(
          store
            .since(0)
            .map((event) => `${slow.encode(event)}\n`)
            .join(''),
        );
      }),
    );
  });

  it('hides secrets, marks that, and keeps the original length', () => {
    const lines = new EventLines('r', redactor());
    const stamp = { seq: 1, atMs: 0, server: 'a', life: 1 };
    const payload = Buffer.from('{"token":"abc"}');
    const line = JSON.parse(
      lines.encode({ ...stamp, kind: 'frame', direction: 'toServer', payload, length: payload.length }),
    );
    expect(line).toMatchObject({ text: '{"token":"[redacted]"}', length: 15, redacted: true });
    const mixed = Buffer.concat([Buffer.from('token=abc '), Buffer.of(0xff)]);
    const stderr = lines.encode({ ...stamp, kind: 'stderr', payload: mixed, length: mixed.length });
    expect(parseEvent(JSON.parse(stderr))).toMatchObject({ length: 11, redacted: true });
    expect(stderr).not.toContain('abc');
    expect(stderr).not.toContain('base64');
    expect(lines.encode({ ...stamp, kind: 'spawn', command: 'x --token abc', pid: 1 })).not.toContain('abc');
  });

  it('skips fields and kinds of events that are newer than this version', async () => {
    const header = '{"standpipe":"recording","version":1,"run":"n","startedAt":"2030-01-01T00:00:00Z","mood":"good"}';
    const known = '{"run":"n","seq":1,"atMs":0,"server":"a","life":1,"kind":"note","text":"x","colour":"red"}';
    const unknown = '{"run":"n","seq":2,"atMs":0,"server":"a","life":1,"kind":"teleport"}';
    const items = await readAll(Buffer.from(`${header}\n${known}\n${unknown}\n`));
    expect(items.map((item) => item.type)).toEqual(['run', 'event', 'unknown']);
  });

  it('reports an unknown version, and does not guess', async () => {
    const header = '{"standpipe":"recording","version":9,"run":"n"}';
    const items = await readAll(Buffer.from(`${header}\n{"run":"n","seq":1,"kind":"note"}\n`));
    expect(damageOf(items).map((item) => item.type === 'damage' && item.reason)).toEqual([
      'Unknown format version 9',
      'Unknown format version 9',
    ]);
  });

  it('migrates old versions one step at a time', () => {
    const steps = { 1: (line: object) => ({ ...line, two: true }), 2: (line: object) => ({ ...line, three: true }) };
    expect(migrate({ a: 1 }, 1, steps, 3)).toEqual({ a: 1, two: true, three: true });
    expect(migrate({ a: 1 }, 2, steps, 3)).toEqual({ a: 1, three: true });
    expect(migrate({ a: 1 }, 4, steps, 3)).toBeUndefined();
    expect(migrate({ a: 1 }, 1, {}, 3)).toBeUndefined();
  });

  it('reads events if the header was lost', async () => {
    const [, ...rest] = fileOf([{ seq: 1, atMs: 0, server: 'a', life: 1, kind: 'note', text: 'x' }])
      .toString()
      .split('\n');
    const items = await readAll(Buffer.from(`{"standp\n${rest.join('\n')}`));
    expect(items).toMatchObject([{ type: 'damage' }, { type: 'event', run: { run: 'r', about: {} } }]);
  });

  it('limits the length of a line', async () => {
    const note = (seq: number, length: number) =>
      ({ seq, atMs: 0, server: 'a', life: 1, kind: 'note', text: 'x'.repeat(length) }) as const;
    const chunks = [fileOf([note(1, 1), note(2, 5000), note(3, 1)])];
    const items: RecordingItem[] = [];
    for await (const item of readRecording(Readable.from(chunks), { maxLineBytes: 1000 })) items.push(item);
    expect(eventsOf(items).map((each) => each.seq)).toEqual([1, 3]);
    expect(items).toContainEqual(expect.objectContaining({ type: 'damage', reason: 'The line is too long' }));
    expect(items).toContainEqual(expect.objectContaining({ type: 'gap', fromSeq: 2, toSeq: 2 }));
  });

  it('has separate kinds for clients, which readers that know only servers skip', () => {
    const kinds = 'spawn frame fault stderr state signal exit stop error note'.split(' ');
    const stamp = { seq: 1, atMs: 0, server: 'client 1', life: 1 };
    const payload = new TextEncoder().encode('{}');
    const events: FlowEvent[] = [
      { ...stamp, kind: 'frame', direction: 'fromClient', length: 2, payload, http: { exchange: 1 } },
      { ...stamp, kind: 'frame', direction: 'toClient', length: 2, payload },
      {
        ...stamp,
        kind: 'fault',
        direction: 'fromClient',
        code: 'FRAME_TOO_LONG',
        offset: 0,
        length: 2,
        prefix: payload,
      },
      { ...stamp, kind: 'client', state: 'opened', door: 'http' },
      { ...stamp, kind: 'link', request: 1, wire: 'a', wireLife: 1, direction: 'toServer', id: 2 },
    ];
    for (const event of events) expect(kinds).not.toContain(JSON.parse(new EventLines('r').encode(event)).kind);
  });

  it('limits the names that a reader has to keep', async () => {
    const long = 'x'.repeat(100_000);
    const note = (run: string, server: string) =>
      JSON.stringify({ run, seq: 1, atMs: 0, server, life: 1, kind: 'note', text: 'x' });
    const header = { standpipe: 'recording', version: 1 };
    const place = { run: 'c', seq: 2, atMs: 0, server: 'a', life: 1 };
    const link = { ...place, kind: 'link', request: 1, wireLife: 1, direction: 'toServer', id: 1 };
    const lines = [
      JSON.stringify({ ...header, run: 'a', about: { long } }),
      JSON.stringify({ ...header, run: long }),
      note(long, 'a'),
      note('b', long),
      note('c', 'a'),
      JSON.stringify({ ...place, kind: 'client', state: 'known', door: long }),
      JSON.stringify({ ...link, wire: long }),
      JSON.stringify({ ...link, wire: 'a' }),
    ];
    const items = await readAll(Buffer.from(`${lines.join('\n')}\n`));
    expect(items).toMatchObject([
      { type: 'damage', reason: 'The header is too long' },
      { type: 'damage', reason: 'The name of its run is too long' },
      { type: 'damage', reason: 'The name of its run is too long' },
      { type: 'damage', reason: 'Not an event' },
      { type: 'event', run: { run: 'c' } },
      { type: 'damage', reason: 'Not an event' },
      { type: 'damage', reason: 'Not an event' },
      { type: 'event', run: { run: 'c' } },
    ]);
  });

  it('omits an optional text that is too long, and keeps the event', () => {
    const place = { seq: 1, atMs: 0, server: 'client 1', life: 1 };
    const known = { kind: 'client', state: 'known', door: 'http' };
    expect(parseEvent({ ...place, ...known, name: 'x'.repeat(1001), version: '1' })).toEqual({
      ...place,
      ...known,
      version: '1',
    });
  });
});
