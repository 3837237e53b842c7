// The error for a command line that cannot be parsed. Its hint suggests a similar word, or the command for a name that other programs
// use; otherwise it points to the help.

import { type Command, CommanderError } from 'commander';
import { shellWord, shellWords } from '../../base/command-line.ts';
import { UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { nearest } from '../../config/nearest.ts';
import { commandNamed } from './command-table.ts';
import { ExitCode, Interrupted } from './exit-code.ts';

/** Names that other programs use, by our command for the same purpose. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  up: ['serve', 'server', 'run', 'host', 'daemon', 'launch', 'gateway'],
  add: ['install', 'create', 'new', 'register'],
  down: ['shutdown', 'quit'],
  ls: ['list', 'ps', 'stat', 'status', 'servers', 'nodes'],
  tools: ['list-tools', 'describe'],
  call: ['invoke', 'exec', 'execute'],
  tasks: ['jobs', 'job', 'wait', 'cancel'],
  read: ['get', 'cat', 'resource', 'resources'],
  prompt: ['prompts', 'get-prompt'],
  check: ['test', 'validate', 'verify', 'lint', 'conformance'],
  inspect: ['inspector', 'ui', 'dashboard', 'debug', 'web'],
  tap: ['proxy', 'record', 'sniff', 'trace'],
  rm: ['delete', 'uninstall'],
  login: ['auth', 'authorize'],
  types: ['typescript', 'codegen', 'generate'],
};

/** Returns undefined if help or the version was printed. */
export function readCommanderError(thrown: unknown, words: readonly string[], program: Command | undefined): unknown {
  if (!(thrown instanceof CommanderError)) return thrown;
  if (thrown.exitCode === 0) return undefined;
  if (thrown.code === 'commander.help') return new Interrupted('No command was given', ExitCode.usage);
  const message = thrown.message.replace(/^error: /, '');
  const code = thrown.code === 'commander.unknownCommand' ? 'NAME_UNKNOWN' : 'INVALID_OPTION';
  const wanted = wantedCommand(words);
  const quoted = /'([^']*)'/.exec(message)?.[1] ?? '';
  const usage = thrown.code === 'commander.unknownCommand' ? undefined : wanted;
  const hint =
    (thrown.code === 'commander.unknownCommand' ? commandMeant(quoted, words, program) : undefined) ??
    (thrown.code === 'commander.unknownOption' ? optionMeant(quoted, words, program) : undefined) ??
    misplacedHint(thrown.code, words) ??
    (usage === undefined
      ? `\`${ownCommand} --help\` lists the commands.`
      : `\`${ownCommand} ${usage} --help\` shows its arguments and options.`);
  return new UsageError(code, `${message.charAt(0).toUpperCase()}${message.slice(1)}`, { hint });
}

/** The first word that is not an option or the value of an option. */
export function wantedCommand(words: readonly string[]): string | undefined {
  const plain = plainWords(words);
  return plain[0] === 'help' ? plain[1] : plain[0];
}

/** Commander prints the whole help for `help <unknown>`. */
export function refuseUnknownHelp(words: readonly string[]): void {
  const [first, wanted] = plainWords(words);
  if (first !== 'help' || wanted === undefined || wanted === 'help' || commandNamed(wanted) !== undefined) return;
  throw new CommanderError(ExitCode.usage, 'commander.unknownCommand', `error: unknown command '${wanted}'`);
}

function plainWords(words: readonly string[]): string[] {
  const takesValue = new Set(['--config', '--node', '--timeout']);
  return words.filter((word, at) => !word.startsWith('-') && !takesValue.has(words[at - 1] ?? ''));
}

export function isAddress(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

function commandMeant(word: string, words: readonly string[], program: Command | undefined): string | undefined {
  if (word === 'version') return 'Did you mean "--version"?';
  const parent = commandsOf(words, program).findLast(({ commands }) => commands.length > 0);
  const isTop = parent === undefined || parent === program;
  const other = isTop ? Object.keys(otherWords).find((name) => otherWords[name]!.includes(word)) : undefined;
  const names = (parent?.commands ?? []).map((each) => each.name());
  const name = other !== undefined && names.includes(other) ? other : nearest(word, names);
  const found = parent?.commands.find((each) => each.name() === name);
  return found && `Did you mean "${found.name()}" (${found.description()})?`;
}

function optionMeant(given: string, words: readonly string[], program: Command | undefined): string | undefined {
  const [option = ''] = given.split('=');
  const bare = (name: string) => name.replace(/^-+/, '');
  const names = optionsOf(words, program).map(bare);
  const near = option.startsWith('--') ? nearest(bare(option), names) : undefined;
  const guess = near === undefined ? undefined : `Did you mean "--${near}"?`;
  const wanted = wantedCommand(words);
  if (wanted !== 'call' && wanted !== 'prompt') return guess;
  const argument = `Arguments of a ${wanted === 'call' ? 'tool' : 'prompt'} are written without dashes: ${asArgument(given, words)}`;
  return guess === undefined ? argument : `${guess} ${argument}`;
}

/** Rewrites `--city Oslo` and `--city=Oslo` as `city=Oslo`, and `--force` as `force=true`. */
function asArgument(given: string, words: readonly string[]): string {
  const [name = '', ...rest] = given.replace(/^-+/, '').split('=');
  const next = words[words.indexOf(given) + 1];
  const isValue = next !== undefined && !next.startsWith('-') && !next.includes('=');
  return shellWord(`${name}=${rest.length > 0 ? rest.join('=') : isValue ? next : 'true'}`);
}

function optionsOf(words: readonly string[], program: Command | undefined): string[] {
  const options = commandsOf(words, program).flatMap((command) => command.options);
  return ['--help', ...options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))];
}

/** The program, the command that the words name, and its subcommand. */
function commandsOf(words: readonly string[], program: Command | undefined): Command[] {
  const found: Command[] = [];
  let rest = words;
  for (let command = program; command; ) {
    found.push(command);
    const named: readonly Command[] = command.commands;
    const at = rest.findIndex((word) => named.some((each) => isNamed(each, word)));
    command = named.find((each) => isNamed(each, rest[at]));
    rest = rest.slice(at + 1);
  }
  return found;
}

function isNamed(command: Command, word: string | undefined): boolean {
  return word !== undefined && (command.name() === word || command.aliases().includes(word));
}

function misplacedHint(code: string, words: readonly string[]): string | undefined {
  const wanted = wantedCommand(words);
  const isExcess = code === 'commander.excessArguments';
  if (wanted === 'add' && (isExcess || code === 'commander.unknownOption')) {
    return `Write the command of a server after --: ${ownCommand} add <name> -- <command …>`;
  }
  if (!isExcess) return undefined;
  if (words.some(isAddress)) {
    const ofConfig = wanted === 'up' || wanted === 'ls';
    return ofConfig
      ? `This command uses the servers of the config. Add this one first: ${ownCommand} add <name> <url>`
      : undefined;
  }
  if (!takesServer(words[0])) return undefined;
  return `Write the command of a server after --: ${ownCommand} ${words[0]} -- ${shellWords(words.slice(1))}`;
}

function takesServer(command: string | undefined): boolean {
  return command === 'tools' || command === 'types';
}
