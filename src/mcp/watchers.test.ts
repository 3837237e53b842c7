import { expect, test } from 'vitest';
import type { Watcher, WatchFilter } from './service.ts';
import { LOG_METHOD, UPDATED_METHOD, Watchers } from './watchers.ts';

const MANY = 200;

function watched() {
  const watchers = new Watchers((error) => {
    throw error;
  });
  const log: string[] = [];
  let reads = 0;
  const add = (name: string, filter: WatchFilter): Watcher => {
    const watcher: Watcher = {
      get filter() {
        reads++;
        return filter;
      },
      notified: (method, params) => log.push(`${name}: ${params?.uri ?? method}`),
      ended: () => log.push(`${name} ended`),
    };
    watchers.add(watcher);
    return watcher;
  };
  const work = (run: () => void) => {
    const before = reads;
    run();
    return reads - before;
  };
  return { watchers, log, add, work };
}

test('a notification takes no time for watchers of other resources', () => {
  const { watchers, log, add, work } = watched();
  const uris = Array.from({ length: 1_000 }, (_, at) => `x:${at}`);
  for (let at = 0; at < MANY; at++) add(`${at}`, { resourceSubscriptions: uris });
  add('logs', { logs: 'info' });
  add('one', { resourceSubscriptions: ['y:one'] });
  expect(work(() => watchers.notify(UPDATED_METHOD, { uri: 'y:one/part' }))).toBe(0);
  expect(work(() => watchers.notify(LOG_METHOD, { level: 'error' }))).toBe(1);
  expect(work(() => watchers.chosenLogLevel)).toBe(1);
  expect(log).toEqual(['one: y:one/part', `logs: ${LOG_METHOD}`]);
});

test('notifies a watcher of a resource and of its part once', () => {
  const { watchers, log, add } = watched();
  const watcher = add('both', { resourceSubscriptions: ['x:a', 'x:a/b', 'x:a'], toolsListChanged: true });
  add('other', { resourceSubscriptions: ['x:a/b'] });
  watchers.notify(UPDATED_METHOD, { uri: 'x:a/b' });
  watchers.notify(UPDATED_METHOD, { uri: 'x:ab' });
  watchers.notify(UPDATED_METHOD, { uri: 7 });
  expect(log.splice(0)).toEqual(['both: x:a/b', 'other: x:a/b']);
  expect(watchers.filter).toEqual({ toolsListChanged: true, resourceSubscriptions: ['x:a', 'x:a/b'] });
  expect([watchers.delete(watcher), watchers.delete(watcher)]).toEqual([true, false]);
  watchers.notify(UPDATED_METHOD, { uri: 'x:a' });
  watchers.notify('notifications/tools/list_changed', undefined);
  expect(log).toEqual([]);
  expect(watchers.filter).toEqual({ resourceSubscriptions: ['x:a/b'] });
  watchers.endUpdates('x:a/b');
  expect(log).toEqual(['other ended']);
  expect(watchers.filter).toEqual({});
});
