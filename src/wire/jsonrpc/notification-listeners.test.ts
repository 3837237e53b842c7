import { expect, test } from 'vitest';
import { NotificationListeners } from './notification-listeners.ts';

function listeners() {
  const seen: string[] = [];
  const table = new NotificationListeners((error) => seen.push(`error: ${error.message}`));
  const notify = (method: string) => table.notify({ jsonrpc: '2.0', method, params: { n: 1 } });
  return { seen, table, notify };
}

test('calls all listeners of a method in the order in which they were added', () => {
  const { seen, table, notify } = listeners();
  table.add('a', (params, method) => seen.push(`first ${method} ${params?.n}`));
  table.add('b', () => seen.push('other method'));
  table.add('a', () => seen.push('second'));
  notify('a');
  expect(seen).toEqual(['first a 1', 'second']);
});

test('reports a listener that throws after all were called', () => {
  const { seen, table, notify } = listeners();
  table.add('a', () => {
    throw new Error('broken');
  });
  table.add('a', () => seen.push('second'));
  notify('a');
  expect(seen).toEqual(['second', 'error: broken']);
});

test('each removal removes only its own listener, even if it was added twice', () => {
  const { seen, table, notify } = listeners();
  const same = () => seen.push('same');
  const removeFirst = table.add('a', same);
  table.add('a', same);
  removeFirst();
  removeFirst();
  notify('a');
  expect(seen).toEqual(['same']);
});

test('a listener may remove itself during the calls', () => {
  const { seen, table, notify } = listeners();
  const remove = table.add('a', () => {
    seen.push('once');
    remove();
  });
  table.add('a', () => seen.push('always'));
  notify('a');
  notify('a');
  expect(seen).toEqual(['once', 'always', 'always']);
});

test('methods without a listener go to the listener for others', () => {
  const { seen, table, notify } = listeners();
  table.others = (_params, method) => seen.push(`other ${method}`);
  const remove = table.add('a', () => seen.push('own'));
  notify('a');
  notify('b');
  remove();
  notify('a');
  expect(seen).toEqual(['own', 'other b', 'other a']);
});
