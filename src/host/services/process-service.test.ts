import { expect, it } from 'vitest';
import type { ClientFacts, Watcher } from '../../mcp/service.ts';
import type { Instance } from '../pool/instance.ts';
import { ProcessService } from './process-service.ts';

const facts = (id: string) => ({ identity: { id, affinity: id, principal: id } }) as unknown as ClientFacts;

/** A ready process of a legacy server that answers no request. */
function process() {
  const notified: string[] = [];
  const subscribed: string[] = [];
  const service = {
    notify: (method: string) => void notified.push(method),
    request: () => new Promise(() => undefined),
    watch: async ({ filter, turn }: Watcher) => {
      const subscribe = (uri: string) => {
        subscribed.push(uri);
        return new Promise<void>(() => undefined);
      };
      for (const uri of filter.resourceSubscriptions ?? []) void (turn?.(() => subscribe(uri)) ?? subscribe(uri));
      return () => undefined;
    },
  };
  const client = { service, server: { era: 'legacy', capabilities: {} } };
  const supervised = {
    state: 'ready',
    use: (run: (ready: object, link: object) => unknown) => Promise.resolve(run(client, { server: {} })),
  };
  const instance = { client, supervised, config: { name: 'one' } } as unknown as Instance;
  return { service: new ProcessService(instance), notified, subscribed };
}

it('notifications of a client that floods wait for their turns', () => {
  const { service, notified } = process();
  for (let at = 0; at < 4000; at++) service.notify('notifications/unknown', { at }, facts('ada'));
  expect(notified).toHaveLength(16);
});

it('subscriptions of a client that floods wait for their turns while another client uses the process', async () => {
  const { service, subscribed } = process();
  const watch = (id: string, count: number) => {
    const resourceSubscriptions = Array.from({ length: count }, (_, at) => `${id}://${at}`);
    return service.watch({ filter: { resourceSubscriptions }, client: facts(id), notified: () => undefined });
  };
  await watch('grace', 1);
  for (let at = 0; at < 100; at++) await watch('ada', 20);
  expect(subscribed).toHaveLength(5);
});
