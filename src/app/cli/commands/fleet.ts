// `standpipe fleet`: manages the servers of a fleet. `apply` replaces them with those of a file, `diff` shows what that would
// change, `show` prints them.

import { ownCommand } from '../../../base/own-command.ts';
import { addFleetOptions } from '../fleet/fleet-options.ts';
import type { CommandModule } from '../invocation.ts';
import { examples } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  const apply = command
    .command('apply')
    .description('replace the servers of the fleet with those of a file')
    .argument('<file>', 'config with the servers of the fleet')
    .option('--keep', 'keep servers that the file does not have')
    .option('--dry-run', 'show the difference and write nothing')
    .option('--yes', 'remove servers without asking')
    .option('--allow-literals', 'accept literal secrets: all nodes can read them');
  const diff = command
    .command('diff')
    .description('show what `apply` would change')
    .argument('<file>', 'config with the servers of the fleet')
    .option('--keep', 'keep servers that the file does not have')
    .option('--allow-literals', 'accept literal secrets');
  const show = command.command('show').description('print the servers as a config, and where they run');
  for (const each of [apply, diff, show]) addFleetOptions(each);
  apply.action(run(async (...given) => (await import('../fleet/apply.ts')).apply(...given)));
  diff.action(run(async (...given) => (await import('../fleet/apply.ts')).diff(...given)));
  show.action(run(async (...given) => (await import('../fleet/show.ts')).show(...given)));
  command.addHelpText(
    'after',
    `
The file is a config with "place" in its entries:
  {"mcpServers": {"files": {"command": "files-server",
    "place": {"replicas": 2, "labels": ["eu"]}}}}
Variables such as \${TOKEN} are expanded on the node that runs the server.
\`${ownCommand} ls --fleet\` shows the nodes.`,
  );
  examples(
    command,
    'fleet apply fleet.json --join nats://10.0.0.1',
    'fleet diff fleet.json',
    'fleet apply fleet.json --dry-run --json',
    'fleet show > fleet.json',
  );
};
