// `standpipe start`, `stop` and `restart`: control one server of the running host, or of another node of its fleet.

import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { RemoteHost } from '../../../host/control/remote-host.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';
import type { FleetAccess } from '../fleet/reach-fleet.ts';
import type { CommandModule, Invocation } from '../invocation.ts';
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
          const { fleetOfServer } = await import('../fleet/reach-fleet.ts');
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
  const { instancesNamed } = await import('../fleet/instances.ts');
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
