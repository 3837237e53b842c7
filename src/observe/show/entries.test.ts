import { describe, expect, test } from 'vitest';
import type { FlowFact } from '../flow/event.ts';
import { Entries, type Entry } from './entries.ts';
import { entryTest, everyEntry } from './entry-filter.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** Passes facts to a list, and collects what it passes on: `method id outcome` of a request, otherwise the text. */
function listed(mostHeld?: number) {
  const passed: string[] = [];
  const found: Entry[] = [];
  const entries = new Entries({
    ...(mostHeld !== undefined && { mostHeld }),
    onEntry: (entry) => {
      found.push(entry);
      passed.push(wordsOf(entry));
    },
  });
  let seq = 0;
  const see = (fact: FlowFact, server = 's', life = 1) => entries.see({ seq: ++seq, atMs: seq, server, life, ...fact });
  const frame = (direction: 'toServer' | 'fromServer', message: object) => {
    const payload = bytes(JSON.stringify({ jsonrpc: '2.0', ...message }));
    see({ kind: 'frame', direction, payload, length: payload.length });
  };
  return {
    entries,
    passed,
    found,
    see,
    ask: (id: number, method = 'tools/call', params = {}) => frame('toServer', { id, method, params }),
    answer: (id: number, more: object = { result: {} }) => frame('fromServer', { id, ...more }),
    notify: (method: string, params = {}) => frame('fromServer', { method, params }),
    stderr: (text: string) => see({ kind: 'stderr', length: text.length, payload: bytes(text) }),
  };
}

function wordsOf(entry: Entry): string {
  if (entry.type === 'exchange') return `${entry.exchange.method} ${entry.exchange.id} ${entry.exchange.outcome}`;
  return entry.type === 'line' ? entry.text : `message ${entry.message?.method}`;
}

test('entries are in the order of their start, not of their answers', () => {
  const list = listed();
  list.ask(1);
  list.stderr('while it waits\n');
  list.ask(2);
  list.answer(2);
  expect(list.passed).toEqual([]);
  list.answer(1);
  expect(list.passed).toEqual(['tools/call 1 ok', 'while it waits', 'tools/call 2 ok']);
});

test('a request that many others overtake is passed on after its answer', () => {
  const list = listed(3);
  list.ask(1);
  for (let id = 2; id < 8; id++) {
    list.ask(id);
    list.answer(id);
  }
  expect(list.passed).toEqual([2, 3, 4, 5, 6, 7].map((id) => `tools/call ${id} ok`));
  expect(list.entries.pending).toHaveLength(1);
  list.answer(1, { error: { code: -32603, message: 'late' } });
  expect(list.passed.at(-1)).toBe('tools/call 1 error');
  expect(list.entries.pending).toEqual([]);
});

test('without holding, every entry is passed on at once, and a request with its outcome', () => {
  const list = listed(0);
  list.ask(1);
  list.stderr('one');
  expect(list.passed).toEqual(['one']);
  list.see({ kind: 'exit', exitCode: 1, signal: null });
  expect(list.passed).toEqual(['one', 'tools/call 1 lost', 'exited with code 1']);
});

test('the end passes on what is pending', () => {
  const list = listed(0);
  list.ask(1);
  list.ask(2);
  list.entries.end();
  list.entries.end();
  expect(list.passed).toEqual(['tools/call 1 pending', 'tools/call 2 pending']);
});

test('20,000 requests may be pending; older ones are passed on as pending', () => {
  const list = listed(0);
  for (let id = 0; id < 20_010; id++) list.ask(id);
  expect(list.passed).toHaveLength(10);
  expect(list.passed[0]).toBe('tools/call 0 pending');
});

test('an entry has its messages: request, progress and answer; other notifications are entries', () => {
  const list = listed();
  list.ask(1, 'tools/call', { name: 'a', _meta: { progressToken: 'p' } });
  list.notify('notifications/progress', { progressToken: 'p', progress: 1 });
  list.notify('notifications/progress', { progressToken: 'p', progress: 2 });
  list.notify('notifications/message', { level: 'info', data: 'x' });
  list.answer(1);
  expect(list.passed).toEqual(['tools/call 1 ok', 'message notifications/message']);
  expect(list.found[0]).toMatchObject({ target: 'a', seqs: [1, 2, 3, 5] });
});

test.each([
  ['prompts/get', { name: 'greeting' }, 'greeting'],
  ['resources/read', { uri: 'file:///a' }, 'file:///a'],
  ['resources/read', { uri: 7 }, undefined],
  ['ping', {}, undefined],
])('the target of %s %j is %s', (method, params, target) => {
  const list = listed();
  list.ask(1, method, params);
  list.answer(1);
  expect(list.found[0]).toMatchObject({ type: 'exchange', target });
});

describe('filters', () => {
  const list = listed();
  list.ask(1, 'tools/call', { name: 'fast', arguments: { city: 'Zürich "1"' } });
  list.answer(1);
  list.ask(2, 'tools/call', { name: 'slow' });
  for (let wait = 0; wait < 100; wait++) list.notify('notifications/message', { data: 'passes the time' });
  list.answer(2, { result: { isError: true } });
  list.stderr('a warning\n');
  list.see({ kind: 'exit', exitCode: 0, signal: null });
  list.see({ kind: 'exit', exitCode: 3, signal: null }, 'other');
  const shown = (filter: Partial<typeof everyEntry>) => {
    const isWanted = entryTest({ ...everyEntry, ...filter }, () => []);
    return list.found.filter((entry) => entry.type !== 'message' && isWanted(entry)).map(wordsOf);
  };

  test.each([
    [{}, ['tools/call 1 ok', 'tools/call 2 tool-error', 'a warning', 'exited with code 0', 'exited with code 3']],
    [{ method: 'tools/call' }, ['tools/call 1 ok', 'tools/call 2 tool-error']],
    [{ method: 'tools/cal' }, []],
    [{ target: 'slow' }, ['tools/call 2 tool-error']],
    [{ slowerThanMs: 50 }, ['tools/call 2 tool-error']],
    [{ errorsOnly: true }, ['tools/call 2 tool-error', 'exited with code 3']],
    [{ server: 'other' }, ['exited with code 3']],
    [{ client: 'client 1' }, []],
    [{ text: ' WARN ' }, ['a warning']],
    [{ text: 'fast' }, ['tools/call 1 ok']],
    [{ text: 'slow', errorsOnly: true, server: 's' }, ['tools/call 2 tool-error']],
  ])('%j', (filter, expected) => {
    expect(shown(filter)).toEqual(expected);
  });
});
