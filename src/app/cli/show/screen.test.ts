import { expect, test } from 'vitest';
import { painter } from '../../../base/terminal/colours.ts';
import { textWidth } from '../../../base/terminal/text-width.ts';
import type { RecordingItem } from '../../../observe/record/reader.ts';
import { type Entry, isPending } from '../../../observe/show/entries.ts';
import { everyEntry } from '../../../observe/show/entry-filter.ts';
import { Traffic } from '../../../observe/show/traffic.ts';
import { EntryList } from './entry-list.ts';
import { filterLine, parseFilter } from './parse-filter.ts';
import { Screen } from './screen.ts';

const UP = '\x1b[A';
const DOWN = '\x1b[B';

function shownScreen() {
  const run = { run: 'a', version: 1, startedAt: new Date(0), about: {} };
  let seq = 0;
  const traffic: Traffic = new Traffic({ title: 'test', atStart: true, onEntry: (entry) => screen.add(entry) });
  const screen: Screen = new Screen({
    title: 'test \x1b[2J',
    filter: everyEntry,
    paint: painter(false),
    dateMs: (atMs) => traffic.dateMs(atMs),
    messagesOf: (entry) => traffic.messagesOf(entry),
    resend: async (_entry, confirmed) => (confirmed ? { lines: ['sent'] } : { lines: ['really?'], asks: true }),
    changed: () => undefined,
  });
  const frame = (direction: 'toServer' | 'fromServer', message: object) => {
    const payload = new TextEncoder().encode(JSON.stringify({ jsonrpc: '2.0', ...message }));
    const event = {
      seq: ++seq,
      atMs: seq,
      server: 'weather',
      life: 1,
      kind: 'frame',
      direction,
      payload,
      length: payload.length,
    };
    traffic.take({ type: 'event', run, event, place: { offset: 0, length: 0 } } as RecordingItem);
  };
  return {
    screen,
    call: (id: number, name: string) => frame('toServer', { id, method: 'tools/call', params: { name } }),
    answer: (id: number, more: object = { result: { note: 'fine' } }) => frame('fromServer', { id, ...more }),
    keys: (...keys: string[]) => {
      for (const key of keys) screen.key(key);
    },
    text: (width = 80, height = 12) => screen.lines(width, height).join('\n'),
    selected: () =>
      screen
        .lines(80, 12)
        .find((line) => line.includes('>'))
        ?.match(/call (\w+)/)?.[1],
  };
}

test('the newest entry is selected until the user moves, and again at the end', () => {
  const { call, keys, selected } = shownScreen();
  call(1, 'one');
  expect(selected()).toBe('one');
  call(2, 'two');
  expect(selected()).toBe('two');
  keys(UP);
  call(3, 'three');
  expect(selected()).toBe('one');
  keys('G');
  call(4, 'four');
  expect(selected()).toBe('four');
  keys('g', DOWN, 'j', 'k');
  expect(selected()).toBe('two');
});

test('a request is shown while it is pending, and with its outcome', () => {
  const { call, answer, text } = shownScreen();
  call(1, 'one');
  expect(text()).toMatch(/tools\/call one +pending/);
  answer(1);
  expect(text()).toMatch(/tools\/call one +ok +1\.0 ms/);
});

test('details show the messages, scroll, and step to other entries', () => {
  const { call, answer, keys, text } = shownScreen();
  call(1, 'one');
  answer(1);
  call(2, 'two');
  keys('g', '\r');
  expect(text(80, 40)).toContain('"note": "fine"');
  expect(text(80, 40)).toContain('outcome   ok');
  keys(DOWN, DOWN);
  expect(text(80, 10)).not.toContain('→ tools/call one');
  keys('n');
  expect(text(80, 40)).toContain('→ tools/call two');
  keys('\x1b');
  expect(text()).toContain('2 entries');
});

test('the filter is typed, kept, toggled and removed', () => {
  const { call, answer, keys, text } = shownScreen();
  call(1, 'one');
  answer(1);
  call(2, 'two');
  keys('/', ...'tool:onx', '\x7f', 'e', '\r');
  expect(text()).toContain('1 of 2 entries');
  expect(text()).toContain('filter: tool:one');
  keys('/', '\x1b');
  expect(text()).toContain('2 entries');
  keys('e');
  expect(text()).toContain('0 of 2 entries');
  answer(2, { error: { code: -32603, message: 'broken' } });
  expect(text()).toContain('1 of 2 entries');
  expect(text()).toMatch(/tools\/call two +error -32603/);
});

test('a request is sent again only after a yes', async () => {
  const { call, keys, text } = shownScreen();
  call(1, 'one');
  text();
  keys('r');
  await expect.poll(text).toContain('really?');
  keys('n');
  expect(text()).not.toContain('really?');
  keys('r');
  await expect.poll(text).toContain('really?');
  keys('y');
  await expect.poll(text).toContain('sent');
});

test('q and Ctrl-C end the view, also while a filter is typed', () => {
  const { screen, keys } = shownScreen();
  keys('/', 'q');
  expect(screen.isOver).toBe(false);
  keys('\x03');
  expect(screen.isOver).toBe(true);
});

test.each([
  [80, 24],
  [20, 5],
  [5, 3],
  [1, 1],
])('every state fits into %i × %i', (width, height) => {
  const { screen, call, keys } = shownScreen();
  for (let id = 0; id < 50; id++) call(id, '漢字 \x1b[31m with a long name');
  for (const state of [[], ['?'], ['\r', '\r'], ['\x1b', '/', 'x'], ['\r', 'r']]) {
    keys(...state);
    const lines = screen.lines(width, height);
    expect(lines.length).toBeLessThanOrEqual(height);
    for (const line of lines) {
      const shown = line.replace('\x1b[7m', '').replace('\x1b[27m', ''); // reverse video
      expect(textWidth(shown)).toBeLessThanOrEqual(Math.max(width, 2));
      expect(shown).not.toContain('\x1b');
    }
  }
});

test.each([
  ['server:weather method:tools/call tool:"a b" slower:1500ms errors some text'],
  ['client:"client 1"'],
  ['text: with colon:'],
  [''],
])('the filter line %j is read and written', (line) => {
  expect(filterLine(parseFilter(line))).toBe(line);
});

test('a list of entries is bounded, and forgets the oldest', () => {
  const list = new EntryList((entry) => entry.type === 'line', 8);
  const entries = Array.from(
    { length: 20 },
    (_, seq) => ({ type: 'line', text: `${seq}`, kind: 'note', event: { seq } }) as unknown as Entry,
  );
  for (const entry of entries) list.add(entry);
  expect(list.size).toBeLessThanOrEqual(8);
  expect(list.dropped).toBe(20 - list.size);
  expect(list.shown).toEqual(entries.slice(-list.size));
  expect(entries.some(isPending)).toBe(false);
});
