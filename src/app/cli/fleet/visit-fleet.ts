// Commands with `--join` use the servers of a fleet without a running host and without starting a server.

import { unlessAborted } from '../../../base/wait.ts';
import { OwnHost } from '../../../host/control/host-access.ts';
import { FleetClient } from '../../../host/fleet/fleet-client.ts';
import { openNetwork } from '../../../host/fleet/nats/open-network.ts';
import type { Unanswered } from '../../../host/services/process-service.ts';
import type { Invocation } from '../invocation.ts';
import { forOneCommand, ownHost } from '../servers/own-host.ts';
import type { Reached } from '../servers/reach-host.ts';
import { type FleetOptions, readFleetOptions } from './fleet-options.ts';

export async function visitFleet<T>(
  invocation: Invocation,
  options: FleetOptions,
  unanswered: Unanswered[],
  work: (reached: Reached) => Promise<T>,
): Promise<T> {
  const { settings, signal } = invocation;
  const network = await openNetwork({ ...readFleetOptions(options, 'standpipe')!, timeoutMs: settings.timeoutMs });
  try {
    const fleetClient = await FleetClient.open(network, settings.timeoutMs);
    const servers = fleetClient.servers.map((server) => forOneCommand(server, settings));
    const host = await ownHost(invocation, servers, unanswered, fleetClient);
    const reached = { host: new OwnHost(host), running: true, only: undefined, remember: () => undefined, unanswered };
    try {
      return await unlessAborted(work(reached), signal);
    } finally {
      await host.stop();
      await fleetClient.close();
    }
  } finally {
    await network.close();
  }
}
