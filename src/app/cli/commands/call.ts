// `standpipe call`: calls a tool.

import { StandpipeError } from '../../../base/errors.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { HostAccess } from '../../../host/control/host-access.ts';
import type { ServerClient } from '../../../host/services/typed-client.ts';
import type { CallHandle } from '../../../mcp/extensions/default-extensions.ts';
import { RAN } from '../../../mcp/meta.ts';
import { passOn, withheldVariable } from '../../../wire/diagnosis/withheld-variable.ts';
import { childEnvironment, withheldNames } from '../../../wire/process/launch/environment.ts';
import { addFleetOptions } from '../fleet/fleet-options.ts';
import type { CommandBody, CommandModule, Invocation } from '../invocation.ts';
import { printCall } from '../output/call-result.ts';
import { checkOutput } from '../output/content.ts';
import { type FoundTool, findTool } from '../servers/find-tool.ts';
import { withHost } from '../servers/reach-host.ts';
import { followTask, resultOf, TaskInterrupt, taskName } from '../tasks/follow-task.ts';
import { readArguments } from '../values/arguments.ts';
import { readPositional } from '../values/word.ts';
import { addAddressOptions, addServerOptions, help, serverOptions } from './server-options.ts';

interface Options {
  args?: string;
  check: boolean;
  detach?: boolean;
  output?: string;
  repeatable?: boolean;
}

export const define: CommandModule['define'] = (command, run) => {
  command
    .usage('<server> <tool> [name=value …] [options]')
    .argument('[words...]', 'server, tool and arguments of the tool')
    .option('--args <json>', 'all arguments as JSON; @file reads a file, - reads stdin')
    .option('--no-check', 'send the arguments without checking them')
    .option('--detach', 'leave the call running as a task, and print its id')
    .option('--output <path>', 'save images, audio and files of the result here')
    .option('--repeatable', 'allow a retry if the server exits during the call');
  addFleetOptions(addAddressOptions(addServerOptions(command)));
  help(
    command,
    `Arguments are converted to the types in the schema of the tool:
  name=value      a value; repeat it for a list
  name:=json      JSON, regardless of the schema
  name=@file      content of the file; @- is stdin, @@text is the text @text
  a.b=value       inside an object
  -               all arguments as one JSON object on stdin
A LiteMCP server has one tool and takes values by position.`,
    'call weather forecast city=Oslo days=3',
    'call weather/forecast city=Oslo --json',
    'call search filter.tags=a filter.tags=b options:=\'{"deep": true}\'',
    'call files write path=notes.md content=@notes.md',
    'call add a=2 b=3 -- node server.mjs',
    'call add a=2 b=3 --url http://127.0.0.1:3000/mcp',
    "call https://example.com/mcp add a=2 --header 'X-Key: ${KEY}'",
    'call calculator 2 3',
    'call files list --join nats://127.0.0.1',
    'call studio render --detach',
  );
  command.action(run(call));
};

const call: CommandBody = async (given, words, options) => {
  const { args, check, detach, repeatable, output } = options as unknown as Options;
  await checkOutput(output);
  const interrupt = new TaskInterrupt(given.signal, given.out);
  const invocation = { ...given, signal: interrupt.signal };
  return withHost(invocation, serverOptions(options), async (reached) => {
    const { settings, signal, out } = invocation;
    const { host, unanswered } = reached;
    const detaching = detach ? await import('../tasks/detach.ts') : undefined;
    await detaching?.prepareDetach(invocation, serverOptions(options), reached, words);
    const found = await findTool(reached, words, settings);
    const { server } = found;
    const tool = found.tool.name;
    const input = await readInput(found, args, check);
    const place = await detaching?.lastingPlace(invocation, serverOptions(options), reached, server);
    out.activity.begin(`calling ${server}/${tool}`);
    const stderr = stderrOfCall(host, server);
    const hintFor = (text: string) => hintOfVariable(text, invocation, serverOptions(options).env);
    const wantsOrigin = out.json || settings.verbose;
    const failed = async (error: unknown) => withStderr(error, await stderr(), hintFor);
    const begin = (client: ServerClient) =>
      client
        .callTool(tool, input, {
          task: 'handle',
          timeoutMs: settings.timeoutMs,
          signal,
          repeatable,
          ...(wantsOrigin && { meta: { [RAN]: true } }),
          onProgress: (progress) => out.activity.progress(progress),
        })
        .catch(failed);
    const print = async (handle: CallHandle) => {
      const result = await resultOf(handle).catch(failed);
      return printCall(handle, result, { host, server, tool, output, unanswered, stderr, hintFor }, invocation);
    };
    if (detaching && place) {
      return host.direct(server, async (client) => {
        const handle = await begin(client);
        if (handle.taskId !== '') return detaching.leaveTask(handle, server, place, out);
        out.say('The server answered at once: there is no task.');
        return print(handle);
      });
    }
    const handle = await begin(host.client(server));
    const following = { server, tool, out, unanswered };
    if (handle.taskId !== '') {
      const followed = () => followTask(handle, following).catch(failed);
      await interrupt.during(handle, taskName(handle, following), followed);
    }
    return print(handle);
  });
};

async function readInput({ tool, protocol, words }: FoundTool, args: string | undefined, check: boolean) {
  const schema = tool.inputSchema;
  const name = visibleLine(tool.name);
  const byPosition = protocol === 'litemcp' && args === undefined ? await readPositional(words, tool) : undefined;
  const options = { tool: name, schema, args, unchecked: !check, typesAreHints: protocol === 'litemcp' };
  return byPosition ?? readArguments(words, options);
}

/**
 * Explains how to pass on a variable that is set here and was not passed to the server after `--`, if the server names it in its error or
 * stderr. If the server does not start, the diagnosis has this hint. `env`: the `--env` options.
 */
function hintOfVariable(text: string, { serverCommand }: Invocation, env: readonly string[] = []): string | undefined {
  if (serverCommand === undefined) return undefined;
  const passed = childEnvironment(Object.fromEntries(env.map((word) => [word.split('=')[0]!, ''])));
  const name = withheldVariable(text, withheldNames(passed));
  return name === undefined ? undefined : passOn(name);
}

/**
 * The stderr of a server during a failed call, which often shows the reason. It may belong to another call at the same time. Must be called
 * before the call is sent. If stderr is not available, the error is unchanged.
 */
function stderrOfCall(host: HostAccess, server: string): () => Promise<string> {
  const before = host.status().catch(() => undefined);
  return async () => {
    const since = (await before)?.lastSeq;
    if (since === undefined) return '';
    return host.control('standpipe/logs', { server, since }).then(
      ({ text }) => text,
      () => '',
    );
  };
}

/**
 * Throws the error. Adds stderr to its evidence unless the error has stderr already, and the hint that follows from
 * stderr or the message, if any.
 */
function withStderr(error: unknown, stderrTail: string, hintFor: (text: string) => string | undefined): never {
  if (!(error instanceof StandpipeError)) throw error;
  const hint = hintFor(`${stderrTail}\n${error.message}`);
  const evidence = { phase: 'running', ...error.evidence, stderrTail };
  const isNew = stderrTail !== '' && !error.evidence?.stderrTail;
  throw Object.assign(error, hint !== undefined && { hint }, isNew && { evidence });
}
