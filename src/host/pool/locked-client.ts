// The client of one process of a server with a lock. All requests, lists and facts of the process pass it.

import type { Client } from '../../mcp/client/client.ts';
import { Session } from '../../mcp/client/session/session.ts';
import { type Approvals, LockedDefinitions } from '../../mcp/layers/locked-definitions.ts';

export function lockedClient(client: Client, approvals: Approvals): Client {
  const { service, server } = client;
  const definitions = new LockedDefinitions(service, server.era, approvals);
  const locked = client.withService(definitions, [], definitions.factsOf(server));
  definitions.catalogue = locked.catalogue;
  if (service instanceof Session) service.catalogue = locked.catalogue;
  return locked;
}

/** Reads all lists, which are checked as they arrive. */
export async function readDefinitions({ catalogue }: Client): Promise<void> {
  await Promise.all((['tools', 'prompts', 'resourceTemplates'] as const).map((list) => catalogue.read(list)));
}
