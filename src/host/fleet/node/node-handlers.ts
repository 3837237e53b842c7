// Answers the requests of other nodes that are not calls.

import { invalidParams, methodNotFound } from '../../../mcp/protocol-errors.ts';
import type { Params } from '../../../mcp/service.ts';
import { answerControl, isControlMethod } from '../../control/control-methods.ts';
import type { Host } from '../../host.ts';
import type { Placer } from '../place/placer.ts';
import { answerQuota, type FleetQuotas } from '../quotas/fleet-quotas.ts';
import { wallMs } from '../wall-clock.ts';
import type { NodeHandlers } from './answer-node-requests.ts';
import type { Claims } from './claims/claims.ts';
import type { NodeEndpoint } from './node-endpoint.ts';
import type { NodeLease } from './node-lease.ts';

export interface NodeParts {
  host: Host;
  lease: NodeLease;
  claims: Claims;
  endpoint: NodeEndpoint;
  placer: Placer;
  /** Undefined if the node has no gateway. */
  quotas: FleetQuotas | undefined;
  run: string;
}

/** Limit of slots with their reasons in one message. */
const MOST_WAITING = 1_000;
/** Limit of calls in one inquiry. */
const MOST_CALLS = 1_000;

export function nodeHandlers({ host, lease, claims, endpoint, placer, quotas, run }: NodeParts): NodeHandlers {
  return {
    'standpipe/ping': () => ({ session: lease.session ?? '', nowMs: wallMs() }),
    'standpipe/place': (params) => claims.place(params),
    'standpipe/release': (params) => {
      claims.release(params);
      return {};
    },
    'standpipe/renew': (params) => {
      claims.renew(params).catch(() => undefined); // already reported
      return {};
    },
    'standpipe/placement': () => ({ waiting: placer.waiting.slice(0, MOST_WAITING) }),
    'standpipe/calls': ({ calls }) => {
      if (Array.isArray(calls) && calls.length <= MOST_CALLS)
        return { run, states: endpoint.inquire(calls.map(String)) };
      throw invalidParams(`"calls" must be an array of at most ${MOST_CALLS} reply subjects`);
    },
    'standpipe/quota': (ask) => answerQuota(quotas, ask),
    // Without hooks: another node can neither end this process nor read the credentials for NATS.
    'standpipe/control': ({ method, params }) => {
      if (!isControlMethod(method)) throw methodNotFound(method);
      return answerControl(host, method, params as Params);
    },
  };
}
