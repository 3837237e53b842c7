// A program that exits, for any reason, has recorded all previous events.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NoteFact } from '../../src/observe/flow/event.ts';
import { readRecording } from '../../src/observe/record/reader.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const folder = temporaryFolder('exit');
const dist = new URL('../../dist/', import.meta.url).href;

test.each([
  ['process.exit() at once', 'note("a"); process.exit(0)', ['a']],
  ['process.exit() later', 'note("a"); setTimeout(() => { note("b"); process.exit(0); }, 200)', ['a', 'b']],
  [
    'process.exit() while a large piece is written',
    `const { existsSync, statSync } = await import('node:fs');
    for (let i = 0; i < 1000; i++) note(String(i).padStart(10_000));
    const exitOnceWritten = () => {
      if (existsSync(file) && statSync(file).size > 1000) process.exit(0);
      setImmediate(exitOnceWritten);
    };
    exitOnceWritten();`,
    Array.from({ length: 1000 }, (_, i) => String(i).padStart(10_000)),
  ],
  ['an uncaught error', 'note("a"); setTimeout(() => { note("b"); throw new Error("no"); }, 200)', ['a', 'b']],
  ['an empty event loop', 'note("a")', ['a']],
])('records all events before %s', async (name, ending, expected) => {
  const file = join(folder, `${name.replaceAll(/\W/g, '-')}.jsonl`);
  const program = `
    const { FlowStore, record } = await import('${dist}entry/recording.js');
    const store = new FlowStore();
    const file = ${JSON.stringify(file)};
    record(store, { file });
    const note = (text) => store.append('a', 1, { kind: 'note', text });
    ${ending}`;
  spawnSync(process.execPath, ['--input-type=module', '-e', program]);
  const words: string[] = [];
  for await (const item of readRecording(file)) {
    expect(item.type).not.toBe('damage');
    if (item.type === 'event') words.push((item.event as NoteFact).text);
  }
  expect(words).toEqual(expected);
});
