import { expect, test } from 'vitest';
import { Delivery } from './delivery.ts';
import { newline } from './newline.ts';

const lines = Buffer.from('one\ntwo\nthree\n');

function fail(what: string): never {
  throw new Error(what);
}

/** The calls made while three lines are read, in order. */
function read(observe: (text: string) => void, take: (text: string) => void, asSpans: boolean): string[] {
  const seen: string[] = [];
  const observed = (text: string) => {
    seen.push(`observed ${text}`);
    observe(text);
  };
  const taken = (text: string) => {
    seen.push(`taken ${text}`);
    take(text);
  };
  const textOf = (chunk: Uint8Array, start: number, end: number) => Buffer.from(chunk).toString('utf8', start, end);
  const span = (chunk: Uint8Array, start: number, end: number) => taken(textOf(chunk, start, end));
  const sink = { frame: (bytes: Uint8Array) => taken(Buffer.from(bytes).toString()), fault: () => undefined };
  const observer = asSpans
    ? { receivedSpan: (chunk: Uint8Array, start: number, end: number) => observed(textOf(chunk, start, end)) }
    : { received: (bytes: Uint8Array) => observed(Buffer.from(bytes).toString()) };
  const delivery = new Delivery(asSpans ? { ...sink, span } : sink, observer, (error) =>
    seen.push((error as Error).message),
  );
  newline().decoder().push(lines, delivery);
  return seen;
}

test.each([true, false])('observes each frame and then delivers it, as spans: %s', (asSpans) => {
  const none = () => undefined;
  expect(read(none, none, asSpans)).toEqual([
    'observed one',
    'taken one',
    'observed two',
    'taken two',
    'observed three',
    'taken three',
  ]);
});

test.each([true, false])('reports an error of an observer after the frame was delivered, as spans: %s', (asSpans) => {
  const seen = read(
    (text) => text === 'two' && fail('observer failed'),
    () => undefined,
    asSpans,
  );
  expect(seen.slice(2)).toEqual(['observed two', 'taken two', 'observer failed', 'observed three', 'taken three']);
});

test('reports an error of the protocol, and delivers the following frames', () => {
  const seen = read(
    () => undefined,
    (text) => text === 'two' && fail('protocol failed'),
    true,
  );
  expect(seen.slice(2)).toEqual(['observed two', 'taken two', 'protocol failed', 'observed three', 'taken three']);
});

test('if both throw, reports each once and delivers the frame once', () => {
  const seen = read(
    () => fail('observer failed'),
    () => fail('protocol failed'),
    true,
  );
  expect(seen.slice(0, 4)).toEqual(['observed one', 'taken one', 'protocol failed', 'observer failed']);
});

test('observes a fault and then delivers it', () => {
  const seen: string[] = [];
  const observer = { fault: () => fail('observer failed') };
  const sink = { frame: () => undefined, fault: () => seen.push('fault') };
  const delivery = new Delivery(sink, observer, (error) => seen.push((error as Error).message));
  const decoder = newline().decoder({ maxFrameBytes: 2 });
  decoder.push(lines, delivery);
  expect(seen.slice(0, 2)).toEqual(['fault', 'observer failed']);
});
