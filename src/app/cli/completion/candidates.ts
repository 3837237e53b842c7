// Completes the words of a command line from the Commander definitions: by the choices of an option or argument, or by its name in the
// help (`<file>`, `<server>`). Names with special shell characters are not suggested; they can be typed in quotes.

import type { Argument, Command, Option } from 'commander';
import { systemClock } from '../../../base/clock.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { SILENT, within } from '../../../base/wait.ts';
import { hostIds } from '../../../config/hosts/host-program.ts';
import type { ServerClient } from '../../../host/services/typed-client.ts';
import { alternatives, propertiesOf } from '../../../mcp/schema-alternatives.ts';
import type { JsonSchema } from '../../../mcp/types.ts';
import { keptRecordings } from '../../../observe/record/kept-recordings.ts';
import { shellScripts } from '../commands/completion.ts';
import type { Settings } from '../invocation.ts';
import { makeProgram } from '../run-command.ts';
import { loadServers } from '../servers/own-host.ts';
import { findRunningHost } from '../servers/running-host.ts';
import { detachedTasks, ownPartOf } from '../tasks/detached-tasks.ts';
import { type RememberedTool, recallTools } from './remembered-tools.ts';

interface Candidate {
  word: string;
  about?: string | undefined;
}

/** The shell completes file names after the prefix. */
interface Files {
  filesBehind: string;
}

type Answer = Candidate[] | Files;

const files: Files = { filesBehind: '' };

/** Source of candidates for a value, by its name in the help. */
const values: Readonly<Record<string, Answer>> = {
  config: files,
  file: files,
  folder: files,
  path: files,
  json: { filesBehind: '@' },
  time: words('500ms', '10s', '1m', '5m'),
  shell: words(...Object.keys(shellScripts)),
};

/** `line`: the words after `standpipe`; the last one is being typed. */
export async function candidates(
  line: readonly string[],
  open: (settings: Settings) => Promise<Sources>,
): Promise<Answer> {
  const current = line.at(-1) ?? '';
  const before = line.slice(0, -1);
  if (before.includes('--')) return files;
  const program = await makeProgram(before, () => async () => undefined);
  const { path, given, option } = readWords(before, program);
  const command = path.at(-1)!;
  if (option) return fitting(await ofOption(option, before), current);
  if (current.startsWith('-')) {
    const options = [...command.commands, ...path.toReversed()].flatMap((each) => each.options);
    const shown = options.filter(({ hidden, long }) => !hidden && long !== '--version');
    return fitting(words(...shown.map(({ long }) => long ?? ''), '--help'), current);
  }
  if (given.length === 0 && command.commands.length > 0) return fitting(namesOf(command), current);
  if (command === program) return given[0] === 'help' ? fitting(namesOf(program), current) : [];
  const file = before[before.lastIndexOf('--config') + 1];
  const settings = { config: before.includes('--config') ? file : undefined, discover: before.includes('--discover') };
  const sources = await open(settings);
  try {
    return fitting(await ofArgument(command, given, current, sources), current);
  } finally {
    await sources.close();
  }
}

/** The program, the named commands, their arguments, and an option whose value comes next. */
function readWords(before: readonly string[], program: Command) {
  const path = [program];
  const given: string[] = [];
  let option: Option | undefined;
  for (const word of before) {
    const child = path.at(-1)!.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (option) option = undefined;
    else if (word.startsWith('-'))
      option = path.flatMap(({ options }) => options).find((each) => takesValue(each, word));
    else if (child && given.length === 0) path.push(child);
    else given.push(word);
  }
  return { path, given, option };
}

function takesValue(option: Option, word: string): boolean {
  return [option.short, option.long].includes(word) && (option.required || option.optional);
}

async function ofOption({ long, flags, argChoices }: Option, before: readonly string[]): Promise<Answer> {
  if (/^--(?:only|skip|rule)$/.test(long ?? '')) return namesOfRules(before, long!);
  return argChoices ? words(...argChoices) : (values[/[<[](.+)[>\]]/.exec(flags)?.[1] ?? ''] ?? []);
}

async function ofArgument(command: Command, given: string[], current: string, sources: Sources): Promise<Answer> {
  const known: readonly Argument[] = command.registeredArguments;
  const last = known.at(-1);
  const name = (known[given.length] ?? (last?.variadic ? last : undefined))?.name() ?? '';
  const hosts = hostIds.filter((id) => id.startsWith(current));
  switch (name) {
    case 'words':
      return ofWords(command.name(), given, current, sources);
    case 'server': {
      // `import` and `install` accept servers of another host.
      if (known[0]!.name() === 'host' && command.name() !== 'export') return [];
      const servers = await sources.servers();
      return words(...servers.filter((each) => !given.includes(each)));
    }
    case 'task':
      return sources.tasks();
    case 'host':
      return current !== '' && hosts.length === 0 ? files : words(...hosts);
    case 'what': {
      const servers = await sources.servers().catch(() => []);
      return namesOrFiles([...servers, ...(await sources.recordings())], current);
    }
    case 'recording':
    case 'before':
    case 'after': {
      const kept = await sources.recordings();
      return command.name() === 'rm'
        ? words(...kept.filter((each) => !given.includes(each)))
        : namesOrFiles(kept, current);
    }
    default:
      return values[name] ?? [];
  }
}

/** Completes with names; if no name begins with the word, with files. */
function namesOrFiles(names: readonly string[], current: string): Answer {
  const meant = names.filter((each) => each.startsWith(current));
  return meant.length > 0 ? words(...meant) : files;
}

/** Arguments of commands whose first argument is a server. */
async function ofWords(command: string, given: string[], current: string, sources: Sources): Promise<Answer> {
  const [server, name] = given;
  if (command === 'call') return ofCall(given, current, sources);
  if (server === undefined) return words(...(await sources.servers()));
  if (command === 'read' && name === undefined) return words(...(await sources.resources(server)));
  if (command !== 'prompt') return [];
  const prompts = await sources.prompts(server);
  if (name === undefined) return words(...prompts.map((prompt) => prompt.name));
  const names = prompts.find((prompt) => prompt.name === name)?.arguments?.map((each) => `${each.name}=`) ?? [];
  return words(...names.filter((each) => !given.some((word) => word.startsWith(each))));
}

async function ofCall(given: string[], current: string, sources: Sources): Promise<Answer> {
  const [first, second, ...rest] = given;
  const servers = await sources.servers();
  if (first === undefined) {
    if (!current.includes('/')) return words(...servers);
    return (await sources.allTools()).map(({ server, tool }) => ({
      word: `${server}/${tool.name}`,
      about: tool.description,
    }));
  }
  if (servers.includes(first)) {
    const tools = await sources.tools(first);
    if (second === undefined) return tools.map(({ name, description }) => ({ word: name, about: description }));
    return ofTool(
      tools.find(({ name }) => name === second),
      rest,
      current,
    );
  }
  const all = await sources.allTools();
  const found = all.find(({ server, tool }) => `${server}/${tool.name}` === first || tool.name === first);
  return ofTool(found?.tool, given.slice(1), current);
}

function ofTool(tool: RememberedTool | undefined, given: readonly string[], current: string): Answer {
  if (!tool) return [];
  const properties = propertiesOf(tool.inputSchema);
  const [, name, value] = /^([^=]+)=(.*)$/.exec(current) ?? [];
  if (name === undefined) {
    const left = Object.keys(properties).filter((each) => !given.some((word) => word.startsWith(`${each}=`)));
    return left.map((each) => ({
      word: `${each}=`,
      about: (properties[each] as JsonSchema | undefined)?.description as string,
    }));
  }
  if (value!.startsWith('@')) return { filesBehind: `${name}=@` };
  const choices = alternatives(properties[name], tool.inputSchema).flatMap((schema) =>
    Array.isArray(schema.enum) ? schema.enum : schema.type === 'boolean' ? [true, false] : [],
  );
  return words(...choices.map((choice) => `${name}=${choice}`));
}

async function namesOfRules(before: readonly string[], option: string): Promise<Candidate[]> {
  const { rulesOf } = await import('../../../check/checks.ts');
  const has = (word: string) => before.includes(word);
  const rules = rulesOf(has('--client') ? 'client' : 'server', has('--litemcp') ? 'litemcp' : 'mcp');
  const families = option === '--rule' ? [] : [...new Set(rules.map(({ id }) => id.split('/')[0]!))];
  return [...words(...families), ...rules.map(({ id, title }) => ({ word: id, about: title }))];
}

function namesOf({ commands }: Command): Candidate[] {
  return commands.map((command) => ({ word: command.name(), about: command.description() }));
}

function words(...list: string[]): Candidate[] {
  return list.map((word) => ({ word }));
}

function fitting(answer: Answer, current: string): Answer {
  if (!Array.isArray(answer)) return answer;
  const safe = /^[\p{L}\p{N}_@./:=+,%~-]+$/u;
  return answer.filter(({ word }) => word.startsWith(current) && safe.test(word));
}

export interface Sources {
  servers(): Promise<string[]>;
  tools(server: string): Promise<RememberedTool[]>;
  allTools(): Promise<{ server: string; tool: RememberedTool }[]>;
  resources(server: string): Promise<string[]>;
  prompts(server: string): Promise<{ name: string; arguments?: { name: string }[] }[]>;
  tasks(): Candidate[];
  /** The names of kept recordings. */
  recordings(): Promise<string[]>;
  close(): Promise<void>;
}

/** Limit for the answer from a host, because the user is typing. */
const PATIENCE_MS = 5_000;

/** Resolves to undefined after a failure or a timeout. */
async function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  const value = await within(
    systemClock,
    PATIENCE_MS,
    answer.catch(() => undefined),
  );
  return value === SILENT ? undefined : value;
}

/** Reads from the running host, or from the config and the cache. Never starts a server. */
async function completionSources(settings: Settings): Promise<Sources> {
  const host = await inTime(findRunningHost(settings));
  const running = host && (await inTime(host.status()))?.servers;
  const isReady = (server: string) => running?.some(({ name, state }) => name === server && state === 'ready');
  const ask = async <T>(server: string, from: (client: ServerClient) => Promise<T>, otherwise: T): Promise<T> =>
    (host && isReady(server) ? await inTime(from(host.client(server))) : undefined) ?? otherwise;
  const sources: Sources = {
    async servers() {
      return (running ?? (await loadServers(settings)).servers).map(({ name }) => name);
    },
    tools: (server) =>
      ask(server, async (client) => (await client.listTools()).tools, recallTools(settings)[server] ?? []),
    async allTools() {
      const lists = await Promise.all(
        (await sources.servers()).map(async (server) =>
          (await sources.tools(server)).map((tool) => ({ server, tool })),
        ),
      );
      return lists.flat();
    },
    resources: (server) =>
      ask(server, async (client) => (await client.listResources()).resources.map(({ uri }) => uri), []),
    prompts: (server) => ask(server, async (client) => (await client.listPrompts()).prompts, []),
    tasks: () =>
      detachedTasks().map(({ server, tool, task }) => ({ word: ownPartOf(task.taskId), about: `${server}/${tool}` })),
    recordings: async () => (await keptRecordings().catch(() => [])).map(({ name }) => name),
    close: async () => void (host && (await inTime(host.close()))),
  };
  return sources;
}

/**
 * Answers a completion request of a shell: one candidate per line, with a description after a tab. Errors are not printed, because the user is
 * typing.
 */
export async function answerShell(line: readonly string[]): Promise<void> {
  try {
    const answer = await candidates(wordsOf(line), completionSources);
    const lines = Array.isArray(answer)
      ? answer.map(({ word, about }) => (about ? `${word}\t${visibleLine(about).slice(0, 80)}` : word))
      : [`:files ${answer.filesBehind}`];
    if (lines.length > 0) process.stdout.write(`${[...new Set(lines)].join('\n')}\n`);
  } catch {
    // no suggestions; an error cannot be shown
  }
}

/** The words themselves, or one argument `--hex=…`: UTF-8 in hexadecimal digits, with a NUL between words. */
function wordsOf(line: readonly string[]): readonly string[] {
  const hex = line.length === 1 && /^--hex=([\da-f]*)$/i.exec(line[0]!)?.[1];
  return typeof hex === 'string' ? Buffer.from(hex, 'hex').toString().split('\0') : line;
}
