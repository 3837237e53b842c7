// `standpipe fleet show`: prints the servers of a fleet as a config for `apply`, and on stderr the node of each replica.

import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { ReplicaStatus } from '../../../host/fleet/fleet-status.ts';
import { readFleet } from '../../../host/fleet/place/fleet-state.ts';
import { readFleetStatus } from '../../../host/fleet/read-status.ts';
import type { CommandBody } from '../invocation.ts';
import type { FleetOptions } from './fleet-options.ts';
import { whyNowhere } from './fleet-tables.ts';
import { withNetwork } from './open-fleet.ts';
import { shownRecord } from './shown-records.ts';

export const show: CommandBody = (invocation, _words, options) =>
  withNetwork(invocation, options as FleetOptions, async (network) => {
    const { out } = invocation;
    const [view, status] = await Promise.all([readFleet(network), readFleetStatus(network)]);
    const records = [...view.servers.values()].map(({ value }) => value).sort((a, b) => (a.name < b.name ? -1 : 1));
    const shown = records.map((record) => [record.name, shownRecord(record)] as const);
    const mcpServers = Object.fromEntries(shown.map(([name, { entry }]) => [name, entry]));
    if (out.json) {
      const { fleet, placer, servers } = status;
      out.document({ fleet, placer: placer ?? null, mcpServers, servers });
      return undefined;
    }
    out.text(`${JSON.stringify({ mcpServers }, null, 2)}\n`);
    for (const { name, replicas } of status.servers) {
      for (const replica of replicas)
        out.say(visibleLine(`${name} ${replica.slot}: ${whereOf(replica, status.placer)}`));
    }
    const hidden = shown.filter(([, { hasSecrets }]) => hasSecrets).map(([name]) => name);
    if (hidden.length > 0) out.say(visibleLine(`Literal secrets are hidden: ${hidden.join(', ')}`));
    if (records.length === 0)
      out.say(`The fleet has no servers: \`${ownCommand} fleet apply FILE\` adds those of a config.`);
    else if (status.placer === undefined)
      out.say(`No node places servers: start one with \`${ownCommand} up --join\`.`);
    return undefined;
  });

function whereOf(replica: ReplicaStatus, placer: string | undefined): string {
  const { isInForce, node, generation, reason } = replica;
  if (!isInForce) return `runs nowhere: ${whyNowhere([replica], placer)}`;
  return `on node ${node}, generation ${generation}${reason === undefined ? '' : ` (cannot move: ${reason})`}`;
}
