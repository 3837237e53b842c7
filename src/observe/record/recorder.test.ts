import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { lacks, privateMode } from '../../../test/fixtures/windows.ts';
import type { NoteFact } from '../flow/event.ts';
import { FlowStore } from '../flow/store.ts';
import { damageOf, eventsOf, readAll } from './any-events.contract.ts';
import { type RecordingItem, readRecording, readRecordings, recordingFiles } from './reader.ts';
import { type RecorderOptions, record } from './recorder.ts';

const folder = temporaryFolder('record');
let files = 0;
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
function heldBytes(): number {
  collect();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

const freshFile = () => join(folder, `recording-${++files}.jsonl`);

describe('the recorder', () => {
  async function recorded(options: Partial<RecorderOptions>, run: (store: FlowStore) => void | Promise<void>) {
    const file = options.file ?? freshFile();
    const store = new FlowStore();
    const failures: Error[] = [];
    const recorder = record(store, { onFailure: (error) => failures.push(error), ...options, file });
    await run(store);
    await recorder.close();
    return { file, failures, store, recorder };
  }
  const note = (store: FlowStore, words: string) => store.append('a', 1, { kind: 'note', text: words });

  it('writes earlier events and later ones', async () => {
    const store = new FlowStore();
    note(store, 'before');
    const file = freshFile();
    const recorder = record(store, { file, about: { purpose: 'test' } });
    note(store, 'after');
    await recorder.close();
    note(store, 'too late');
    const items = await readAll(file);
    expect(items[0]).toMatchObject({
      type: 'run',
      run: { pid: process.pid, startedAt: store.startedAt, about: { purpose: 'test' } },
    });
    expect(eventsOf(items)).toMatchObject([{ text: 'before' }, { text: 'after' }]);
    expect(statSync(file).mode & 0o777).toBe(privateMode);
  });

  it('appends a run to a file that has one, and ends a partial line first', async () => {
    const { file } = await recorded({}, (store) => note(store, 'first'));
    appendFileSync(file, '{"run":"x","seq":2,"atM');
    await recorded({ file }, (store) => note(store, 'second'));
    const items = await readAll(file);
    expect(items.map((item) => item.type)).toEqual(['run', 'event', 'damage', 'run', 'event']);
    expect(eventsOf(items)).toMatchObject([{ text: 'first' }, { text: 'second' }]);
  });

  it('separates two runs that write to one file', async () => {
    const file = freshFile();
    const [mine, yours] = [new FlowStore(), new FlowStore()];
    const recorders = [mine, yours].map((store) => record(store, { file, flushMs: 1 }));
    for (let i = 0; i < 20; i++) {
      note(mine, 'mine');
      note(yours, 'yours');
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await Promise.all(recorders.map((recorder) => recorder.close()));
    const items = await readAll(file);
    expect(damageOf(items)).toEqual([]);
    const words = (run: string) =>
      items.flatMap((item) => (item.type === 'event' && item.run.run === run ? [(item.event as NoteFact).text] : []));
    expect(recorders.map(({ run }) => words(run))).toEqual([Array(20).fill('mine'), Array(20).fill('yours')]);
  });

  it('is rotated by size, and stays within its total limit', async () => {
    const file = freshFile();
    const written = () => {
      const { ino, size } = statSync(file, { throwIfNoEntry: false }) ?? {};
      return `${ino} ${size}`;
    };
    await recorded({ file, maxFileBytes: 20_000, maxFiles: 3, flushMs: 1 }, async (store) => {
      for (let i = 0; i < 60; i++) {
        const before = written();
        for (let j = 0; j < 20; j++) note(store, `${i} ${'x'.repeat(100)}`);
        while (written() === before) await new Promise((resolve) => setTimeout(resolve, 1));
      }
    });
    const all = await recordingFiles(file);
    expect(all).toEqual([`${file}.2`, `${file}.1`, file]);
    for (const each of all) expect(statSync(each).size).toBeLessThan(20_000 + 20 * 20 * 200);
    const items: RecordingItem[] = [];
    for await (const item of readRecordings(file)) items.push(item);
    expect(damageOf(items)).toEqual([]);
    expect(items.map((item) => item.type).slice(0, 3)).toEqual(['run', 'gap', 'event']);
    const seqs = eventsOf(items).map((each) => each.seq);
    expect(seqs).toEqual(Array.from(seqs, (_, i) => seqs[0]! + i)); // the files are contiguous
    expect(seqs.at(-1)).toBe(1200);
  });

  it('reports once that it cannot write, and does not throw', async () => {
    const file = freshFile();
    writeFileSync(file, 'a file where a folder should be');
    const { failures, recorder } = await recorded(
      { file: join(file, 'recording.jsonl'), flushMs: 1, retryMs: 1 },
      async (store) => {
        for (let i = 0; i < 5; i++) {
          note(store, 'x');
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      },
    );
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatchObject({ code: expect.stringMatching(/ENOTDIR|EEXIST/) });
    expect(recorder.skippedEvents).toBe(5);
  });

  it.skipIf(lacks.removalOfOpenFiles)(
    'continues in a new file after the folder was removed, and marks the gap',
    async () => {
      const gone = mkdtempSync(join(folder, 'removed-'));
      const file = join(gone, 'deep', 'recording.jsonl');
      await recorded({ file, flushMs: 1 }, async (store) => {
        note(store, 'lost with the folder');
        await expect.poll(() => readFileSync(file, 'utf8')).toContain('lost with the folder');
        rmSync(gone, { recursive: true });
        note(store, 'kept');
      });
      const items = await readAll(file);
      expect(items.map((item) => item.type)).toEqual(['run', 'gap', 'event']);
    },
  );

  it('limits the data that waits for the disk', async () => {
    const { file, recorder } = await recorded({ maxPendingBytes: 10_000, flushMs: 10_000 }, (store) => {
      for (let i = 0; i < 1000; i++) note(store, 'x'.repeat(100));
    });
    expect(recorder.skippedEvents).toBeGreaterThan(900);
    expect(eventsOf(await readAll(file)).length).toBe(1000 - recorder.skippedEvents);
  });

  it('reads a recording larger than any buffer without holding it', async () => {
    const file = freshFile();
    const hash = createHash('sha256');
    await recorded({ file, maxFileBytes: 1e9, maxPendingBytes: 1e9 }, async (store) => {
      const source = store.begin('a');
      for (let i = 0; i < 80; i++) {
        const payload = Buffer.alloc(500_000, `{"n":${i}}`);
        hash.update(payload);
        source.frame('toServer', payload);
      }
    });
    expect(statSync(file).size).toBeGreaterThan(40e6);
    const read = createHash('sha256');
    const before = heldBytes();
    let most = 0;
    let items = 0;
    for await (const item of readRecording(file)) {
      if (item.type === 'event' && item.event.kind === 'frame') read.update(item.event.payload);
      if (items++ % 20 === 0) most = Math.max(most, heldBytes());
    }
    expect(read.digest('hex')).toBe(hash.digest('hex'));
    expect(most - before).toBeLessThan(20e6);
  });
});
