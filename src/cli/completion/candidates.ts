// Completes the words of a command line. Names with special characters of shells are not suggested; they can be typed in quotes.

import { Command } from 'commander';
import { hostIds } from '../../config/hosts/host-program.ts';
import { remoteTransports } from '../../config/server-config.ts';
import { erasOfMcp, revisionsOfMcp } from '../../mcp/revisions.ts';
import { alternatives, propertiesOf } from '../../mcp/schema-alternatives.ts';
import type { JsonSchema } from '../../mcp/types.ts';
import { commandNamed, commandTable } from '../command-table.ts';
import type { Settings } from '../settings.ts';
import type { RememberedTool } from './remembered-tools.ts';
import type { Sources } from './sources.ts';

export interface Candidate {
  word: string;
  about?: string | undefined;
}

/** Completed by file names after the prefix. */
export interface Files {
  filesBehind: string;
}

export type Answer = Candidate[] | Files;

const globals = ['--config', '--discover', '--json', '--verbose', '--timeout', '--help'];
const values: Record<string, Answer> = {
  '--config': { filesBehind: '' },
  '--output': { filesBehind: '' },
  '--cwd': { filesBehind: '' },
  '--args': { filesBehind: '@' },
  '--record': { filesBehind: '' },
  '--protocol': words('mcp', 'litemcp'),
  '--timeout': words('500ms', '10s', '1m', '5m'),
  '--env': [],
  '--framing': [],
  '--url': [],
  '--header': [],
  '--transport': words(...remoteTransports),
  '--era': words('auto', ...erasOfMcp),
  '--revision': words(...revisionsOfMcp),
  '--tool': [],
  '--tokens': { filesBehind: '' },
  '--tls-cert': { filesBehind: '' },
  '--tls-key': { filesBehind: '' },
  '--server': [],
  '--scope': words('user', 'project'),
  '--junit': { filesBehind: '' },
  '--html': { filesBehind: '' },
  '--allow-calls': [],
  '--long-call': [],
  '--concurrency': [],
  '--only': [],
  '--skip': [],
  '--rule': [],
  '--join': [],
  '--fleet': [],
  '--nats-creds': { filesBehind: '' },
  '--nats-ca': { filesBehind: '' },
  '--nats-cert': { filesBehind: '' },
  '--nats-key': { filesBehind: '' },
};

/** `line`: the words after `standpipe`; the last one is being typed. */
export async function candidates(
  line: readonly string[],
  open: (settings: Settings) => Promise<Sources>,
): Promise<Answer> {
  const current = line.at(-1) ?? '';
  const before = line.slice(0, -1);
  if (before.includes('--')) return { filesBehind: '' };
  const previous = before.at(-1) ?? '';
  if (/^--(?:only|skip|rule)$/.test(previous)) return fitting(await namesOfRules(before, previous), current);
  const option = values[previous];
  if (option) return fitting(option, current);
  const plain = before.filter((word, at) => !word.startsWith('-') && !values[before[at - 1] ?? '']);
  const [word, ...given] = plain;
  const command = commandNamed(word) ?? word;
  if (current.startsWith('-')) return fitting(words(...(await optionsOf(command)), ...globals), current);
  if (command === undefined) {
    const commands = Object.entries(commandTable).map(([word, { summary }]) => ({ word, about: summary }));
    return fitting(commands, current);
  }
  const file = before[before.lastIndexOf('--config') + 1];
  const settings = { config: before.includes('--config') ? file : undefined, discover: before.includes('--discover') };
  const sources = await open(settings);
  try {
    return fitting(await ofCommand(command, given, current, sources), current);
  } finally {
    await sources.close();
  }
}

async function ofCommand(command: string, given: string[], current: string, sources: Sources): Promise<Answer> {
  const [server, name] = given;
  switch (command) {
    case 'completion':
      return given.length === 0 ? words('bash', 'zsh', 'fish', 'powershell') : [];
    case 'help':
      return words(...Object.keys(commandTable));
    case 'token':
      return given.length === 0 ? words('add', 'ls', 'rm') : [];
    case 'fleet':
      if (given.length === 0) return words('apply', 'diff', 'show');
      return given.length === 1 && server !== 'show' ? { filesBehind: '' } : [];
    case 'litemcp':
      return given.length === 0 ? words('serve') : [];
    case 'start':
    case 'stop':
    case 'restart':
    case 'tools':
    case 'logs':
    case 'connect':
    case 'types':
    case 'check':
      return given.length === 0 ? words(...(await sources.servers())) : [];
    case 'import':
      return given.length === 0 ? words(...hostIds) : [];
    case 'export':
      return given.length === 0 ? words(...hostIds) : words(...(await sources.servers()));
    case 'rm': {
      const servers = await sources.servers();
      return words(...servers.filter((each) => !given.includes(each)));
    }
    case 'inspect': {
      const servers = given.length === 0 ? await sources.servers().catch(() => []) : [];
      const meant = servers.filter((each) => each.startsWith(current));
      return given.length > 0 || meant.length > 0 ? words(...meant) : { filesBehind: '' };
    }
    case 'tap':
    case 'share':
      return ofInstall(given, current);
    case 'read':
      if (server === undefined) return words(...(await sources.servers()));
      return name === undefined ? words(...(await sources.resources(server))) : [];
    case 'prompt': {
      if (server === undefined) return words(...(await sources.servers()));
      const prompts = await sources.prompts(server);
      if (name === undefined) return words(...prompts.map((prompt) => prompt.name));
      const names = prompts.find((prompt) => prompt.name === name)?.arguments?.map((each) => `${each.name}=`) ?? [];
      return words(...names.filter((each) => !given.some((word) => word.startsWith(each))));
    }
    case 'call':
      return ofCall(given, current, sources);
    default:
      return [];
  }
}

function ofInstall([what, config]: string[], current: string): Answer {
  if (what === undefined) return words('install', 'uninstall').filter(({ word }) => word.startsWith(current));
  if ((what !== 'install' && what !== 'uninstall') || config !== undefined) return [];
  const hosts = hostIds.filter((id) => id.startsWith(current));
  return current !== '' && hosts.length === 0 ? { filesBehind: '' } : words(...hosts);
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
  const { rulesOf } = await import('../../check/checks.ts');
  const has = (word: string) => before.includes(word);
  const rules = rulesOf(has('--client') ? 'client' : 'server', has('--litemcp') ? 'litemcp' : 'mcp');
  const families = option === '--rule' ? [] : [...new Set(rules.map(({ id }) => id.split('/')[0]!))];
  return [...words(...families), ...rules.map(({ id, title }) => ({ word: id, about: title }))];
}

async function optionsOf(name: string | undefined): Promise<string[]> {
  const entry = name === undefined ? undefined : commandTable[name];
  if (!entry) return [];
  const command = new Command(name);
  (await entry.load()).define(command, () => async () => undefined);
  return [command, ...command.commands].flatMap(({ options }) =>
    options.filter(({ hidden }) => !hidden).map((option) => option.long ?? ''),
  );
}

function words(...list: string[]): Candidate[] {
  return list.map((word) => ({ word }));
}

function fitting(answer: Answer, current: string): Answer {
  if (!Array.isArray(answer)) return answer;
  const safe = /^[\p{L}\p{N}_@./:=+,%~-]+$/u;
  return answer.filter(({ word }) => word.startsWith(current) && safe.test(word));
}
