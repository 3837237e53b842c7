// A host of this process, used like one of another.

import type { Params, Service } from '../mcp/service.ts';
import { answerControl, type ControlMethod, type ControlResults } from './control-methods.ts';
import type { Host } from './host.ts';
import { HostAccess } from './host-access.ts';

export class OwnHost extends HostAccess {
  readonly #host: Host;

  constructor(host: Host) {
    super();
    this.#host = host;
  }

  service(server?: string): Service {
    return this.#host.service(server);
  }

  async control<M extends ControlMethod>(method: M, params: Params = {}): Promise<ControlResults[M]> {
    return answerControl(this.#host, method, params);
  }
}
