// Restricts a service to the rights of a principal: other tools and servers appear not to exist. Methods that MCP does not define are
// hidden too, because they could run a tool under another name.

import { allowTools } from '../../../mcp/layers/allow-tools.ts';
import { compose, overlay } from '../../../mcp/layers/layer.ts';
import { isOfService, methodsOfMcp } from '../../../mcp/methods.ts';
import { invalidParams, methodNotFound } from '../../../mcp/protocol-errors.ts';
import type { Rights } from '../../../mcp/rights.ts';
import type { Service } from '../../../mcp/service.ts';

/**
 * `name`: the server's name. A service without a name is available only to principals that may use any server. Undefined if the principal
 * may not use the service at all.
 */
export function restrict(service: Service, name = '', rights: Rights): Service | undefined {
  if (service.restrictedTo) return service.restrictedTo(rights);
  if (!rights.mayUseServer(name)) return undefined;
  if (!rights.limitsTools) return service;
  const layer = allowTools({
    // A server may treat a list with one name like the name itself.
    mayUse: (tool) => typeof tool === 'string' && rights.mayUseTool(name, tool),
    refusal: (tool) => invalidParams(`Unknown tool: ${JSON.stringify(tool)}`),
    refusalOf: (method) => (isOfService(method) ? undefined : methodNotFound(method)),
  });
  const { tool } = service;
  return overlay(compose(service, layer), {
    ...(tool && {
      tool: (given, client) => (rights.mayUseTool(name, given) ? tool.call(service, given, client) : undefined),
    }),
    notify: (method, params, client) => {
      const isKnown =
        method === 'notifications/roots/list_changed' || methodsOfMcp.get(method)?.extension !== undefined;
      if (isKnown) service.notify(method, params, client);
    },
  });
}
