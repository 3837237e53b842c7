// A command with `--join` that uses servers of a fleet: it needs no running host, and starts no server.

import { unlessAborted } from '../../base/wait.ts';
import { FleetVisitor } from '../../fleet/fleet-visitor.ts';
import { openFabric } from '../../fleet/nats/open-fabric.ts';
import { OwnHost } from '../../host/control/host-access.ts';
import type { Unanswered } from '../../host/services/process-service.ts';
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
  const fabric = await openFabric({ ...readFleetOptions(options, 'standpipe')!, timeoutMs: settings.timeoutMs });
  try {
    const visitor = await FleetVisitor.open(fabric, settings.timeoutMs);
    const servers = visitor.servers.map((server) => forOneCommand(server, settings));
    const host = await ownHost(invocation, servers, unanswered, visitor);
    const reached = { host: new OwnHost(host), running: true, only: undefined, remember: () => undefined, unanswered };
    try {
      return await unlessAborted(work(reached), signal);
    } finally {
      await host.stop();
      await visitor.close();
    }
  } finally {
    await fabric.close();
  }
}
