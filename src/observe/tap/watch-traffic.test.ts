import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lengthPrefix } from '../../wire/framing/length-prefix.ts';
import { newline } from '../../wire/framing/newline.ts';
import type { FrameEvent } from '../flow/event.ts';
import { FlowStore } from '../flow/store.ts';
import { TrafficWatch } from './run-tap.ts';

function watching(framing = newline(), keepFrameBytes = 2000) {
  const store = new FlowStore();
  const source = store.begin('a');
  const failures: Error[] = [];
  const watch = new TrafficWatch(source, { framing, keepFrameBytes, onFailure: (error) => failures.push(error) });
  return { store, source, watch, failures };
}

it('reports frames for any chunks, and the frame that the end cuts off', () => {
  const { store, watch } = watching();
  watch.see('toServer', Buffer.from('{"id":1}\n{"i'));
  watch.see('fromServer', Buffer.from('noise\n'));
  watch.see('toServer', Buffer.from('d":2}\nhal'));
  watch.see('toServer');
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
      for (const [i, from] of places.entries()) watch.see('toServer', line.subarray(from, places[i + 1]));
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

it('omits the tail of a frame whose announced bytes have not arrived', () => {
  const { store, watch } = watching(lengthPrefix());
  const header = Buffer.alloc(4);
  header.writeUInt32BE(5000);
  watch.see('toServer', Buffer.concat([header, Buffer.alloc(100, 'x')]));
  for (let i = 0; i < 49; i++) watch.see('toServer', Buffer.alloc(100, 'x'));
  expect(store.since(0)).toMatchObject([{ kind: 'frame', cut: true, length: 5000 }]);
});

it('reports a failure once and continues to observe', () => {
  const { store, source, watch, failures } = watching();
  const { span } = source;
  source.span = () => {
    throw new Error('broken');
  };
  watch.see('toServer', Buffer.from('{"id":1}\n'));
  watch.see('toServer', Buffer.from('{"id":2}\n'));
  source.span = span;
  watch.see('toServer', Buffer.from('{"id":3}\n'));
  expect(failures.map((error) => error.message)).toEqual(['broken']);
  expect(store.since(0).map((event) => event.kind)).toEqual(['frame']);
});
