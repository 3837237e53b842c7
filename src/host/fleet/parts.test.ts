import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { isPart, messageParts, PartsAssembler, publishMessage } from './parts.ts';

const bytes = (length: number, value = 7) => new Uint8Array(length).fill(value);
const codeOf = (run: () => unknown) => {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('messages in parts', () => {
  it('are assembled unchanged, and no part is longer than the limit', () => {
    const message = fc.oneof(fc.uint8Array({ maxLength: 5000 }), fc.string({ unit: 'binary', maxLength: 3000 }));
    fc.assert(
      fc.property(message, fc.integer({ min: 81, max: 1500 }), (whole, maxBytes) => {
        const assembler = new PartsAssembler();
        const expected = Buffer.from(whole as string);
        const parts = [...messageParts(whole, maxBytes)];
        const results = parts.map((part) => {
          expect(part.length).toBeLessThanOrEqual(maxBytes);
          expect(isPart(part)).toBe(true);
          return assembler.add('a', part, 1 << 20);
        });
        if (expected.length > 0) expect(expected.equals(results.at(-1)!)).toBe(true);
        expect(results.slice(0, -1).every((result) => result === undefined)).toBe(true);
        expect([assembler.bytes, assembler.size]).toEqual([0, 0]);
      }),
    );
  });

  it('never become another message if parts are lost, duplicated or mixed', () => {
    const sources = [bytes(1000, 1), bytes(900, 2), bytes(300, 3)];
    const step = fc.record({ source: fc.nat(2), index: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const assembler = new PartsAssembler({ maxTotalBytes: 1500 });
        const parts = sources.map((source) => [...messageParts(source, 180)]);
        for (const { source, index } of steps) {
          const part = parts[source]![index % parts[source]!.length]!;
          let whole: Uint8Array | undefined;
          expect(
            codeOf(() => {
              whole = assembler.add(source === 2 ? 'b' : 'a', part, 1 << 20);
            }) ?? 'FRAME_TRUNCATED',
          ).toMatch(/^(FRAME_TRUNCATED|SERVER_BUSY)$/);
          if (whole) expect(Buffer.from(whole).equals(sources[source]!)).toBe(true);
          expect(assembler.bytes).toBeLessThanOrEqual(1500);
        }
      }),
    );
  });

  it('are not used for a message that fits, which is passed on unchanged', () => {
    const text = 'ä'.repeat(50);
    const data = bytes(100);
    const sent: unknown[] = [];
    const routes = { maxBytes: 100, publish: (_: string, it: unknown) => void sent.push(it) };
    publishMessage(routes, 's', text);
    publishMessage(routes, 's', data);
    expect(sent).toEqual([text, data]);
    expect(sent[1]).toBe(data);
  });

  it('wait for the publisher', async () => {
    let resume: (() => void) | undefined;
    const sent: Uint8Array[] = [];
    const publish = (_: string, part: unknown) => {
      sent.push(part as Uint8Array);
      return sent.length === 2 ? new Promise<void>((resolve) => (resume = resolve)) : undefined;
    };
    const done = publishMessage({ maxBytes: 180, publish }, 's', bytes(300));
    await Promise.resolve();
    await Promise.resolve();
    expect(sent).toHaveLength(2);
    resume!();
    await done;
    expect(sent).toHaveLength(3);
  });

  it('are refused once above the size limit of a message, and its other parts are ignored', () => {
    const assembler = new PartsAssembler();
    const codes = [...messageParts(bytes(500), 180)].map((part) => codeOf(() => assembler.add('a', part, 499)));
    expect(codes).toEqual(['FRAME_TOO_LONG', undefined, undefined, undefined, undefined]);
    expect([assembler.bytes, assembler.size]).toEqual([0, 0]);
  });

  it('fail once if the first part is missing', () => {
    const assembler = new PartsAssembler();
    const parts = [...messageParts(bytes(500), 180)].slice(1);
    const codes = parts.map((part) => codeOf(() => assembler.add('a', part, 1000)));
    expect(codes).toEqual(['FRAME_TRUNCATED', undefined, undefined, undefined]);
    expect([assembler.bytes, assembler.size]).toEqual([0, 0]);
  });

  it('are refused above the total limit until memory is free', () => {
    const assembler = new PartsAssembler({ maxTotalBytes: 1000 });
    const add = (key: string, parts: Uint8Array[]) => parts.map((part) => codeOf(() => assembler.add(key, part, 1000)));
    add('a', [...messageParts(bytes(900), 180)].slice(0, 7));
    expect(assembler.bytes).toBe(900);
    const b = [...messageParts(bytes(300), 180)];
    expect(add('b', b)).toEqual(['SERVER_BUSY', undefined, undefined]);
    assembler.forget('a');
    expect(add('b', b.slice(0, 2))).toEqual([undefined, undefined]);
    expect(assembler.bytes).toBe(200);
    expect(add('b', [b[2]!])).toEqual([undefined]);
    expect([assembler.bytes, assembler.size]).toEqual([0, 0]);
  });

  it('use memory for the parts that have arrived, not for the announced length', () => {
    const assembler = new PartsAssembler();
    for (let id = 0; id < 100; id++)
      assembler.add(`evil${id}`, Buffer.from(`part ${id} 0 70 67108000\nx`), 64 << 20, 'evil');
    expect(assembler.bytes).toBe(200);
    const whole = bytes(2_000_000);
    const results = [...messageParts(whole, 1 << 20)].map((part) => assembler.add('a', part, 64 << 20, 'node'));
    expect(Buffer.from(whole).equals(results.at(-1)!)).toBe(true);
  });

  it('the messages of one sender use at most half of the memory and a tenth of the messages, unless it is a single message', () => {
    const assembler = new PartsAssembler({ maxTotalBytes: 1000, maxMessages: 20 });
    const begin = (key: string, sender: string, parts: number) =>
      [...messageParts(bytes(900), 180)]
        .slice(0, parts)
        .map((part) => codeOf(() => assembler.add(key, part, 900, sender)));
    expect(begin('a', 'one', 6).at(-1)).toBeUndefined();
    expect(begin('b', 'one', 1)).toEqual(['SERVER_BUSY']);
    assembler.forget('b');
    assembler.forget('a');
    expect(begin('a', 'one', 2)).toEqual([undefined, undefined]);
    expect(begin('b', 'one', 1)).toEqual([undefined]);
    expect(begin('c', 'one', 1)).toEqual(['SERVER_BUSY']);
    expect(begin('d', 'other', 2)).toEqual([undefined, undefined]);
    for (const key of ['a', 'b', 'd']) assembler.forget(key);
    expect([assembler.bytes, assembler.size]).toEqual([0, 0]);
  });

  it('are refused above the number of messages', () => {
    const assembler = new PartsAssembler({ maxMessages: 2, maxSenderMessages: 2 });
    const begin = (key: string) => codeOf(() => assembler.add(key, [...messageParts(bytes(300), 180)][0]!, 1000));
    expect(['a', 'b', 'c'].map(begin)).toEqual([undefined, undefined, 'SERVER_BUSY']);
    expect(assembler.size).toBe(2);
  });

  it('start again when the message is sent again', () => {
    const assembler = new PartsAssembler();
    assembler.add('a', [...messageParts(bytes(300), 180)][0]!, 1000);
    const again = [...messageParts(bytes(300), 180)].map((part) => assembler.add('a', part, 1000));
    expect(again.at(-1)).toEqual(bytes(300));
    expect(assembler.bytes).toBe(0);
  });

  it('are dropped if no further part arrives', () => {
    const clock = new ManualClock();
    const assembler = new PartsAssembler({ clock, idleMs: 100 });
    const slow = [...messageParts(bytes(300), 180)];
    assembler.add('a', slow[0]!, 1000);
    assembler.add('b', [...messageParts(bytes(300), 180)][0]!, 1000);
    clock.advance(90);
    assembler.add('a', slow[1]!, 1000);
    clock.advance(90);
    expect(assembler.bytes).toBe(200);
    expect(assembler.add('a', slow[2]!, 1000)).toEqual(bytes(300));
    clock.advance(200);
    expect([assembler.bytes, assembler.size, clock.pending]).toEqual([0, 0, 0]);
  });

  it.each(['part ', 'part 1 0 1\nx', 'part 1 0 1 -3\nx', `part ${'9'.repeat(200)}`])(
    'are refused with the header %j',
    (text) => {
      expect(codeOf(() => new PartsAssembler().add('a', Buffer.from(text), 1000))).toBe('FRAME_LENGTH_INVALID');
    },
  );
});
