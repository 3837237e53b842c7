// `standpipe completion`: prints the completion script of a shell.

import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { shellScripts } from '../completion/shell-scripts.ts';
import type { CommandModule } from '../invocation.ts';

type Shell = keyof typeof shellScripts;
const shells = Object.keys(shellScripts) as Shell[];

export const define: CommandModule['define'] = (command, run) => {
  command.argument('[shell]', `name of the shell: ${shells.join(', ')}`);
  command.addHelpText(
    'after',
    `
Install it:
  bash   echo 'source <(${ownCommand} completion bash)' >> ~/.bashrc
  zsh    ${ownCommand} completion zsh > "\${fpath[1]}/_standpipe"
  fish   ${ownCommand} completion fish > ~/.config/fish/completions/standpipe.fish
  powershell
    Add-Content $PROFILE 'iex (${ownCommand} completion powershell | Out-String)'
It completes commands, servers, tools, argument names and values. The data
comes from the running host, or from the config and a cache. Completion never
starts a server.

Examples:
  $ ${ownCommand} completion bash`,
  );
  command.action(
    run(async ({ out }, words) => {
      const [shell] = words;
      if (!isKnown(shell)) throw unknownShell(shell);
      const script = shellScripts[shell];
      if (out.json) out.document({ shell, script });
      else out.write(script);
      return undefined;
    }),
  );
};

function isKnown(shell: string | undefined): shell is Shell {
  return shells.includes(shell as Shell);
}

function unknownShell(shell: string | undefined): UsageError {
  const message = shell === undefined ? 'No shell was given' : `There is no completion for "${shell}"`;
  return new UsageError('INVALID_OPTION', message, {
    hint: `Completion is available for ${shells.join(', ')}; \`${ownCommand} completion --help\` shows how to install it.`,
  });
}
