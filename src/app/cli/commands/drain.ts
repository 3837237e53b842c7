// `standpipe drain`: moves the servers of the fleet from a node to other nodes and keeps new ones away from it. The command shows
// each move and ends when no server is left that can move.

import { systemClock } from '../../../base/clock.ts';
import { UsageError } from '../../../base/errors.ts';
import { addFleetOptions, type FleetOptions } from '../fleet/fleet-options.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { examples } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .argument('<node>', 'name of the node')
    .option('--undo', 'let the node receive servers again; none is moved back');
  addFleetOptions(command);
  command.addHelpText(
    'after',
    `
A server stops on the node when its pending calls are answered, then starts on
another node. A server that no other node may run stays: the command prints the
reason and exits with code 3. Servers from the node's own config are not moved.
The node stays drained until --undo or until it restarts.`,
  );
  examples(command, 'drain build-1 --join nats://10.0.0.1', 'drain build-1 --timeout 2m', 'drain build-1 --undo');
  command.action(run(drain));
};

const drain: CommandBody = async (invocation, [node], given) => {
  const [{ withNetwork }, { drainNode, setDraining }] = await Promise.all([
    import('../fleet/open-fleet.ts'),
    import('../fleet/drain-node.ts'),
  ]);
  const { undo = false, ...options } = given as FleetOptions & { undo?: boolean };
  if (node === undefined) throw new UsageError('INVALID_OPTION', 'No node was given');
  return withNetwork(invocation, options, async (network) => {
    if (!undo) return drainNode(network, node, invocation, systemClock);
    await setDraining(network, node, false);
    if (invocation.out.json) invocation.out.document({ node, draining: false });
    else invocation.out.say(`Node ${node} can receive servers again.`);
    return undefined;
  });
};
