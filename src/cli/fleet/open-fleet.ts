// The connection of a command that changes a fleet: by --join, by the environment, or by the fleet of the running host.

import type { Fabric } from '../../fleet/fabric.ts';
import type { Invocation } from '../invocation.ts';
import { type FleetOptions, missingJoin, readFleetOptions } from './fleet-options.ts';

/** Runs the work with the fleet, and closes the connection afterwards in any case. */
export async function withFabric<T>(
  _invocation: Invocation,
  options: FleetOptions,
  work: (fabric: Fabric) => Promise<T>,
): Promise<T> {
  const named = readFleetOptions(options, 'standpipe');
  if (!named) throw missingJoin();
  const { openFabric } = await import('../../fleet/nats/open-fabric.ts');
  const fabric = await openFabric(named);
  try {
    return await work(fabric);
  } finally {
    await fabric.close();
  }
}
