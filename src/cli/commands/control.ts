// `standpipe start`, `stop` and `restart`: one server of the running host.

import { visibleLine } from '../../base/terminal/visible.ts';
import type { CommandModule } from '../invocation.ts';
import { findServer } from '../servers/find-server.ts';
import { withRunningHost } from '../servers/reach-host.ts';
import { examples } from './server-options.ts';

type Verb = 'start' | 'stop' | 'restart';

export const control = (verb: Verb): CommandModule => ({
  define(command, run) {
    command.argument('<server>', 'its name in the config');
    examples(command, `${verb} weather`);
    command.action(
      run((invocation, words) =>
        withRunningHost(invocation, async (host) => {
          const [name] = words as [string];
          const { out, settings } = invocation;
          await findServer(name, { host, running: true, only: undefined }, settings);
          out.activity.begin(`${verb} ${name}`);
          const { server } = await host.control(`standpipe/${verb}`, { server: name });
          out.activity.end();
          if (out.json) out.document({ server });
          else out.say(`${visibleLine(name)} is ${server.state}.`);
          return undefined;
        }),
      ),
    );
  },
});
