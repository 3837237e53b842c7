// `standpipe types`: writes a TypeScript type of the tools of a server, for `connect<…>` and `callTool`.

import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { checkOutput, savePieces } from '../result/save-content.ts';
import { findServer } from '../servers/find-server.ts';
import { withHost } from '../servers/reach-host.ts';
import { typeName, typesOf } from '../types/tool-types.ts';
import { addAddressOptions, addServerOptions, examples, serverOptions } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command
    .argument('[server]', 'server name in the config')
    .option('--output <file>', 'write the types to this file (default: stdout)');
  addAddressOptions(addServerOptions(command));
  command.addHelpText(
    'after',
    `
The type has the input and the structured output of each tool:
  const client = await connect<WeatherTools>({ command: 'weather' });
  await client.callTool('forecast', { city: 'Oslo' }); // checked by tsc`,
  );
  examples(
    command,
    'types weather --output weather-tools.ts',
    'types -- node server.mjs > tools.ts',
    'types http://127.0.0.1:3000/mcp > tools.ts',
  );
  command.action(run(types));
};

const types: CommandBody = async (invocation, [name], options) => {
  const { output } = options as { output?: string };
  await checkOutput(output);
  return withHost(invocation, serverOptions(options), async (reached) => {
    const { out, settings } = invocation;
    const given = name ?? reached.only;
    if (given === undefined) {
      throw new UsageError('INVALID_OPTION', 'No server was given', {
        hint: `${ownCommand} types <server>, or ${ownCommand} types -- <command …>`,
      });
    }
    const { name: server } = await findServer(given, reached, settings);
    out.activity.begin('listing tools');
    const { tools } = await reached.host.client(server).listTools();
    const text = typesOf(server, tools);
    out.activity.end();
    const saved =
      output === undefined ? [] : await savePieces([{ mimeType: undefined, bytes: Buffer.from(text) }], output);
    for (const file of saved) out.say(`Saved ${visibleLine(file)}`);
    if (out.json) out.document({ server, name: typeName(server), types: text, saved });
    else if (output === undefined) out.text(text);
    return undefined;
  });
};
