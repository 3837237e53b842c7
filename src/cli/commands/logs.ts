// `standpipe logs`: stderr, non-protocol output and state changes of the servers of the running host.

import { UsageError } from '../../base/errors.ts';
import { visibleLine } from '../../base/terminal/visible.ts';
import { unlessAborted } from '../../base/wait.ts';
import { connectLive } from '../../live/find-live.ts';
import { readRecording } from '../../record/reader.ts';
import { addFleetOptions } from '../fleet/fleet-options.ts';
import type { FleetAccess } from '../fleet/reach-fleet.ts';
import type { CommandBody, CommandModule, Invocation } from '../invocation.ts';
import { logEntries } from '../logs/log-entries.ts';
import type { Output } from '../output/output.ts';
import { noHost, withRunningHost } from '../servers/reach-host.ts';
import { examples } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .argument('[server]', 'show only this server; <server>@<node> in a fleet')
    .option('-f, --follow', 'wait for new lines, until the host ends or Ctrl-C');
  command.addHelpText(
    'after',
    `
Shows stderr, stray output, starts, exits and state changes that the host has
in memory. For a server of a fleet: the stderr of its processes on all nodes.
With --json, prints one document per line.`,
  );
  addFleetOptions(command);
  examples(command, 'logs', 'logs weather --follow', 'logs --json | jq .', 'logs files@one');
  command.action(run(logs));
};

const logs: CommandBody = async (invocation, [given], options) => {
  const isFollowed = options.follow === true;
  const { out, settings, signal } = invocation;
  if (options.join !== undefined) {
    if (given === undefined) throw noServer();
    const { withFleet } = await import('../fleet/reach-fleet.ts');
    return withFleet(invocation, options, (fleet) => ofFleet(fleet, given, isFollowed, invocation));
  }
  return withRunningHost(invocation, async (host) => {
    if (given !== undefined) {
      const { fleetOfServer } = await import('../fleet/reach-fleet.ts');
      const found = await fleetOfServer(host, given, settings);
      if (found) return ofFleet(found.fleet, found.name, isFollowed, invocation);
      const { findServer } = await import('../servers/find-server.ts');
      await findServer(given, { host, running: true, only: undefined }, settings);
    }
    const { findLiveHost } = await import('../servers/host-elsewhere.ts');
    const live = await findLiveHost(settings, () => undefined);
    if (!live) throw noFlow();
    const { lastSeq } = await host.status();
    const socket = await connectLive(live);
    try {
      await unlessAborted(print(socket, { server: given, lastSeq: isFollowed ? undefined : lastSeq }, out), signal);
    } finally {
      socket.destroy();
    }
    return undefined;
  });
};

async function ofFleet(fleet: FleetAccess, name: string, isFollowed: boolean, invocation: Invocation) {
  const { printFleetLogs } = await import('../fleet/fleet-logs.ts');
  await unlessAborted(printFleetLogs(fleet, name, isFollowed, invocation), invocation.signal);
  return undefined;
}

function noServer(): UsageError {
  return new UsageError('INVALID_OPTION', 'No server was given', {
    hint: 'With --join, name one: standpipe logs <server>[@<node>] --join nats://HOST.',
  });
}

interface Wanted {
  server: string | undefined;
  /** The last event to show; without it, all that come. */
  lastSeq: number | undefined;
}

async function print(flow: AsyncIterable<Uint8Array>, { server, lastSeq }: Wanted, out: Output): Promise<void> {
  if (lastSeq === 0) return;
  for await (const item of readRecording(flow)) {
    if (item.type !== 'event') continue;
    const { event, run } = item;
    const at = new Date((run.startedAt?.getTime() ?? 0) + event.atMs).toISOString();
    for (const { kind, text } of server === undefined || event.server === server ? logEntries(event) : []) {
      if (out.json) out.documentLine({ at, server: event.server, life: event.life, kind, text });
      else out.write(`${at} ${visibleLine(event.server)} ${kind}: ${visibleLine(text)}\n`);
    }
    if (lastSeq !== undefined && event.seq >= lastSeq) return;
  }
}

/** It takes commands, but could not announce itself. */
function noFlow(): UsageError {
  const { message, hint } = noHost();
  return new UsageError('NOT_STARTED', `${message} that other programs can watch`, { hint });
}
