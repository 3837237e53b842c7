// A service with something done around each request of a client; everything else is passed on.

import type { Service } from '../../mcp/service.ts';

export function wrapService(service: Service, request: Service['request']): Service {
  return {
    describe: (client) => service.describe(client),
    // Requests without a message are the door's own.
    request: (method, params, caller) =>
      caller.request ? request(method, params, caller) : service.request(method, params, caller),
    notify: (method, params, client) => service.notify(method, params, client),
    watch: (watcher) => service.watch(watcher),
    gone: (client) => service.gone?.(client),
    ...(service.tool && { tool: (name: string) => service.tool!(name) }),
  };
}
