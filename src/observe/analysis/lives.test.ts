import { expect, test } from 'vitest';
import { FlowStore } from '../flow/store.ts';
import { Lives } from './lives.ts';

test('keeps a running process, however many others start and exit', () => {
  const store = new FlowStore();
  const lives = new Lives();
  store.subscribe((event) => void lives.see(event));
  store.begin('a').spawned(1, 'runs');
  for (let pid = 2; pid < 500; pid++) {
    const source = store.begin('a');
    source.spawned(pid, 'goes');
    source.exited(0, null);
  }
  const known = lives.of('a');
  expect(known[0]).toMatchObject({ life: 1, pid: 1, command: 'runs' });
  expect(known).toHaveLength(200);
  expect(known.at(-1)).toMatchObject({ life: 499, pid: 499 });
});
