// Parts of the page that are plain functions and need no browser.

import { describe, expect, test } from 'vitest';
import type { EventRow } from '../../src/app/inspector/api.ts';
import { firstValue } from '../../ui/src/schema-form/first-value.ts';
import { meaningOf, settled } from '../../ui/src/schema-form/read-schema.ts';
import { EventColumns } from '../../ui/src/state/event-columns.ts';
import { FilteredRows } from '../../ui/src/state/filtered-rows.ts';
import { nextTask } from '../../ui/src/state/next-task.ts';
import { noFilter } from '../../ui/src/state/wire-filter.ts';
import { commandLine, holdsReplacedSecret } from '../../ui/src/text/command-line.ts';
import { shortMessage } from '../../ui/src/text/short-message.ts';
import { visible, visibleLine } from '../../ui/src/text/visible.ts';

function request(seq: number, more: Partial<EventRow> = {}): EventRow {
  return {
    seq,
    atMs: seq,
    server: 's',
    life: 1,
    kind: 'frame',
    type: 'request',
    method: 'ping',
    summary: `row ${seq}`,
    ...more,
  };
}

function filtered(rows: EventRow[]) {
  const columns = new EventColumns();
  const view = new FilteredRows(columns);
  columns.append(rows);
  view.grow();
  const seqs = () => Array.from({ length: view.count }, (_, at) => columns.numbers.seq[view.at(at)]);
  return { columns, view, seqs };
}

test('columns return rows unchanged', () => {
  const columns = new EventColumns();
  const rows = [
    request(1, { id: '1', size: 5, latencyMs: 0, pairSeq: 2, tool: 't', direction: 'toServer' }),
    request(2, { id: 1, error: 'e' }),
  ];
  columns.append(rows);
  expect(rows.map((_, at) => JSON.parse(JSON.stringify(columns.row(at))))).toEqual(rows);
});

test('a filter examines a limited slice of the rows in each task', async () => {
  let looks = 0;
  const columns = new EventColumns();
  columns.append(Array.from({ length: 20_000 }, (_, at) => request(at + 1)));
  const view = new FilteredRows(columns, () => looks++);
  view.grow();
  const counts = [view.count];
  while (counts.at(-1)! < columns.count) {
    await nextTask();
    if (view.count !== counts.at(-1)) counts.push(view.count);
  }
  // A slice ends after 8 ms, and this clock advances 1 ms at each reading: once in 512 rows.
  expect(counts).toEqual([4096, 8192, 12_288, 16_384, 20_000]);
});

test('ignores a row that is already present', () => {
  const { columns } = filtered([request(1), request(2)]);
  columns.append([request(2), request(3)]);
  expect(columns.count).toBe(3);
});

test('an answer gets its method from a request that is linked later', () => {
  const { columns } = filtered([request(1, { tool: 'echo' }), { ...request(2), type: 'response', method: undefined }]);
  columns.update({ seq: 1, latencyMs: 7, pairSeq: 2 });
  expect(columns.row(1)).toMatchObject({ method: 'ping', tool: 'echo', latencyMs: 7, pairSeq: 1 });
});

test('removes the oldest rows above the limit, and still finds the others', () => {
  const { columns, view, seqs } = filtered(Array.from({ length: 100 }, (_, at) => request(at + 1)));
  const gone = columns.trim(80);
  view.shift(gone);
  expect(gone).toBe(40);
  expect(seqs()).toEqual(Array.from({ length: 60 }, (_, at) => at + 41));
  expect(columns.row(columns.indexOf(50)).summary).toBe('row 50');
});

test('an answer adds its request to a filter for latency, in order', async () => {
  const { columns, view, seqs } = filtered([request(1, { latencyMs: 50 }), request(2), request(3, { latencyMs: 60 })]);
  view.setFilter({ ...noFilter, slowerThanMs: 40 });
  expect(seqs()).toEqual([1, 3]);
  view.revisit(columns.update({ seq: 2, latencyMs: 90 }));
  expect(seqs()).toEqual([1, 2, 3]);
});

test('shows events that contain the text outside of their rows, in order, if they pass the other filters', () => {
  const { columns, view, seqs } = filtered(Array.from({ length: 9 }, (_, at) => request(at + 1)));
  view.setFilter({ ...noFilter, text: 'row 5' });
  view.addHolders([1, 4, 5, 9, 11]);
  expect(seqs()).toEqual([1, 4, 5, 9]);
  columns.append([request(10), request(11)]);
  view.grow();
  expect(seqs()).toEqual([1, 4, 5, 9, 11]);
  view.setFilter({ ...noFilter, text: 'row 5 ', slowerThanMs: 5 });
  view.revisit([4, 6].flatMap((seq) => columns.update({ seq, latencyMs: 7 })));
  expect(seqs()).toEqual([4]);
  view.setFilter({ ...noFilter, text: 'row 7' });
  expect(seqs()).toEqual([7]);
});

describe('the rows of a task', () => {
  const rowsOfTask = [
    request(1),
    request(2, { task: 7 }),
    request(3, { task: 7, error: 'no' }),
    request(4),
    request(5, { task: 7 }),
  ];

  test('are folded into the first row, even if it joins them last, until they are unfolded', () => {
    const { columns, view, seqs } = filtered(rowsOfTask);
    expect(seqs()).toEqual([1, 2, 4]);
    view.revisit(columns.update({ seq: 1, task: 7 })); // the call, whose answer is a task
    expect([seqs(), view.folded]).toEqual([[1, 4], 3]);
    view.unfold(7);
    expect([seqs(), view.folded]).toEqual([[1, 2, 3, 4, 5], 0]);
    columns.append([request(6, { task: 7 })]);
    view.grow();
    expect(seqs()).toEqual([1, 2, 3, 4, 5, 6]);
    view.fold(7);
    expect([seqs(), view.folded]).toEqual([[1, 4], 4]);
    columns.append([request(7, { task: 7 }), request(8)]);
    view.grow();
    expect([seqs(), view.folded]).toEqual([[1, 4, 8], 5]);
  });

  test('are all shown if the filter is for messages, or for this task', () => {
    const { view, seqs } = filtered(rowsOfTask);
    view.setFilter({ ...noFilter, errorsOnly: true });
    expect(seqs()).toEqual([3]);
    view.setFilter({ ...noFilter, text: 'row' });
    expect(seqs()).toEqual([1, 2, 3, 4, 5]);
    view.setFilter({ ...noFilter, task: 7 });
    expect(seqs()).toEqual([2, 3, 5]);
    view.setFilter({ ...noFilter, server: 's' });
    expect(seqs()).toEqual([1, 2, 4]);
  });

  test('get a new first row when older rows are dropped', () => {
    const many = Array.from({ length: 100 }, (_, at) => request(at + 1, { task: at % 2 }));
    const { columns, view, seqs } = filtered(many);
    expect(seqs()).toEqual([1, 2]);
    view.shift(columns.trim(80));
    expect(seqs()).toEqual([41, 42]);
    expect([...columns.tasks.values()].map(({ rows }) => rows)).toEqual([30, 30]);
  });
});

test('a batch passes a filter for the method of any of its messages', () => {
  const batch = { type: 'batch', method: undefined, summary: 'batch of 2: a #1, b #2' } as const;
  const { view, seqs } = filtered([request(1, { method: 'b' }), request(2, batch), request(3, { method: 'c' })]);
  view.setFilter({ ...noFilter, method: 'b' });
  expect(seqs()).toEqual([1, 2]);
  view.setFilter({ ...noFilter, method: 'c' });
  expect(seqs()).toEqual([3]);
});

test('answers pass a filter for the method of their request', () => {
  const { view, seqs } = filtered([
    request(1, { method: 'a', pairSeq: 3 }),
    request(2, { method: 'b' }),
    { ...request(3, { pairSeq: 1 }), type: 'response', method: undefined },
  ]);
  view.setFilter({ ...noFilter, method: 'a' });
  expect(seqs()).toEqual([1, 3]);
});

test('counts new rows while paused, and does not show them', () => {
  const { columns, view, seqs } = filtered([request(1)]);
  view.pause(true);
  columns.append([request(2), request(3)]);
  view.grow();
  expect([seqs(), view.held.read()]).toEqual([[1], 2]);
  view.pause(false);
  expect(seqs()).toEqual([1, 2, 3]);
});

test('quotes a command line for every shell', () => {
  const args = { text: "it's $HOME; `rm`", n: 2, at: '@file', list: ['a b'] };
  const there = { server: 'my server', options: ['--config', '/a b/mcp.json'] };
  expect(commandLine(there, { kind: 'tool', name: 'echo', args })).toBe(
    `standpipe call 'my server' echo 'text=it'\\''s $HOME; \`rm\`' n:=2 'at:="@file"' 'list:=["a b"]' --config '/a b/mcp.json'`,
  );
  const s = { server: 's', options: [] };
  expect(commandLine(s, { kind: 'tool', name: 't', args: { 'odd name': 1 } })).toBe(
    `standpipe call s t --args '{"odd name":1}'`,
  );
  expect(commandLine(s, { kind: 'resource', uri: 'note://a?b=c' })).toBe(`standpipe read s 'note://a?b=c'`);
});

test('a command line contains the command of a server after --, and keeps the types of strings', () => {
  const started = { options: ['--cwd', '/work'], command: ['node', 'my server.mjs'] };
  expect(commandLine(started, { kind: 'resource', uri: 'note://a' })).toBe(
    `standpipe read note://a --cwd /work -- node 'my server.mjs'`,
  );
  const args = { a: '5', b: 'true', c: 'null', d: '[1]', e: '-1e3', f: 'Oslo', g: '{}' };
  const words = [
    '\'a:="5"\'',
    '\'b:="true"\'',
    '\'c:="null"\'',
    '\'d:="[1]"\'',
    '\'e:="-1e3"\'',
    'f=Oslo',
    '\'g:="{}"\'',
  ];
  expect(commandLine({ server: 's', options: [] }, { kind: 'tool', name: 't', args })).toBe(
    `standpipe call s t ${words.join(' ')}`,
  );
  expect(holdsReplacedSecret('call s t token=[redacted]')).toBe(true);
  expect(holdsReplacedSecret('call s t token=[env API_KEY]')).toBe(true);
  expect(holdsReplacedSecret('call s t token=mine')).toBe(false);
});

test('makes invisible characters visible', () => {
  expect(visible('a\u001b[0m\u202e\n\tb\u0000')).toBe('a⟨ESC⟩[0m⟨U+202E⟩\n\tb⟨NUL⟩');
  expect(visibleLine('a\nb\r')).toBe('a⏎b⟨CR⟩');
});

test('a message is shortened to parts that other columns do not show', () => {
  expect(shortMessage('{"jsonrpc":"2.0","id":1,"method":"ping"}')).toBe('');
  expect(shortMessage('{"jsonrpc":"2.0","id":"a","result":{"x":1}}')).toBe('{"x":1}');
  expect(shortMessage('{"method":"m","params":{"long')).toBe('{"long…');
  expect(shortMessage('plain')).toBe('plain');
});

test('schemas become fields: references, nullable types, alternatives, and unknown schemas', () => {
  const root = { $defs: { city: { type: 'string', default: 'Oslo' } } };
  const form = (schema: object) => meaningOf(settled(schema, root), root).form;
  expect(form({ $ref: '#/$defs/city' })).toBe('string');
  expect(form({ type: ['integer', 'null'] })).toBe('number');
  expect(form({ anyOf: [{ type: 'boolean' }, { type: 'null' }] })).toBe('boolean');
  expect(form({ oneOf: [{ const: 1, title: 'one' }, { const: 2 }] })).toBe('choice');
  expect(form({ type: 'array', items: { enum: ['a'] } })).toBe('choices');
  expect(form({ oneOf: [{ type: 'string' }, { type: 'object' }] })).toBe('variants');
  expect(form({ allOf: [{ properties: { a: {} } }], required: ['a'] })).toBe('object');
  expect(form({ not: {} })).toBe('json');
  expect(form({ $ref: '#/$defs/missing' })).toBe('json');
});

test('a form starts with defaults and required values, and a recursive schema ends', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { default: 1 },
      inner: { type: 'object', properties: { b: { const: 'x' } }, required: ['b'] },
      self: { $ref: '#' },
    },
    required: ['inner'],
  };
  expect(firstValue(schema)).toEqual({ a: 1, inner: { b: 'x' } });
  const endless = { type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] };
  expect(JSON.stringify(firstValue(endless)).length).toBeLessThan(200);
});
