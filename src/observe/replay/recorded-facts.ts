// Facts about a server, from its recorded answer to a handshake.

import { isObject, metaOf } from '../../base/json-object.ts';
import { SERVER_INFO } from '../../mcp/meta.ts';
import { methodsOfMcp } from '../../mcp/methods.ts';
import type { Revision } from '../../mcp/revisions.ts';
import type { Result, ServiceFacts } from '../../mcp/service.ts';
import type { RecordedExchange } from './recorded-exchange.ts';

export interface RecordedFacts extends ServiceFacts {
  readonly revision: Revision | undefined;
}

/** Facts about the server in the answer to a handshake. */
export function factsIn(method: string, result: Result): RecordedFacts {
  const info = isObject(result.serverInfo) ? result.serverInfo : metaOf(result)?.[SERVER_INFO];
  const versions = Array.isArray(result.supportedVersions) ? result.supportedVersions : [];
  const revision =
    method === 'initialize' ? result.protocolVersion : versions.findLast((each) => typeof each === 'string');
  return {
    info: (isObject(info) ? info : unknownInfo) as ServiceFacts['info'],
    capabilities: (isObject(result.capabilities) ? result.capabilities : {}) as ServiceFacts['capabilities'],
    ...(typeof result.instructions === 'string' && { instructions: result.instructions }),
    revision: revision as Revision | undefined,
  };
}

const unknownInfo = { name: 'recorded', version: '0' };

/** For a recording that began after the handshake. */
export function guessedFacts(exchanges: readonly RecordedExchange[]): RecordedFacts {
  const kinds = exchanges.flatMap(({ method }) => methodsOfMcp.get(method)?.capability ?? []);
  return { info: unknownInfo, capabilities: Object.fromEntries(kinds.map((kind) => [kind, {}])), revision: undefined };
}
