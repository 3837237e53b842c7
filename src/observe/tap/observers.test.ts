import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { FlowStore } from '../flow/store.ts';
import { startObservers } from './observers.ts';

test('a tap that ends while its recorder is being loaded writes its recording, however long the load takes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'standpipe-observers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'session.jsonl');
  const clock = new ManualClock();
  const store = new FlowStore({ clock });
  const source = store.begin('short');
  const about = { kind: 'tap', name: 'short', command: 'short', cwd: folder, record: file } as const;
  const observers = startObservers(store, source, about, { record: file, announce: false }, expect.unreachable);
  source.add({ kind: 'note', text: 'all that happened' });
  const closed = observers.close();
  clock.advance(9_000);
  await closed;
  expect(readFileSync(file, 'utf8')).toContain('all that happened');
});
