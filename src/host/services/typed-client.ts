// A typed client of a service of a host. It does not ask first what the server declares: the service refuses what it does not
// have. Outputs are not checked against schemas: the schemas come from servers, and one that never ends would block the host.

import { Client } from '../../mcp/client/client.ts';
import type { InputHandlers } from '../../mcp/client/options.ts';
import type { ServerFacts } from '../../mcp/client/session/session.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import { NEWEST_MODERN } from '../../mcp/revisions.ts';
import { newClient, type Service } from '../../mcp/service.ts';

export type ServerClient = Client<never>;

/** The program that runs the host. It is no client that could go away. */
export const hostClient = newClient(undefined, 'host');

/** Stands for facts that were not asked for. */
export const undescribed: ServerFacts = { info: ownInfo, capabilities: {}, revision: NEWEST_MODERN, era: 'modern' };

export function typedClient(service: Service, inputs?: InputHandlers): ServerClient {
  return new Client(service, undescribed, { ...inputs, checkOutput: false, identity: hostClient });
}
