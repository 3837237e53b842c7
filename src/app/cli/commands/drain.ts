// `standpipe drain`: the servers of the fleet that run on a node move to others, and it gets no more. The command shows what moves
// and ends when nothing is left that can move.

import { systemClock } from '../../../base/clock.ts';
import { UsageError } from '../../../base/errors.ts';
import { addFleetOptions, type FleetOptions } from '../fleet/fleet-options.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { examples } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command.argument('<node>', 'name of the node').option('--undo', 'let the node get servers again; none moves back');
  addFleetOptions(command);
  command.addHelpText(
    'after',
    `
A server stops on the node when its calls are answered, and then starts on
another node. A server that no other node may run stays: the reason is shown,
and the exit code is 3. The own servers of the node are not moved. The node is
drained until --undo, or until it starts again.`,
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
  if (node === undefined) throw new UsageError('INVALID_OPTION', 'The name of a node is missing');
  return withNetwork(invocation, options, async (network) => {
    if (!undo) return drainNode(network, node, invocation, systemClock);
    await setDraining(network, node, false);
    if (invocation.out.json) invocation.out.document({ node, draining: false });
    else invocation.out.say(`Node ${node} gets servers again.`);
    return undefined;
  });
};
