// `standpipe token`: manages the tokens for `up --http`. A token is printed once, when it is made; the file has only its hash.

import { UsageError } from '../../../base/errors.ts';
import { hintOfNames } from '../../../config/nearest.ts';
import {
  addToken,
  defaultTokenFile,
  makeToken,
  readTokenFile,
  removeToken,
  type TokenEntry,
} from '../../../host/gateway/access/token-file.ts';
import { ExitCode } from '../exit-code.ts';
import { type CommandBody, type CommandModule, invalidOption } from '../invocation.ts';
import { printRows, type Row } from '../output/table.ts';
import { countOf, examples } from './server-options.ts';

interface TokenOptions {
  tokens?: string;
}

interface AddOptions extends TokenOptions {
  server?: string[];
  tool?: string[];
  inFlight?: number;
  perMinute?: number;
  sessions?: number;
  expires?: number;
}

export const define: CommandModule['define'] = (command, run) => {
  const tokensOption = ['--tokens <file>', 'token file (default: tokens.json in the config folder)'] as const;
  command
    .command('add')
    .description('make a token and print it once')
    .argument('<name>', 'name of the token')
    .option('--server <name>', 'allow this server; * is a wildcard; repeatable (default: all)', collectNames)
    .option('--tool <pattern>', 'allow this tool: tool or server/tool; repeatable (default: all)', collectNames)
    .option('--in-flight <number>', 'limit for running and queued requests', countOf('--in-flight'))
    .option('--per-minute <number>', 'limit for requests per minute', countOf('--per-minute'))
    .option('--sessions <number>', 'limit for open sessions', countOf('--sessions'))
    .option('--expires <time>', 'expire after this time: 12h, 30d, 52w (default: never)', readLifetime)
    .option(...tokensOption)
    .action(run(add));
  command
    .command('ls')
    .description('list the tokens with their rights and limits')
    .option(...tokensOption)
    .action(run(list));
  command
    .command('rm')
    .description('remove a token; a running host refuses it at once')
    .argument('<name>', 'name of the token')
    .option(...tokensOption)
    .action(run(remove));
  examples(
    command,
    'token add laptop',
    "token add ci --tool 'github/search_*' --expires 30d",
    'token ls --json',
    'token rm laptop',
  );
};

const add: CommandBody = async ({ out }, [name], options) => {
  const {
    server: servers,
    tool: tools,
    inFlight,
    perMinute,
    sessions,
    expires: lifetimeMs,
    tokens,
  } = options as AddOptions;
  const file = tokens ?? defaultTokenFile();
  const quotas = { inFlight, requestsPerMinute: perMinute, sessions };
  const token = await addToken(file, {
    name: name!,
    servers,
    tools,
    quotas: Object.values(quotas).some((limit) => limit !== undefined) ? quotas : undefined,
    expires: lifetimeMs === undefined ? undefined : new Date(Date.now() + lifetimeMs).toISOString(),
  });
  if (out.json) out.document({ name, token, file });
  else {
    out.write(`${token}\n`);
    out.say(`Clients send it as "Authorization: Bearer …". It is not shown again; ${file} has its hash.`);
  }
  return ExitCode.done;
};

const list: CommandBody = async ({ out }, _words, options) => {
  const { tokens } = options as TokenOptions;
  const file = tokens ?? defaultTokenFile();
  const entries = readTokenFile(file) ?? [];
  if (out.json) out.document({ tokens: entries.map(({ sha256: _, ...entry }) => entry) });
  else printRows(out, ['NAME', 'SERVERS', 'TOOLS', 'LIMITS', 'CREATED', 'EXPIRES'], entries.map(toRow));
  if (!out.json && entries.length === 0) out.say(`There are no tokens in ${file}. Make one: ${makeToken(tokens)}`);
  return ExitCode.done;
};

const remove: CommandBody = async ({ out }, [name], options) => {
  const file = (options as TokenOptions).tokens ?? defaultTokenFile();
  if (!(await removeToken(file, name!))) {
    const names = (readTokenFile(file) ?? []).map((entry) => entry.name);
    throw new UsageError('NAME_UNKNOWN', `There is no token named "${name}"`, {
      hint: hintOfNames(name!, names, `${file} has no tokens.`),
    });
  }
  if (out.json) out.document({ removed: name });
  else out.say(`Removed ${name}.`);
  return ExitCode.done;
};

function toRow({ name, servers, tools, quotas = {}, created, expires }: TokenEntry): Row {
  const limits = Object.entries(quotas).map(([limit, value]) => `${limit}=${value}`);
  const isExpired = expires !== undefined && Date.parse(expires) <= Date.now();
  const end = expires === undefined ? 'never' : `${day(expires)}${isExpired ? ' (expired)' : ''}`;
  return [
    name,
    servers?.join(',') ?? '*',
    tools?.join(',') ?? '*',
    limits.join(','),
    day(created),
    { text: end, colour: isExpired ? 'red' : undefined },
  ];
}

function day(date: string): string {
  return date.slice(0, 10);
}

/** Refuses an empty pattern, which would allow nothing. */
function collectNames(text: string, before: readonly string[] = []): string[] {
  if (text !== '') return [...before, text];
  throw invalidOption(
    'The name of a server or tool is empty',
    "Write a name or a pattern: --server github, --tool 'github/search_*'.",
  );
}

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

function readLifetime(text: string): number {
  const [, amount, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const ms = Number(amount) * units[unit ?? '']!;
  if (amount !== undefined && ms > 0) return ms;
  throw invalidOption(`--expires cannot be "${text}"`, 'Write a number with its unit: 90m, 12h, 30d, 52w.');
}
