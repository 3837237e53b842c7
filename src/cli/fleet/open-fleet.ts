// The connection of a command that changes a fleet: by its options, by the environment, or to the fleet of the running host.

import type { Fabric } from '../../fleet/fabric.ts';
import type { FabricOptions } from '../../fleet/nats/open-fabric.ts';
import type { Invocation } from '../invocation.ts';
import { findRunningHost } from '../servers/running-host.ts';
import { type FleetOptions, missingJoin, readFleetOptions } from './fleet-options.ts';

const NAME = 'standpipe';

/** Runs the work with the fleet, and closes the connection afterwards in any case. */
export async function withFabric<T>(
  invocation: Invocation,
  options: FleetOptions,
  work: (fabric: Fabric) => Promise<T>,
): Promise<T> {
  const reached = readFleetOptions(options, NAME) ?? (await ofRunningHost(invocation));
  if (!reached) throw missingJoin();
  const { openFabric } = await import('../../fleet/nats/open-fabric.ts');
  const fabric = await openFabric({ ...reached, timeoutMs: invocation.settings.timeoutMs });
  try {
    return await work(fabric);
  } finally {
    await fabric.close();
  }
}

async function ofRunningHost({ settings, out }: Invocation): Promise<FabricOptions | undefined> {
  const host = await findRunningHost(settings, (text) => out.say(text));
  if (!host) return undefined;
  try {
    return { ...(await host.control('standpipe/fleet-address')), name: NAME };
  } finally {
    await host.close();
  }
}
