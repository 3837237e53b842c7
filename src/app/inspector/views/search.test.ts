import { expect, test } from 'vitest';
import { FlowStore } from '../../../observe/flow/store.ts';
import type { SearchPage } from '../api.ts';
import { searchText } from './search.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

async function foundIn(flow: FlowStore, text: string): Promise<number[]> {
  return (await searchText(flow, { text, after: 0 })).found;
}

test('finds text anywhere in a message, case-insensitively', async () => {
  const flow = new FlowStore();
  const source = flow.begin('s');
  source.text(
    'toServer',
    `{"jsonrpc":"2.0","method":"m","params":{"a":"${'x'.repeat(500_000)}Needle${'y'.repeat(99)}"}}`,
  );
  source.frame('fromServer', bytes('{"jsonrpc":"2.0","method":"m"}'));
  expect(await foundIn(flow, 'needle')).toEqual([1]);
  expect(await foundIn(flow, 'NEEDLEY')).toEqual([1]);
  expect(await foundIn(flow, '"method":"m"')).toEqual([1, 2]);
  expect(await foundIn(flow, 'nowhere')).toEqual([]);
});

test('finds text as JSON writes it: quoted, and with Unicode escapes', async () => {
  const flow = new FlowStore();
  const source = flow.begin('s');
  for (const text of ['"say \\"hi\\"\\nagain"', '"\\u00c4pfel \\u003cb\\u003e"', '"Äpfel"', '"a literal \\\\u00e4"']) {
    source.text('toServer', `{"jsonrpc":"2.0","method":"m","params":{"text":${text}}}`);
  }
  expect(await foundIn(flow, 'say "HI"\nagain')).toEqual([1]);
  expect(await foundIn(flow, 'äpfel')).toEqual([2, 3]);
  expect(await foundIn(flow, '<B>')).toEqual([2]);
  expect(await foundIn(flow, 'literal \\u00e4')).toEqual([4]);
});

test('searches other events too: stray output, stderr, faults, the ends of long frames, and process events', async () => {
  const flow = new FlowStore({ keepFrameBytes: 2_000 });
  const source = flow.begin('s');
  source.add({ kind: 'spawn', pid: 1, command: 'node pear.js' });
  source.frame('fromServer', bytes('printed pear'));
  source.stderr(bytes('a Pear on stderr\n'));
  source.badFrame('fromServer', { code: 'FRAME_TOO_LONG', offset: 0, length: 9, prefix: bytes('{"pear') });
  source.frame('fromServer', bytes(`{"jsonrpc":"2.0","a":"${'x'.repeat(5_000)}","b":"pear"}`));
  source.add({ kind: 'state', from: 'ready', to: 'failed', reason: 'no pear left' });
  source.add({ kind: 'error', code: 'X', message: 'pear?' });
  source.add({ kind: 'note', text: 'pear!' });
  source.add({ kind: 'exit', exitCode: 0, signal: null });
  expect(await foundIn(flow, 'pear')).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('a long search returns parts that cover each event once, and yields between them', async () => {
  const flow = new FlowStore({ maxEvents: 200_000, maxBytes: 1e9 });
  const source = flow.begin('s');
  for (let i = 1; i <= 120_000; i++)
    source.text('toServer', `{"jsonrpc":"2.0","method":"m${i % 1_000 === 0 ? '-rare' : ''}"}`);
  const pages: SearchPage[] = [];
  let turns = 0;
  const count = () => {
    turns++;
    if (pages.at(-1)?.searchedSeq !== 120_000) setImmediate(count);
  };
  setImmediate(count);
  for (let after = 0; after < 120_000; after = pages.at(-1)!.searchedSeq) {
    pages.push(await searchText(flow, { text: '-rare', after }));
  }
  expect(pages.map(({ searchedSeq }) => searchedSeq)).toEqual([50_000, 100_000, 120_000]);
  expect(pages.flatMap(({ found }) => found)).toEqual(Array.from({ length: 120 }, (_, i) => (i + 1) * 1_000));
  expect(turns).toBeGreaterThan(200);
});

test('bounds the results of a frequent text, and stops a search whose caller is gone', async () => {
  const flow = new FlowStore();
  const source = flow.begin('s');
  for (let i = 0; i < 15_000; i++) source.add({ kind: 'note', text: 'same' });
  const first = await searchText(flow, { text: 'same', after: 0 });
  expect(first).toMatchObject({ searchedSeq: 10_000, newest: 15_000 });
  expect(first.found).toHaveLength(10_000);
  const unwanted = await searchText(flow, { text: 'same', after: 0 }, undefined, () => true);
  expect(unwanted).toMatchObject({ searchedSeq: 0, found: [] });
});
