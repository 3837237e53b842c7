import { expect, test } from 'vitest';
import { UsageError } from '../../base/errors.ts';
import { newClient } from '../../mcp/service.ts';
import type { Host } from '../host.ts';
import { ConnectionService } from './connection-service.ts';
import type { ControlHooks } from './control-methods.ts';

test('a connection notifies its chosen server when its client disconnects, even if the merged service lacks the server', () => {
  const told: (string | undefined)[] = [];
  const removed = new Set<string | undefined>();
  const service = (name?: string) => {
    if (removed.has(name)) throw new UsageError('NAME_UNKNOWN', `There is no server ${name}`);
    return { gone: () => told.push(name) };
  };
  const host = { service, status: () => [] } as unknown as Host;
  const client = newClient();
  const chosen = new ConnectionService(host, {} as ControlHooks);
  chosen.use({ server: 'unlisted' });
  chosen.gone(client);
  new ConnectionService(host, {} as ControlHooks).gone(client);
  expect(told).toEqual(['unlisted', undefined]);
  removed.add('unlisted');
  chosen.gone(client);
  expect(told).toHaveLength(2);
});
