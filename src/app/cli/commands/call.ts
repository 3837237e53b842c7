// `standpipe call`: calls a tool.

import { type ProcessIdentity, StandpipeError } from '../../../base/errors.ts';
import { visibleIndented, visibleLine } from '../../../base/terminal/visible.ts';
import type { ServerWarning } from '../../../host/control/control-methods.ts';
import type { HostAccess } from '../../../host/control/host-access.ts';
import { RAN } from '../../../mcp/meta.ts';
import type { CallToolResult } from '../../../mcp/types.ts';
import { passOn, withheldVariable } from '../../../wire/diagnosis/withheld-variable.ts';
import { childEnvironment, withheldNames } from '../../../wire/process/launch/environment.ts';
import { ExitCode } from '../exit-code.ts';
import { addFleetOptions } from '../fleet/fleet-options.ts';
import type { CommandBody, CommandModule, Invocation } from '../invocation.ts';
import { besideResult } from '../result/beside-result.ts';
import { errorText, printContent } from '../result/print-content.ts';
import { checkOutput } from '../result/save-content.ts';
import { type FoundTool, findTool } from '../servers/find-tool.ts';
import { type Reached, withHost } from '../servers/reach-host.ts';
import { reportWarnings } from '../servers/server-reports.ts';
import { stderrTailLines } from '../show-error.ts';
import { readArguments } from '../values/arguments.ts';
import { readPositional } from '../values/positional.ts';
import { addAddressOptions, addServerOptions, examples, serverOptions } from './server-options.ts';

interface Options {
  args?: string;
  check: boolean;
  output?: string;
  repeatable?: boolean;
}

export const define: CommandModule['define'] = (command, run) => {
  command
    .usage('<server> <tool> [name=value …] [options]')
    .argument('[words...]', 'server, tool and arguments of the tool')
    .option('--args <json>', 'all arguments as JSON; @file reads a file, - reads stdin')
    .option('--no-check', 'send the arguments without checking them')
    .option('--output <path>', 'save images, audio and files of the result here')
    .option('--repeatable', 'allow a retry if the server exits during the call');
  addFleetOptions(addAddressOptions(addServerOptions(command)));
  command.addHelpText(
    'after',
    `
Arguments are converted to the types in the schema of the tool:
  name=value      a value; repeat it for a list
  name:=json      JSON, regardless of the schema
  name=@file      content of the file; @- is stdin, @@text is the text @text
  a.b=value       inside an object
  -               all arguments as one JSON object on stdin
A LiteMCP server has one tool and takes values by position.`,
  );
  examples(
    command,
    'call weather forecast city=Oslo days=3',
    'call weather/forecast city=Oslo --json',
    'call search filter.tags=a filter.tags=b options:=\'{"deep": true}\'',
    'call files write path=notes.md content=@notes.md',
    'call add a=2 b=3 -- node server.mjs',
    'call add a=2 b=3 --url http://127.0.0.1:3000/mcp',
    "call https://example.com/mcp add a=2 --header 'X-Key: ${KEY}'",
    'call calculator 2 3',
    'call files list --join nats://127.0.0.1',
  );
  command.action(run(call));
};

const call: CommandBody = async (invocation, words, options) => {
  const { args, check, repeatable, output } = options as unknown as Options;
  await checkOutput(output);
  return withHost(invocation, serverOptions(options), async (reached) => {
    const found = await findTool(reached, words, invocation.settings);
    const { settings, signal, out } = invocation;
    const input = await readInput(found, args, check);
    out.activity.begin(`calling ${found.server}/${found.tool.name}`);
    const stderr = stderrOfCall(reached.host, found.server);
    const hintFor = (text: string) => hintOfVariable(text, invocation, serverOptions(options).env);
    const wantsOrigin = out.json || settings.verbose;
    let sent: unknown;
    const result = await reached.host
      .client(found.server)
      .callTool(found.tool.name, input, {
        timeoutMs: settings.timeoutMs,
        signal,
        repeatable,
        ...(wantsOrigin && { meta: { [RAN]: true } }),
        onProgress: (progress) => out.activity.progress(progress),
        onAnswer: (answer) => (sent = answer),
      })
      .catch(async (error) => withStderr(error, await stderr(), hintFor));
    const written = result.isError ? await stderr() : '';
    const hint = result.isError ? hintFor(`${written}\n${errorText(result)}`) : undefined;
    out.activity.end();
    const warned = await reportWarnings(reached.host, [found.server], out);
    return show(
      result,
      sent as CallToolResult,
      found,
      output,
      {
        ...(written && { stderr: written }),
        ...(hint && { hint }),
        ...warned,
        ...unansweredOf(reached),
        ...originOf(result),
      },
      invocation,
    );
  });
};

async function readInput({ tool, protocol, words }: FoundTool, args: string | undefined, check: boolean) {
  const schema = tool.inputSchema;
  const name = visibleLine(tool.name);
  const byPosition = protocol === 'litemcp' && args === undefined ? await readPositional(words, tool) : undefined;
  return (
    byPosition ??
    readArguments(words, {
      ...{ tool: name, schema, args, unchecked: !check },
      typesAreHints: protocol === 'litemcp',
    })
  );
}

function unansweredOf({ unanswered }: Reached): { unanswered?: Reached['unanswered'] } {
  return unanswered.length > 0 ? { unanswered } : {};
}

/** The process that answered, and in a fleet its node and the generation of its claim. */
function originOf({ _meta }: CallToolResult): { ran?: ProcessIdentity } {
  const ran = _meta?.[RAN] as ProcessIdentity | undefined;
  return ran ? { ran } : {};
}

/** The result as the server sent it, without the origin that this command requested. */
function withoutOrigin({ _meta: { [RAN]: _ran, ...meta } = {}, ...result }: CallToolResult): object {
  return Object.keys(meta).length > 0 ? { ...result, _meta: meta } : result;
}

function originText({ server, pid, node, claim }: ProcessIdentity): string {
  const where = node === undefined ? '' : ` on node ${node}`;
  const generation = claim === undefined ? '' : `, generation ${claim}`;
  return visibleLine(`Answered by ${server}${where}${pid === null ? '' : `, process ${pid}`}${generation}`);
}

interface More {
  stderr?: string;
  hint?: string;
  warnings?: ServerWarning[];
  unanswered?: Reached['unanswered'];
  ran?: ProcessIdentity;
}

async function show(
  result: CallToolResult,
  sent: CallToolResult,
  { server, tool }: FoundTool,
  output: string | undefined,
  more: More,
  { out, settings }: Invocation,
): Promise<number> {
  const { isError = false, content, structuredContent } = result;
  const saved = isError ? [] : await printContent(content, structuredContent, output, out);
  if (out.json) out.document(besideResult(withoutOrigin(sent), { server, tool: tool.name, isError, saved, ...more }));
  if (settings.verbose && more.ran && !out.json) out.say(originText(more.ran));
  if (!isError) return ExitCode.done;
  out.say(`${out.paintError('red', 'The tool reports an error:')} ${visibleIndented(errorText(result))}`);
  for (const line of stderrTailLines(more.stderr ?? '')) out.say(out.paintError('dim', line));
  if (more.hint) out.say(`${out.paintError('cyan', 'hint:')} ${visibleLine(more.hint)}`);
  return ExitCode.toolError;
}

/**
 * Tells how to pass on a variable that is set here and was not passed to the server after `--`, if the server names it in its error or
 * stderr. If the server does not start, the diagnosis has this hint. `env`: the `--env` options.
 */
function hintOfVariable(
  text: string,
  { serverCommand }: Pick<Invocation, 'serverCommand'>,
  env: readonly string[] = [],
): string | undefined {
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

/** Throws the error, with stderr added to its evidence unless it has some, and with the hint for both texts if there is one. */
function withStderr(
  error: unknown,
  stderrTail: string,
  hintFor: (text: string) => string | undefined = () => undefined,
): never {
  const hint = error instanceof StandpipeError ? hintFor(`${stderrTail}\n${error.message}`) : undefined;
  if (hint !== undefined) Object.assign(error as StandpipeError, { hint });
  if (error instanceof StandpipeError && stderrTail !== '' && !error.evidence?.stderrTail) {
    Object.assign(error, { evidence: { phase: 'running', ...error.evidence, stderrTail } });
  }
  throw error;
}
