// A typed client of a host's service. It does not check first what the server declares: the service refuses unsupported methods. It
// does not validate results against schemas: the schemas come from servers, and one whose validation never ends would block the host.

import { Client } from '../../mcp/client/client.ts';
import type { ClientOptions } from '../../mcp/client/options.ts';
import type { ServerFacts } from '../../mcp/client/session/session.ts';
import { layered } from '../../mcp/extensions/extension.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import { NEWEST_MODERN } from '../../mcp/revisions.ts';
import { newClient, type Service } from '../../mcp/service.ts';

export type ServerClient = Client<never>;

/** Identity of the program that runs the host. It never disconnects. */
export const hostClient = newClient(undefined, 'host');

/** Placeholder for server facts that were not requested. */
export const undescribed: ServerFacts = { info: ownInfo, capabilities: {}, revision: NEWEST_MODERN, era: 'modern' };

export function typedClient(service: Service, options?: ClientOptions): ServerClient {
  return new Client(layered(service, options?.extensions), undescribed, {
    ...options,
    checkOutput: false,
    identity: hostClient,
  });
}
