// `standpipe lock`: writes and compares mcp-lock.json, the definitions of servers that a person has approved.

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { shellWord } from '../../../base/command-line.ts';
import { toError, UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { rewriteFile } from '../../../config/edit/rewrite-file.ts';
import { lockText, parseLock } from '../../../config/lock/lock-file.ts';
import type { LockedServer } from '../../../config/lock/locked-server.ts';
import { MOST_MASKS, parseMask } from '../../../config/lock/masks.ts';
import { listNames } from '../../../config/lock/server-lock.ts';
import type { ServerConfig } from '../../../config/server-config.ts';
import { rejections, unknownServer } from '../../../host/services/unknown-name.ts';
import { ExitCode, exitCodeOf } from '../exit-code.ts';
import { type CommandBody, type CommandModule, type Invocation, invalidOption } from '../invocation.ts';
import { documentOf, fails, junitOf, linesOf, sarifOf, summaryLine } from '../lock/lock-report.ts';
import { lockFileOf, readLockFile, type Surveyed, survey } from '../lock/survey.ts';
import { checkOutput } from '../output/content.ts';
import { loadServers } from '../servers/own-host.ts';
import { hasTerminal } from '../servers/server-reports.ts';
import { collect, help } from './server-options.ts';

interface Options {
  check?: boolean;
  diff?: boolean;
  update?: boolean;
  tool?: string[];
  mask?: string[];
  trustNew?: boolean;
  yes?: boolean;
  junit?: string;
  sarif?: string;
}

export const define: CommandModule['define'] = (command, run) => {
  command
    .usage('[options] [server…]')
    .argument('[server...]', 'servers in the config (default: all)')
    .option('--check', 'compare without changing the lock; for CI')
    .option('--diff', 'show what differs from the approved definitions')
    .option('--update', 'approve the differences of these servers')
    .option('--tool <name>', 'with --update: approve only this tool; repeatable', collect)
    .option('--mask <pointer>', 'leave out a part that is not stable; repeatable', collect)
    .option('--trust-new', 'approve servers that the lock lacks without asking')
    .option('--yes', 'approve without asking')
    .option('--junit <file>', 'with --check: write a JUnit XML report')
    .option('--sarif <file>', 'with --check: write a SARIF report');
  help(
    command,
    `Starts the servers and lists their definitions: tools, prompts, resource
templates, skills, instructions, views of MCP Apps. Without an option, approves
servers that mcp-lock.json beside the config lacks, after showing them. Hosts
leave out definitions that are not approved (docs/lock.md).

A mask is a JSON pointer such as /tools/search/description; * is any name.

Exit code: 0 all definitions are approved, 1 some are not, 2 the command line is
wrong, 3 a server does not start, 4 a server did not answer in time.`,
    'lock',
    'lock --check --junit lock.xml --sarif lock.sarif',
    'lock --diff files',
    'lock --update files --tool read_file --tool write_file',
    'lock search --mask /tools/search/description',
  );
  command.action(run(lock));
};

const lock: CommandBody = async (invocation, names, given) => {
  const options = given as Options;
  checkOptions(options, names);
  const config = await loadServers(invocation.settings);
  const servers = chosen(config.servers, names, () => rejections(config));
  const { out } = invocation;
  const isReading = options.check === true || options.diff === true;
  await Promise.all([checkOutput(options.junit, '--junit'), checkOutput(options.sarif, '--sarif')]);
  const surveyed = await survey(invocation, servers, {
    masks: options.mask ?? [],
    restart: !isReading,
    approved: { at: new Date().toISOString(), by: userName() },
  });
  const unused = names.length > 0 ? [] : await unusedOf(servers, config.servers);
  const approved = isReading ? [] : await approve(invocation, surveyed, options);
  const remaining = surveyed.filter((each) => fails(each) && !approved.includes(each));
  if (out.json)
    out.document({ ...documentOf(surveyed, unused), approved: approved.map(({ config: { name } }) => name) });
  else if (isReading) {
    for (const each of surveyed) out.write(options.diff ? linesOf(each, out.paint) : summaryLine(each, out.paint));
  }
  for (const name of unused) out.say(`${visibleLine(name)} is in the lock and not in the config.`);
  if (!out.json && remaining.length > 0) advise(remaining, invocation, isReading);
  await saveReports(surveyed, options, invocation);
  return exitCode(remaining);
};

function checkOptions(
  { check, diff, update, tool, mask = [], trustNew, yes, junit, sarif }: Options,
  names: readonly string[],
): void {
  const ways = [check && '--check', diff && '--diff', update && '--update'].filter((each) => typeof each === 'string');
  if (ways.length > 1) throw invalidOption(`${ways[0]} and ${ways[1]} cannot be used together`, 'Choose one of them.');
  if (update && names.length === 0)
    throw invalidOption('--update needs the names of servers', `Name them: \`${ownCommand} lock --update SERVER\`.`);
  if (tool && !update)
    throw invalidOption('--tool needs --update', 'It names the tools whose definitions are approved.');
  if ((junit ?? sarif) !== undefined && !check) throw invalidOption('--junit and --sarif need --check');
  if ((check || diff) && (trustNew || yes || mask.length > 0))
    throw invalidOption(`${ways[0]} changes nothing: --trust-new, --yes and --mask have no effect`, 'Remove them.');
  if (mask.length > 0 && names.length !== 1)
    throw invalidOption('--mask needs the name of one server', `\`${ownCommand} lock SERVER --mask PATH\``);
  const wrong = mask.find((text) => !parseMask(text) || !listNames.some((list) => text.startsWith(`/${list}/`)));
  if (wrong !== undefined)
    throw invalidOption(
      `--mask cannot be "${wrong}"`,
      `Write a path such as /tools/search/description. Lists: ${listNames.join(', ')}.`,
    );
  if (mask.length > MOST_MASKS) throw invalidOption(`--mask can be given ${MOST_MASKS} times`);
}

/** All servers that are checked by hosts, or the named ones. */
function chosen(
  servers: readonly ServerConfig[],
  names: readonly string[],
  rejected: () => Parameters<typeof unknownServer>[2],
): readonly ServerConfig[] {
  if (names.length === 0) return servers.filter(({ enabled, locked }) => enabled && locked !== 'off');
  return names.map((name) => {
    const found = servers.find((server) => server.name === name);
    if (found) return { ...found, enabled: true };
    throw unknownServer(
      name,
      servers.map((server) => server.name),
      rejected(),
    );
  });
}

async function unusedOf(chosenServers: readonly ServerConfig[], all: readonly ServerConfig[]): Promise<string[]> {
  const files = [...new Set(chosenServers.map(lockFileOf))];
  const locks = await Promise.all(files.map(readLockFile));
  const names = locks.flatMap((each) => [...(each?.servers.keys() ?? []), ...(each?.unsound.keys() ?? [])]);
  return names.filter((name) => !all.some((server) => server.name === name));
}

/** Returns the servers whose definitions were approved. */
async function approve(invocation: Invocation, surveyed: readonly Surveyed[], options: Options): Promise<Surveyed[]> {
  const { out } = invocation;
  const masks = options.mask !== undefined;
  const wanted = surveyed.filter(
    ({ status, after }) =>
      after &&
      (status === 'new' ||
        status === 'unsound' ||
        (status === 'changed' && options.update) ||
        (masks && status !== 'volatile')),
  );
  if (!out.json) for (const each of surveyed) out.say(linesOf(each, out.paintError).trimEnd());
  if (wanted.length === 0) return [];
  const isAsked = !options.yes && !(options.trustNew && wanted.every(({ status }) => status === 'new'));
  if (isAsked && !(await confirmed(wanted, invocation))) return [];
  for (const file of new Set(wanted.map((each) => each.file))) {
    const ofFile = wanted.filter((each) => each.file === file);
    const rewrite = (text: string) => rewritten(text, file, ofFile, options.tool);
    await rewriteFile(file, { create: true, rewrite });
    out.say(`Saved ${file}`);
  }
  return options.tool ? wanted.filter((each) => changesLeft(each, options.tool!) === 0) : wanted;
}

/** Another program may have changed the lock since it was read: its other servers are kept. */
function rewritten(
  text: string,
  file: string,
  approved: readonly Surveyed[],
  tools: readonly string[] | undefined,
): string {
  const servers = new Map(text.trim() === '' ? [] : parseLock(text, file).servers);
  for (const { config, before, after } of approved) {
    servers.set(config.name, tools ? withTools(config.name, before, after!, tools) : after!);
  }
  return lockText(servers);
}

/** What was approved before, with the new definitions of these tools. */
function withTools(
  server: string,
  before: LockedServer | undefined,
  after: LockedServer,
  tools: readonly string[],
): LockedServer {
  if (!before)
    throw invalidOption(
      `--tool needs approved definitions: ${server} is not in the lock`,
      'Approve the whole server first.',
    );
  const isNamed = ({ name }: { name: string }) => tools.includes(name);
  const all = [...before.lists.tools, ...after.lists.tools];
  const unknown = tools.find((tool) => !all.some(({ name }) => name === tool));
  if (unknown !== undefined)
    throw new UsageError('NAME_UNKNOWN', `Server "${server}" has no tool "${unknown}"`, {
      hint: `\`${ownCommand} lock --diff ${shellWord(server)}\` lists the changes.`,
    });
  const kept = before.lists.tools.filter((each) => !isNamed(each));
  const lists = { ...before.lists, tools: [...kept, ...after.lists.tools.filter(isNamed)] };
  return { ...before, approved: after.approved, lists };
}

function changesLeft({ changes }: Surveyed, tools: readonly string[]): number {
  return changes.filter(({ what, name }) => what !== 'tool' || !tools.includes(name)).length;
}

async function confirmed(wanted: readonly Surveyed[], { out, signal }: Invocation): Promise<boolean> {
  const names = wanted.map(({ config }) => visibleLine(config.name)).join(', ');
  if (!hasTerminal())
    throw new UsageError(
      'INPUT_NOT_GIVEN',
      `The definitions of ${names} are not approved: there is no terminal to ask on`,
      {
        hint: 'Look at them, then approve them with --yes, or with --trust-new for servers that the lock lacks.',
      },
    );
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await lines.question(`Approve these definitions of ${names}? [y/N] `, { signal });
    if (/^y(?:es)?$/i.test(answer.trim())) return true;
    out.say('Nothing was changed.');
    return false;
  } finally {
    lines.close();
  }
}

function advise(remaining: readonly Surveyed[], { out }: Invocation, isReading: boolean): void {
  const names = (...statuses: string[]) =>
    remaining
      .filter(({ status }) => statuses.includes(status))
      .map(({ config }) => shellWord(config.name))
      .join(' ');
  const [changed, added] = [names('changed'), names('new', 'unsound')];
  if (changed) out.tell('hint', `\`${ownCommand} lock --update ${changed}\` shows the changes and approves them.`);
  if (added && isReading) out.tell('hint', `\`${ownCommand} lock ${added}\` shows the definitions and approves them.`);
  for (const { config, volatile } of remaining) {
    if (volatile.masks.length === 0) continue;
    const masks = volatile.masks.map((mask) => `--mask ${shellWord(mask)}`).join(' ');
    out.tell(
      'hint',
      `Leave out the parts that are not stable: \`${ownCommand} lock ${shellWord(config.name)} ${masks}\`. They are not protected then.`,
    );
  }
}

async function saveReports(
  surveyed: readonly Surveyed[],
  { junit, sarif }: Options,
  { out }: Invocation,
): Promise<void> {
  const files: [file: string, text: string][] = [];
  if (junit !== undefined) files.push([junit, junitOf(surveyed)]);
  if (sarif !== undefined) files.push([sarif, `${JSON.stringify(sarifOf(surveyed, textOf), null, 2)}\n`]);
  for (const [file, text] of files) {
    await writeFile(file, text).catch((error) => {
      throw invalidOption(`Cannot write "${file}": ${toError(error).message}`, undefined, error);
    });
    out.say(`Saved ${file}`);
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // there is no lock
  }
}

function exitCode(remaining: readonly Surveyed[]): number {
  const failed = remaining.filter(({ status }) => status === 'failed');
  if (remaining.length > failed.length) return ExitCode.ruleViolated;
  if (failed.length === 0) return ExitCode.done;
  return failed.every(({ error }) => exitCodeOf(error) === ExitCode.timeout) ? ExitCode.timeout : ExitCode.server;
}

/** A user may have no name, for instance in a container. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env.USER ?? 'unknown';
  }
}
