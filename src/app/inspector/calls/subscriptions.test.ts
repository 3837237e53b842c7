import { expect, test } from 'vitest';
import type { ServerClient } from '../../../host/services/typed-client.ts';
import { Subscriptions } from './subscriptions.ts';

/** A client whose subscriptions can be updated and ended by the test. */
function subscriber() {
  const handlers = new Map<string, { update: () => void; close: (why: 'server' | 'connection') => void }>();
  let stopped = 0;
  const client = {
    async subscribe(
      uri: string,
      handler: (update: { uri: string }) => void,
      options: { onClosed: (why: never) => void },
    ) {
      handlers.set(uri, { update: () => handler({ uri }), close: (why) => options.onClosed(why as never) });
      return async () => void stopped++;
    },
  };
  return { client: client as unknown as ServerClient, handlers, stopped: () => stopped };
}

test('keeps the newest 100 updates, and counts all', async () => {
  const { client, handlers } = subscriber();
  const all = new Subscriptions(
    () => 7,
    () => undefined,
  );
  await all.start('s', 'a:1', client);
  for (let update = 0; update < 250; update++) handlers.get('a:1')!.update();
  expect(all.list()).toMatchObject([{ state: 'active', count: 250 }]);
  expect(all.list()[0]!.updates).toHaveLength(100);
});

test('a resource is subscribed to once, and at most 100 resources are', async () => {
  const { client, stopped } = subscriber();
  const all = new Subscriptions(
    () => 0,
    () => undefined,
  );
  const first = await all.start('s', 'a:0', client);
  expect((await all.start('s', 'a:0', client)).id).toBe(first.id);
  for (let number = 1; number < 100; number++) await all.start('s', `a:${number}`, client);
  await expect(all.start('s', 'a:100', client)).rejects.toThrow(/end one of them/);
  expect(await all.stop(first.id)).toBe(true);
  expect(stopped()).toBe(1);
  expect(await all.stop(first.id)).toBe(false);
  await all.start('s', 'a:100', client);
});

test('a subscription that the server ended says so, and can be started again', async () => {
  const { client, handlers } = subscriber();
  const changes: string[] = [];
  const all = new Subscriptions(
    () => 0,
    ({ state }) => changes.push(state),
  );
  await all.start('s', 'a:1', client);
  handlers.get('a:1')!.close('server');
  expect(all.list()).toMatchObject([{ state: 'ended', ended: 'server' }]);
  await all.start('s', 'a:1', client);
  expect(all.list()).toMatchObject([{ state: 'active' }]);
  expect(changes).toEqual(['active', 'ended', 'active']);
});
