// `standpipe litemcp serve`: serves one tool of an MCP server as LiteMCP. The protocol uses stdin and stdout.

import { ownCommand } from '../../../base/own-command.ts';
import { framingByName } from '../../../wire/framing/by-name.ts';
import { type CommandBody, type CommandModule, invalidOption } from '../invocation.ts';
import { serverOfCommand } from '../servers/server-command.ts';
import { addServerOptions, examples, serverOptions } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  const serve = command
    .command('serve')
    .description('start the MCP server after -- and serve one of its tools')
    .requiredOption('--tool <name>', 'tool to serve');
  addServerOptions(serve);
  examples(command, 'litemcp serve --tool add -- node server.mjs');
  serve.action(run(serveTool));
};

const serveTool: CommandBody = async ({ serverCommand, settings, signal }, _words, options) => {
  if (!serverCommand) {
    throw invalidOption('No server was given', `${ownCommand} litemcp serve --tool NAME -- <command …>`);
  }
  const { command, args, env, cwd, secrets, framing, startupTimeoutMs, requestTimeoutMs } = serverOfCommand(
    serverCommand,
    serverOptions(options),
    settings,
  );
  const { serveMcpToolAsLiteMcp } = await import('../../../connect/litemcp-bridges.ts');
  const { tool } = options as { tool: string };
  const framed = framing === undefined ? {} : { framing: framingByName(framing) };
  const target = { command, args, env, cwd, secrets, ...framed, stderr: 'inherit' as const };
  const serving = serveMcpToolAsLiteMcp({ ...target, tool, startupTimeoutMs, requestTimeoutMs, signal });
  const lost = await serving; // resolves when the signal aborts or the MCP server is lost
  signal.throwIfAborted();
  if (lost) throw lost;
  return undefined;
};
