import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lengthPrefix } from '../../wire/framing/length-prefix.ts';
import { newline } from '../../wire/framing/newline.ts';
import type { FrameEvent } from '../flow/event.ts';
import { FlowStore } from '../flow/store.ts';
import { TrafficWatch } from './watch-traffic.ts';

function watching(framing = newline(), keepFrameBytes = 2000) {
  const store = new FlowStore();
  const source = store.begin('a');
  const failures: Error[] = [];
  const watch = new TrafficWatch(source, { framing, keepFrameBytes, onFailure: (error) => failures.push(error) });
  return { store, source, watch, failures };
}

it('tells frames, whatever the chunks, and what the end cut off', () => {
  const { store, watch } = watching();
  watch.chunk('toServer', Buffer.from('{"id":1}\n{"i'));
  watch.chunk('fromServer', Buffer.from('noise\n'));
  watch.chunk('toServer', Buffer.from('d":2}\nhal'));
  watch.end('toServer');
  expect(store.since(0).map((event) => [event.kind, 'direction' in event && event.direction])).toEqual([
    ['frame', 'toServer'],
    ['frame', 'fromServer'],
    ['frame', 'toServer'],
    ['fault', 'toServer'],
  ]);
});

it('finds the end of a long frame, wherever the chunks were cut', () => {
  const line = Buffer.from(`${JSON.stringify({ text: 'é'.repeat(3000), id: 7 })}\n{"next":1}\n`);
  fc.assert(
    fc.property(fc.array(fc.nat(line.length), { maxLength: 6 }), fc.nat(300), (cuts, close) => {
      const { store, watch } = watching();
      const places = [0, ...cuts, Math.max(0, line.indexOf('\n') - close), line.length].sort((a, b) => a - b);
      for (const [i, from] of places.entries()) watch.chunk('toServer', line.subarray(from, places[i + 1]));
      const [long, next] = store.since(0) as FrameEvent[];
      expect(long).toMatchObject({ cut: true, offset: 0, length: line.indexOf('\n') });
      const tail = Buffer.from(long!.tail!).toString();
      expect(tail).toMatch(/^é*","id":7\}$/);
      expect(line.subarray(0, line.indexOf('\n')).toString().endsWith(tail)).toBe(true);
      expect(Buffer.from(next!.payload).toString()).toBe('{"next":1}');
    }),
    { numRuns: 300 },
  );
});

it('knows no end of a frame whose length was announced and whose bytes are still to come', () => {
  const { store, watch } = watching(lengthPrefix());
  const header = Buffer.alloc(4);
  header.writeUInt32BE(5000);
  watch.chunk('toServer', Buffer.concat([header, Buffer.alloc(100, 'x')]));
  for (let i = 0; i < 49; i++) watch.chunk('toServer', Buffer.alloc(100, 'x'));
  expect(store.since(0)).toMatchObject([{ kind: 'frame', cut: true, length: 5000 }]);
});

it('contains whatever goes wrong, tells it once, and looks on', () => {
  const { store, source, watch, failures } = watching();
  const { span } = source;
  source.span = () => {
    throw new Error('broken');
  };
  watch.chunk('toServer', Buffer.from('{"id":1}\n'));
  watch.chunk('toServer', Buffer.from('{"id":2}\n'));
  source.span = span;
  watch.chunk('toServer', Buffer.from('{"id":3}\n'));
  expect(failures.map((error) => error.message)).toEqual(['broken']);
  expect(store.since(0).map((event) => event.kind)).toEqual(['frame']);
});
