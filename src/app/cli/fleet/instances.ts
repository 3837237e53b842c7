// Resolves a name on the command line to processes of the fleet: `files` to all replicas of a server, `files@one` to its replicas on
// the node `one`, or to the server of that node's own config.

import { PeerError } from '../../../base/errors.ts';
import type { FleetStatus } from '../../../host/fleet/fleet-status.ts';
import { unknownServer } from '../../../host/services/unknown-name.ts';
import { SHOW_FLEET } from '../../../host/supervision/server-errors.ts';
import { whyNowhere } from './fleet-tables.ts';

export interface NamedInstance {
  node: string;
  /** Name of the server on its node. */
  server: string;
}

/** Returns at least one instance. Throws if the server does not run or is not in the fleet. */
export function instancesNamed(name: string, { servers, nodes, placer }: FleetStatus): NamedInstance[] {
  const at = name.lastIndexOf('@');
  const [base, node] = at < 1 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
  const whole = servers.find((each) => each.name === name);
  const server = whole ?? servers.find((each) => node !== undefined && each.name === base);
  const replicas = (server?.replicas ?? []).filter((each) => each.isInForce && (whole || each.node === node));
  const found = replicas.map((each) => ({ node: each.node, server: `${server!.name}#${each.slot}` }));
  const owner = nodes.find((each) => each.name === node && each.isAlive && each.offers.includes(base));
  if (owner) found.push({ node: owner.name, server: base });
  if (found.length > 0) return found;
  if (!server) {
    const own = nodes.flatMap((each) => each.offers.map((offer) => `${offer}@${each.name}`));
    throw unknownServer(name, [...servers.map((each) => each.name), ...own], []);
  }
  const isElsewhere = server !== whole && server.replicas.some((each) => each.isInForce);
  const why = isElsewhere ? `node "${node}" does not run it` : whyNowhere(server.replicas, placer);
  throw new PeerError('NOT_SENT', `No node answers for "${name}": ${why}`, {
    hint: SHOW_FLEET,
  });
}
