// `standpipe completion`: the script that teaches a shell.

import { Argument } from 'commander';
import { shellScripts } from '../completion/shell-scripts.ts';
import type { CommandModule } from '../invocation.ts';

export const define: CommandModule['define'] = (command, run) => {
  command.addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(shellScripts)));
  command.addHelpText(
    'after',
    `
Install it:
  bash   echo 'source <(standpipe completion bash)' >> ~/.bashrc
  zsh    standpipe completion zsh > "\${fpath[1]}/_standpipe"
  fish   standpipe completion fish > ~/.config/fish/completions/standpipe.fish
It completes commands, servers, tools, argument names and their values. It asks the running host, or else the config and
what servers said before; it never starts one.`,
  );
  command.action(
    run(async ({ out }, words) => {
      const [shell] = words as [keyof typeof shellScripts];
      const script = shellScripts[shell];
      if (out.json) out.document({ shell, script });
      else out.write(script);
      return undefined;
    }),
  );
};
