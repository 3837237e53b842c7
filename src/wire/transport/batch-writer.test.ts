import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lengthPrefix } from '../framing/length-prefix.ts';
import { newline } from '../framing/newline.ts';
import { SENT } from '../requests/pending-requests.ts';
import { BatchWriter, type BatchWriterOptions } from './batch-writer.ts';

/** A stream that completes a write only when the test calls `takeAll`. */
class SlowReader extends Writable {
  readonly written: Buffer[] = [];
  #taken: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 1 });
  }

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    this.written.push(chunk);
    this.#taken = callback;
  }

  /** Completes pending writes one after another until there are none. */
  async takeAll(): Promise<void> {
    while (this.#taken) {
      const taken = this.#taken;
      this.#taken = undefined;
      taken();
      await new Promise(setImmediate);
    }
  }

  get text(): string {
    return Buffer.concat(this.written).toString();
  }
}

function writerOf(options: BatchWriterOptions = {}) {
  const stream = new SlowReader();
  const levels: boolean[] = [];
  const writer = new BatchWriter(stream, newline(), { onFull: (isFull) => levels.push(isFull), ...options });
  return { stream, writer, levels };
}

describe('messages that are never refused', () => {
  test('are queued above the limit, which is reported once, and again when half of them are written', async () => {
    const { stream, writer, levels } = writerOf({ maxQueuedChars: 4 * 1024 * 1024 });
    const text = 'x'.repeat(1024 * 1024);
    const sending = Array.from({ length: 10 }, () => writer.send(text, true));
    expect(levels).toEqual([true]);
    await expect(writer.send('{}')).rejects.toMatchObject({ code: 'SEND_QUEUE_FULL' });
    await new Promise(setImmediate);
    const { length } = stream.written;
    expect(length).toBe(1);
    await stream.takeAll();
    await Promise.all(sending);
    expect(levels).toEqual([true, false]);
    expect(stream.text).toBe(`${text}\n`.repeat(10));
  });

  test('are dropped when the writer ends, and nothing is full afterwards', async () => {
    const { writer, levels } = writerOf({ maxQueuedChars: 1000 });
    await writer.send('first', true);
    await new Promise(setImmediate);
    const waiting = writer.send('x'.repeat(2000), true);
    writer.end(new Error('over'));
    await expect(waiting).rejects.toThrow('over');
    expect(levels).toEqual([true, false]);
  });
});

test('writes messages that may wait together at the end of the turn, unless one follows that may not', async () => {
  const { stream, writer } = writerOf();
  const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));
  const written = async () => {
    await stream.takeAll();
    return stream.written.map(String);
  };
  writer.send('1', false, true);
  await nextTick();
  writer.send('2', false, true);
  await nextTick();
  expect(stream.written).toHaveLength(0);
  await new Promise(setImmediate);
  expect(await written()).toEqual(['1\n2\n']);
  writer.send('3', false, true);
  writer.send('4');
  await nextTick();
  expect(await written()).toEqual(['1\n2\n', '3\n4\n']);
  for (let sent = 0; sent < 16; sent++) writer.send('5', false, true);
  await nextTick();
  expect((await written()).at(-1)).toBe('5\n'.repeat(16));
});

test('writes a long message in pieces that arrive completely, whatever its characters', async () => {
  const text = 'aé€😀'.repeat(400_000);
  for (const framing of [newline(), lengthPrefix()]) {
    const stream = new SlowReader();
    const seen: string[] = [];
    const writer = new BatchWriter(stream, framing, {
      onWrite: (chunk, places) => seen.push(Buffer.from(chunk).subarray(places[0], places[1]).toString()),
    });
    await writer.send(text);
    const flushed = writer.flush();
    await new Promise(setImmediate);
    await stream.takeAll();
    await flushed;
    expect(stream.written.length).toBeGreaterThan(2);
    expect(stream.text.includes(text)).toBe(true);
    expect(seen).toEqual([text]);
  }
});

test('writes messages from before the end, even if the stream is full', async () => {
  const { stream, writer } = writerOf();
  const texts = [1, 2, 3].map((n) => String(n).repeat(3_000_000));
  for (const text of texts) expect(writer.send(text)).toBe(SENT);
  await new Promise(setImmediate);
  const late = writer.send('late');
  writer.end(new Error('closed'));
  await expect(late).rejects.toThrow('closed');
  await stream.takeAll();
  expect(stream.text).toBe(texts.map((text) => `${text}\n`).join(''));
});

test('all accepted messages arrive in order, for any sends and drains', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ length: fc.nat(1500), keep: fc.boolean(), drain: fc.boolean() }), { maxLength: 40 }),
      async (steps) => {
        const { stream, writer, levels } = writerOf({ maxQueuedChars: 3000 });
        const accepted: string[] = [];
        const sending: Promise<unknown>[] = [];
        for (const [n, { length, keep, drain }] of steps.entries()) {
          const line = `${n}:${'x'.repeat(length)}`;
          sending.push(
            writer.send(line, keep).then(
              () => accepted.push(line),
              (error) => expect(keep ? 'refused' : error.code).toBe('SEND_QUEUE_FULL'),
            ),
          );
          if (drain) await new Promise(setImmediate);
          if (drain) await stream.takeAll();
        }
        await new Promise(setImmediate);
        await stream.takeAll();
        await Promise.all(sending);
        expect(stream.text).toBe(accepted.map((line) => `${line}\n`).join(''));
        expect(levels.length % 2).toBe(0);
      },
    ),
  ));
