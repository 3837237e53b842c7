// The layer that applies the `tools` filter of a server's entry.

import { notAllowed } from '../../config/tool-filter.ts';
import type { Client } from '../../mcp/client/client.ts';
import { allowTools } from '../../mcp/layers/allow-tools.ts';
import { compose, type ServiceLayer } from '../../mcp/layers/layer.ts';
import { invalidParams, methodNotFound } from '../../mcp/protocol-errors.ts';

/** The part of a server that the filter needs. */
export interface Allowing {
  readonly config: { readonly name: string };
  readonly mayUse: (tool: string) => boolean;
}

/** Reads the entry for each request, because it may be replaced. */
export function allowedTools(allowing: Allowing): ServiceLayer {
  return allowTools({
    // A list entry without a name cannot be called.
    mayList: (tool) => typeof tool !== 'string' || allowing.mayUse(tool),
    // A server may accept an array with one name as the name; the filter would not match it.
    mayUse: (tool) => typeof tool === 'string' && allowing.mayUse(tool),
    refusal: (tool) =>
      typeof tool === 'string'
        ? notAllowed(allowing.config.name, tool)
        : invalidParams('tools/call needs a "name", a string'),
    // Servers that know the transcript dialect would run any tool through it, allowed or not.
    refusalOf: (method) => (method.startsWith('mcp/') ? methodNotFound(method) : undefined),
  });
}

/** One filtered client per process. */
const allowedClients = new WeakMap<Client, Client>();

/** The client for programs of the host: its requests pass the filter. */
export function allowedClient(client: Client, allowing: Allowing): Client {
  const known = allowedClients.get(client);
  if (known) return known;
  const allowed = client.withService(compose(client.service, allowedTools(allowing), client.catalogue.layer));
  allowedClients.set(client, allowed);
  return allowed;
}
