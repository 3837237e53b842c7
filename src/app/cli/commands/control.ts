// `standpipe start`, `stop` and `restart` control one server of the running host, or of another node of its fleet. `down` stops the host and
// waits until its process has exited.

import { systemClock } from '../../../base/clock.ts';
import { PeerError, UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { RemoteHost } from '../../../host/control/remote-host.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';
import { isRunning } from '../../../wire/process/tree/signals.ts';
import { type FleetAccess, fleetOfServer, instancesNamed } from '../fleet/reach-fleet.ts';
import type { CommandBody, CommandModule, Invocation } from '../invocation.ts';
import { findServer } from '../servers/find-server.ts';
import { withChangedHost } from '../servers/reach-host.ts';
import { examples } from './server-options.ts';

type Verb = 'start' | 'stop' | 'restart';

export const control = (verb: Verb): CommandModule => ({
  define(command, run) {
    command.argument('<server>', 'name in the config, or <server>@<node> in a fleet');
    examples(command, `${verb} weather`, `${verb} weather@one`);
    command.action(
      run((invocation, words) =>
        withChangedHost(invocation, async (host) => {
          const [given] = words as [string];
          const { out, settings } = invocation;
          const found = await fleetOfServer(host, given, settings);
          out.activity.begin(`${verb} ${found?.name ?? given}`);
          const done = found
            ? await onNodes(found.fleet, found.name, verb)
            : await onHost(host, given, verb, invocation);
          out.activity.end();
          for (const { server, node } of done) {
            const where = node === undefined ? '' : ` on node ${visibleLine(node)}`;
            if (!out.json) out.say(`${visibleLine(server.name)} is ${server.state}${where}.`);
          }
          if (out.json) out.document(found ? { servers: done } : done[0]!);
          return undefined;
        }),
      ),
    );
  },
});

interface Done {
  server: ServerStatus;
  node?: string;
}

async function onHost(host: RemoteHost, name: string, verb: Verb, { settings }: Invocation): Promise<Done[]> {
  await findServer(name, { host, running: true, only: undefined }, settings);
  return [await host.control(`standpipe/${verb}`, { server: name })];
}

/** Controls all replicas, one after another. */
async function onNodes(fleet: FleetAccess, name: string, verb: Verb): Promise<Done[]> {
  const named = instancesNamed(name, await fleet.status());
  if (verb !== 'restart' && named.some(({ server }) => server.includes('#'))) throw placedByFleet(name, verb);
  const done: Done[] = [];
  for (const { node, server } of named) {
    done.push({ node, ...(await fleet.control(node, `standpipe/${verb}`, { server })) });
  }
  return done;
}

function placedByFleet(name: string, verb: Verb): UsageError {
  return new UsageError('NOT_SUPPORTED', `${verb} cannot be used for "${name}": the fleet decides where it runs`, {
    hint: `Change its entry (\`"enabled": false\`, or \`replicas\`) and run \`${ownCommand} fleet apply FILE\`.`,
  });
}

/** Default limit of the wait for the exit: longer than all steps of stopping a server together. */
const DEFAULT_WAIT_MS = 60_000;
const LOOK_MS = 50;

export const down: CommandModule = {
  define(command, run) {
    examples(command, 'down', 'down --config other/mcp.json', 'down --json');
    command.action(run(endHost));
  },
};

const endHost: CommandBody = (invocation) =>
  withChangedHost(invocation, async (host) => {
    const { out, settings, signal } = invocation;
    const { pid, servers } = await host.status();
    const stopped = servers
      .filter(({ processes }) => processes.some(({ pid, state }) => pid !== null || state === 'ready'))
      .map(({ name }) => name);
    out.activity.begin(`stopping the host (process ${pid})`);
    await askToEnd(host);
    const waitMs = settings.timeoutMs ?? DEFAULT_WAIT_MS;
    const until = systemClock.nowMs() + waitMs;
    while (isRunning(pid)) {
      signal.throwIfAborted();
      if (systemClock.nowMs() > until) throw stillRunning(pid, waitMs);
      await new Promise<void>((resolve) => systemClock.after(LOOK_MS, resolve));
    }
    out.activity.end();
    if (out.json) out.document({ pid, stopped });
    else {
      const what = stopped.length > 0 ? stopped.map(visibleLine).join(', ') : 'no server was running';
      out.say(`The host (process ${pid}) has ended. Stopped: ${what}.`);
    }
    return undefined;
  });

async function askToEnd(host: RemoteHost): Promise<void> {
  try {
    await host.control('standpipe/down');
  } catch (error) {
    // The host may exit before its answer is sent.
    if (!(error instanceof PeerError) || error.code === 'REQUEST_TIMEOUT') throw error;
  }
}

function stillRunning(pid: number, waitMs: number): PeerError {
  return new PeerError('REQUEST_TIMEOUT', `The host (process ${pid}) has not ended within ${waitMs} ms`, {
    hint: 'The host is still stopping its servers. Wait longer with --timeout.',
  });
}
