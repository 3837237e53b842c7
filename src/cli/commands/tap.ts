// `standpipe tap`: only its help is here. main.ts hands the rest to the tap itself.

import type { CommandModule } from '../invocation.ts';
import { examples } from './server-options.ts';

export const define: CommandModule['define'] = (command) => {
  command
    .usage('[options] -- <command …>')
    .option('--record <file>', 'write everything that passes to a file')
    .option('--name <name>', 'what the server is called for whoever watches')
    .option('--framing <name>', 'how messages are parted, where it is not by lines')
    .option('--mask-env <names>', 'variables whose values are not to be recorded')
    .option('--redact-key <name>', 'keys of JSON whose values are not to be recorded; repeatable')
    .option('--no-announce', 'not to be found by the Inspector');
  examples(command, 'tap -- node server.mjs', 'tap --record session.jsonl -- npx -y some-server');
};
