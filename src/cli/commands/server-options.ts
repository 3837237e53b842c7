// The options of a server behind `--`, for every command that can start one.

import { type Command, Option } from 'commander';
import type { ServerCommandOptions } from '../reach/server-command.ts';

export function addServerOptions(command: Command): Command {
  return command
    .option('--env <name=value>', 'a variable for the server behind --; repeatable', collect)
    .option('--cwd <folder>', 'the folder that the server behind -- runs in')
    .addOption(new Option('--protocol <name>', 'what the server behind -- speaks').choices(['mcp', 'litemcp']))
    .option('--framing <name>', 'how the server behind -- parts its messages');
}

export function serverOptions(options: Record<string, unknown>): ServerCommandOptions {
  return options as ServerCommandOptions;
}

export function examples(command: Command, ...lines: string[]): void {
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ standpipe ${line}`).join('\n')}`);
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
