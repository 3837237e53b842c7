// A service as a principal may use it: tools and servers of others do not exist. Methods that MCP does not define could run a tool by
// another name, so they do not exist either.

import { allowTools } from '../../mcp/layers/allow-tools.ts';
import { compose } from '../../mcp/layers/layer.ts';
import { isOfService } from '../../mcp/methods.ts';
import { invalidParams, methodNotFound } from '../../mcp/protocol-errors.ts';
import type { Rights } from '../../mcp/rights.ts';
import type { Service } from '../../mcp/service.ts';

/** `name`: the server that it is. A service without a name is used only by those who may use any. Undefined: no right at all. */
export function restrict(service: Service, name = '', rights: Rights): Service | undefined {
  if (service.restrictedTo) return service.restrictedTo(rights);
  if (!rights.mayUseServer(name)) return undefined;
  if (!rights.limitsTools) return service;
  const layer = allowTools({
    // A server may take a list of one name for the name.
    mayUse: (tool) => typeof tool === 'string' && rights.mayUseTool(name, tool),
    refusal: (tool) => invalidParams(`Unknown tool: ${JSON.stringify(tool)}`),
    refusalOf: (method) => (isOfService(method) ? undefined : methodNotFound(method)),
  });
  return {
    ...compose(service, layer),
    notify: (method, params, client) => {
      if (method === 'notifications/roots/list_changed') service.notify(method, params, client);
    },
  };
}
