// Runs a command line and exits with its exit code. Only the named command is loaded. The process exits after its output was
// written, and reports output that could not be written.

import type { Writable } from 'node:stream';
import { type Argument, Command, type HelpConfiguration, type Option } from 'commander';
import { ownCommand } from '../../base/own-command.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import { commandGroups, commandNamed } from './command-table.ts';
import { ExitCode, exitCodeOf, Interrupted, interruptSignal } from './exit-code.ts';
import type { RunCommand } from './invocation.ts';
import { durationOf, type Settings } from './invocation.ts';
import { Output } from './output/output.ts';
import { isAddress, readCommanderError, refuseUnknownHelp, wantedCommand } from './usage-error.ts';

/** Calls `listening` as soon as signals are handled here, so that the caller can remove its own handlers. */
export async function runCommand(words: readonly string[], listening: () => void): Promise<void> {
  const { stdout, stderr, env } = process;
  const signal = interruptSignal();
  const findLost = lostOutput({ stdout, stderr });
  listening();
  const out = new Output({ stdout, stderr, env, json: splitAtServer(words).ours.includes('--json') });
  let exitCode = await executeCommand(words, out, signal);
  await Promise.all([stdout, stderr].map(flushed));
  const lost = await findLost();
  if (lost !== undefined) {
    exitCode ||= ExitCode.usage; // the same exit code as for an --output file that cannot be written
    out.tell('error', lost);
    await flushed(stderr);
  }
  process.exit(exitCode);
}

/** Resolves to the exit code. Errors are printed. */
export async function executeCommand(words: readonly string[], out: Output, signal: AbortSignal): Promise<number> {
  const { ours, serverCommand } = splitAtServer(words);
  let exitCode: number = ExitCode.done;
  const run: RunCommand =
    (body) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const { timeout, ...options } = command.optsWithGlobals();
      const settings: Settings = { ...options, timeoutMs: timeout };
      await new Promise(setImmediate); // a signal that arrived while modules were loaded is handled now
      signal.throwIfAborted();
      const args = takeAddress(command, options, serverCommand);
      exitCode = (await body({ settings, serverCommand, out, signal }, args, options)) ?? ExitCode.done;
    };
  let program: Command | undefined;
  try {
    program = await makeProgram(ours, run, out);
    refuseUnknownHelp(ours);
    await program.parseAsync(ours, { from: 'user' });
  } catch (thrown) {
    const error = signal.aborted ? signal.reason : readCommanderError(thrown, ours, program);
    exitCode = error === undefined ? ExitCode.done : exitCodeOf(error);
    if (error !== undefined && !(error instanceof Interrupted)) {
      const { showError } = await import('./show-error.ts');
      showError(error, out, ours.includes('--verbose'));
    }
  } finally {
    out.activity.end();
  }
  return exitCode;
}

/** The words after the first `--` are the command of a server, including its options. */
export function splitAtServer(words: readonly string[]): { ours: string[]; serverCommand: string[] | undefined } {
  const at = words.indexOf('--');
  if (at < 0) return { ours: [...words], serverCommand: undefined };
  return { ours: words.slice(0, at), serverCommand: words.slice(at + 1) };
}

/** Accepts a URL in place of the server name, in commands with `--url`. */
function takeAddress(command: Command, options: Record<string, unknown>, serverCommand: unknown): string[] {
  const [first, ...rest] = command.args;
  const isGiven = options.url !== undefined || serverCommand !== undefined;
  const canBe = command.options.some(({ long }) => long === '--url');
  if (isGiven || !canBe || !isAddress(first ?? '')) return command.args;
  options.url = first;
  return rest;
}

/** The Commander program with the named command loaded. `run` makes its action. Without `out` the program is only inspected. */
export async function makeProgram(words: readonly string[], run: RunCommand, out?: Output): Promise<Command> {
  const program = new Command(ownCommand);
  program
    .description('Run, test, debug and share MCP and LiteMCP tool servers.')
    .showSuggestionAfterError(false)
    .usage('<command> [options]')
    .version(ownInfo.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .commandsGroup('Other:')
    .helpCommand('help [command]', 'show help for a command')
    .configureHelp(helpLayout)
    .option('--config <file>', 'use only this config file')
    .option('--discover', 'also use the config files of other hosts, such as Cursor')
    .option('--shared', 'act on the background host used by `share install`')
    .option('--node <name>', 'act on the host of this fleet node')
    .option('--json', 'print the result as JSON')
    .option('--verbose', 'print traffic and process events to stderr')
    .option('--timeout <time>', 'limit for each wait: 500ms, 30s, 2m', durationOf('--timeout'))
    .addHelpText('after', HELP);
  const wanted = commandNamed(wantedCommand(words));
  for (const [group, commands] of Object.entries(commandGroups)) {
    for (const [name, { summary, load, alias }] of Object.entries(commands)) {
      const command = program.command(name).description(summary).helpGroup(`${group}:`);
      if (alias !== undefined) command.alias(alias);
      if (name === wanted) (await load()).define(command, run);
    }
  }
  if (out) quiet(program, out);
  return program;
}

const helpLayout: HelpConfiguration = {
  showGlobalOptions: true,
  visibleGlobalOptions: ({ parent }) => (parent ? optionsOfAll(parent) : []),
  styleTitle: (title) => title.replace('Global Options', 'Common options'),
  subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(humanReadable)].join(' '),
  optionDescription: ({ description, argChoices }) =>
    argChoices ? `${description}: ${argChoices.join(', ')}` : description,
};

function optionsOfAll({ parent, options }: Command): Option[] {
  return parent ? optionsOfAll(parent) : options.filter(({ long }) => long !== '--version');
}

function humanReadable(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '…' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

const HELP = `
A server is a name from the config, a URL, or a command after \`--\`, which is
started for this command alone.

Examples:
  $ ${ownCommand} tools -- npx -y @modelcontextprotocol/server-everything
  $ ${ownCommand} call forecast city=Oslo -- node weather.mjs
  $ ${ownCommand} check -- python3 server.py
  $ ${ownCommand} add weather -- node weather.mjs
  $ ${ownCommand} up`;

/** Commander does not exit and does not print errors; help goes to stdout. */
function quiet(command: Command, out: Output): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => out.write(text),
    writeErr: (text) => out.say(text.trimEnd()),
    outputError: () => undefined,
    getOutHelpWidth: () => out.width,
    getErrHelpWidth: () => out.width,
  });
  for (const child of command.commands) quiet(child, out);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength === 0 || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('drain', resolve);
    stream.once('error', () => resolve());
    stream.write('', () => resolve());
  });
}

/** A closed terminal reports EIO. */
const leaving = new Set(['EPIPE', 'EIO']);

/**
 * Output that could not be written, for example to a full disk. A closed pipe (`| head`) is not an error. Listens from now on. The returned
 * function resolves to the message of the first error, after a turn for late events.
 */
function lostOutput(streams: Readonly<Record<string, Writable>>): () => Promise<string | undefined> {
  let lost: string | undefined;
  for (const [name, stream] of Object.entries(streams)) {
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (!leaving.has(code ?? '')) lost ??= `Cannot write to ${name}: ${message}`;
    });
  }
  return async () => {
    await new Promise(setImmediate); // a write to a file fails at once, but its stream emits the error after the current turn
    return lost;
  };
}
