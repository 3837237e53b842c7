// The layer that applies `tools` of the entry of a server.

import { notAllowed } from '../../config/tool-filter.ts';
import type { Client } from '../../mcp/client/client.ts';
import { allowTools } from '../../mcp/layers/allow-tools.ts';
import { compose, type Layer } from '../../mcp/layers/layer.ts';
import { invalidParams, methodNotFound } from '../../mcp/protocol-errors.ts';

/** The part of an entry that decides. */
export interface Allowing {
  readonly config: { readonly name: string };
  readonly mayUse: (tool: string) => boolean;
}

/** Asks the entry anew for each request: it may be replaced. */
export function allowedTools(allowing: Allowing): Layer {
  return allowTools({
    // An entry of a list without a name cannot be called.
    mayList: (tool) => typeof tool !== 'string' || allowing.mayUse(tool),
    // A server may take a list of one name for the name: the filter would not.
    mayUse: (tool) => typeof tool === 'string' && allowing.mayUse(tool),
    refusal: (tool) =>
      typeof tool === 'string'
        ? notAllowed(allowing.config.name, tool)
        : invalidParams('tools/call needs a "name", a string'),
    // Servers that know the transcript dialect would run a tool by it, allowed or not.
    refusalOf: (method) => (method.startsWith('mcp/') ? methodNotFound(method) : undefined),
  });
}

/** One for each process. */
const allowedClients = new WeakMap<Client, Client>();

/** The same client for a program: what it sends passes the filter. */
export function allowedClient(client: Client, allowing: Allowing): Client {
  const known = allowedClients.get(client);
  if (known) return known;
  const allowed = client.withService(compose(client.service, allowedTools(allowing)));
  allowedClients.set(client, allowed);
  return allowed;
}
