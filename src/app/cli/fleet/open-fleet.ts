// The NATS connection of a command that changes a fleet, from its options, the environment, or the running host.

import type { ClusterNetwork } from '../../../host/fleet/cluster-network.ts';
import type { ClusterNetworkOptions } from '../../../host/fleet/nats/open-network.ts';
import type { Invocation } from '../invocation.ts';
import { findRunningHost } from '../servers/running-host.ts';
import { type FleetOptions, missingJoin, readFleetOptions } from './fleet-options.ts';

const NAME = 'standpipe';

/** Runs the work with the fleet, and always closes the connection afterwards. */
export async function withNetwork<T>(
  invocation: Invocation,
  options: FleetOptions,
  work: (network: ClusterNetwork) => Promise<T>,
): Promise<T> {
  const reached = readFleetOptions(options, NAME) ?? (await ofRunningHost(invocation));
  if (!reached) throw missingJoin();
  const { openNetwork } = await import('../../../host/fleet/nats/open-network.ts');
  const network = await openNetwork({ ...reached, timeoutMs: invocation.settings.timeoutMs });
  try {
    return await work(network);
  } finally {
    await network.close();
  }
}

async function ofRunningHost({ settings, out }: Invocation): Promise<ClusterNetworkOptions | undefined> {
  const host = await findRunningHost(settings, (text) => out.say(text));
  if (!host) return undefined;
  try {
    return { ...(await host.control('standpipe/fleet-address')), name: NAME };
  } finally {
    await host.close();
  }
}
