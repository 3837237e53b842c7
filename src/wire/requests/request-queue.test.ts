import { expect, test } from 'vitest';
import { QueuedRequest, RequestQueue } from './request-queue.ts';

class Ran extends QueuedRequest<number> {
  readonly bytes = 10;
  readonly id: number;
  readonly #ran: number[];

  constructor(id: number, ran: number[]) {
    super();
    this.id = id;
    this.#ran = ran;
  }

  run(): void {
    this.#ran.push(this.id);
  }
}

test('runs requests after one whose answer could not be sent', () => {
  const ran: number[] = [];
  let fails = true;
  const settled = () => {
    if (fails) throw new Error('not sent');
  };
  const queue = new RequestQueue<number, Ran>({ maxConcurrent: 1, maxQueued: 10, maxInboundBytes: 20, settled });
  expect(() => queue.add(new Ran(1, ran), 10)).toThrow('not sent');
  queue.hold(true);
  for (const id of [2, 3]) expect(queue.add(new Ran(id, ran), 10)).toBeUndefined();
  expect(() => queue.hold(false)).toThrow('not sent');
  fails = false;
  expect(queue.add(new Ran(4, ran), 10)).toBeUndefined();
  queue.hold(false);
  expect(ran.toSorted()).toEqual([1, 2, 3, 4]);
});
