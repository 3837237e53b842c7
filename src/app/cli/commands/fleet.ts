// `standpipe fleet`: `apply` replaces the servers of a fleet with those of a file, `diff` shows what that would change, `show` prints them.
// Each server is written by compare-and-set, so that a concurrent change is not lost.

import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { toError, UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { REDACTED } from '../../../base/secrets/mask-values.ts';
import { shortHash } from '../../../base/short-hash.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { readForm } from '../../../config/config-file.ts';
import { decodeFile, fromDisk } from '../../../config/files/disk.ts';
import { problemError, problemText } from '../../../config/problem.ts';
import { parseDocument } from '../../../config/read/json-document.ts';
import type { ClusterNetwork, ServerRecord } from '../../../host/fleet/cluster-network.ts';
import type { ReplicaStatus } from '../../../host/fleet/fleet-status.ts';
import { carryOut, changesTo, type FleetServerChange } from '../../../host/fleet/place/change-fleet.ts';
import { readFleet } from '../../../host/fleet/place/fleet-state.ts';
import { literalSecrets, readFleetEntries } from '../../../host/fleet/place/read-entries.ts';
import { readFleetStatus } from '../../../host/fleet/read-status.ts';
import { ExitCode } from '../exit-code.ts';
import { addFleetOptions, type FleetOptions } from '../fleet/fleet-options.ts';
import { whyNowhere } from '../fleet/fleet-tables.ts';
import { withNetwork } from '../fleet/reach-fleet.ts';
import type { CommandBody, CommandModule, Invocation } from '../invocation.ts';
import { diffLines } from '../output/config-change.ts';
import type { Output } from '../output/output.ts';
import { hasTerminal } from '../servers/server-reports.ts';
import { help } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  const applying = command
    .command('apply')
    .description('replace the servers of the fleet with those of a file')
    .argument('<file>', 'config with the servers of the fleet')
    .option('--keep', 'keep servers that the file does not have')
    .option('--dry-run', 'show the difference and write nothing')
    .option('--yes', 'remove servers without asking')
    .option('--allow-literals', 'accept literal secrets: all nodes can read them');
  const comparing = command
    .command('diff')
    .description('show what `apply` would change')
    .argument('<file>', 'config with the servers of the fleet')
    .option('--keep', 'keep servers that the file does not have')
    .option('--allow-literals', 'accept literal secrets');
  addFleetOptions(applying).action(run(apply));
  addFleetOptions(comparing).action(run(diff));
  addFleetOptions(command.command('show').description('print the servers as a config, and where they run')).action(
    run(show),
  );
  help(
    command,
    `The file is a config with "place" in its entries:
  {"mcpServers": {"files": {"command": "files-server",
    "place": {"replicas": 2, "labels": ["eu"]}}}}
Variables such as \${TOKEN} are expanded on the node that runs the server.
\`${ownCommand} ls --fleet\` shows the nodes.`,
    'fleet apply fleet.json --join nats://10.0.0.1',
    'fleet diff fleet.json',
    'fleet apply fleet.json --dry-run --json',
    'fleet show > fleet.json',
  );
};

interface ApplyOptions extends FleetOptions {
  keep?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  allowLiterals?: boolean;
}

/** Limit for concurrent writes: a fleet may have thousands of servers. */
const AT_A_TIME = 16;
const outcomes = { add: 'added', change: 'changed', remove: 'removed', none: 'unchanged' } as const;
const signs = { add: '+', change: '~', remove: '-', none: ' ' } as const;

const apply: CommandBody = async (invocation, [file], given) => {
  const options = given as ApplyOptions;
  const wanted = await readWanted(file!, options, invocation.out);
  return withNetwork(invocation, options, async (network) => {
    const changes = await changesOf(network, wanted, options);
    if (options.dryRun) return report(invocation, network, changes, { dryRun: true });
    await confirmRemovals(changes, options, invocation);
    const lost: string[] = [];
    for (let at = 0; at < changes.length; at += AT_A_TIME) {
      const some = changes.slice(at, at + AT_A_TIME);
      const isDone = await Promise.all(some.map((change) => carryOut(network, change)));
      lost.push(...some.filter((_, index) => !isDone[index]).map(({ name }) => name));
    }
    report(invocation, network, changes, { lost });
    if (lost.length === 0) return ExitCode.done;
    throw new UsageError('FLEET_CHANGED', `Another program changed ${lost.join(', ')} at the same time`, {
      hint: `The changes of that program were kept. Show the difference: ${ownCommand} fleet diff FILE.`,
    });
  });
};

const diff: CommandBody = async (invocation, [file], given) => {
  const options = given as ApplyOptions;
  const wanted = await readWanted(file!, options, invocation.out);
  return withNetwork(invocation, options, async (network) =>
    report(invocation, network, await changesOf(network, wanted, options), { dryRun: true }),
  );
};

/** Reports all problems, then throws the first error. */
async function readWanted(
  file: string,
  { allowLiterals }: ApplyOptions,
  out: Output,
): Promise<readonly ServerRecord[]> {
  const text = await fromDisk(file).then(decodeFile, (error) => {
    throw new UsageError('CONFIG_NOT_FOUND', `${file} cannot be read: ${toError(error).message}`, { cause: error });
  });
  const { readLock } = await import('../../../config/files/load-config.ts');
  const { found: lock } = await readLock(resolve(file));
  if (lock instanceof Error) throw lock;
  const { servers, problems } = await readFleetEntries(text, file, { allowLiterals, lock });
  const [first, ...others] = problems.filter(({ severity }) => severity === 'error');
  for (const problem of problems.filter((each) => each !== first)) {
    out.tell(others.includes(problem) ? 'error' : 'warning', visibleLine(problemText(problem)));
    if (problem.suggestion) out.tell('hint', visibleLine(problem.suggestion));
  }
  if (first) throw problemError(first);
  return servers;
}

async function changesOf(network: ClusterNetwork, wanted: readonly ServerRecord[], { keep }: ApplyOptions) {
  const changes = changesTo(wanted, (await readFleet(network)).servers);
  return keep ? changes.filter(({ kind }) => kind !== 'remove') : changes;
}

async function confirmRemovals(
  changes: readonly FleetServerChange[],
  { yes }: ApplyOptions,
  { out, signal }: Invocation,
): Promise<void> {
  const names = changes.filter(({ kind }) => kind === 'remove').map(({ name }) => name);
  if (yes || names.length === 0) return;
  const isOne = names.length === 1;
  const what = `The file does not contain ${names.map(visibleLine).join(', ')}`;
  const hint = `Remove ${isOne ? 'it' : 'them'} with --yes, or keep ${isOne ? 'it' : 'them'} with --keep.`;
  if (!hasTerminal())
    throw new UsageError('INPUT_NOT_GIVEN', `${what}. ${isOne ? 'It' : 'They'} would be removed from the fleet`, {
      hint,
    });
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await lines.question(`${what}. Remove ${isOne ? 'it' : 'them'} from the fleet? [y/N] `, { signal });
    if (/^y(?:es)?$/i.test(answer.trim())) return;
  } finally {
    lines.close();
  }
  out.say('Nothing was changed.');
  throw new UsageError('INPUT_NOT_GIVEN', 'The servers were not removed', { hint });
}

function report(
  { out }: Invocation,
  { fleet }: ClusterNetwork,
  changes: readonly FleetServerChange[],
  { dryRun = false, lost = [] }: { dryRun?: boolean; lost?: readonly string[] },
): number {
  const changed = changes.filter(({ kind }) => kind !== 'none');
  const lines = changed.flatMap(({ name, kind, before, after }) => [
    `# ${name}: ${outcomes[kind]}`,
    ...diffLines(recordText(before?.value), recordText(after)),
  ]);
  if (out.json) {
    const servers = changes.map(({ name, kind }) => ({
      name,
      outcome: lost.includes(name) ? 'conflict' : outcomes[kind],
    }));
    out.document({ fleet, servers, ...(dryRun ? { dryRun, diff: lines.join('\n') } : {}) });
    return ExitCode.done;
  }
  if (dryRun) for (const line of lines) out.write(`${coloured(line, out)}\n`);
  else
    for (const { name, kind } of changed)
      if (!lost.includes(name)) out.say(`${signs[kind]} ${visibleLine(name)}: ${outcomes[kind]}`);
  if (changed.length === 0) out.say(`The fleet ${visibleLine(fleet)} already has these servers.`);
  else if (!dryRun && lost.length === 0 && changed.some(({ kind }) => kind !== 'remove'))
    out.say(`\`${ownCommand} ls --fleet\` shows where they run.`);
  return ExitCode.done;
}

function coloured(line: string, out: Output): string {
  const shown = visibleLine(line);
  if (line.startsWith('+')) return out.paint('green', shown);
  return line.startsWith('-') ? out.paint('red', shown) : shown;
}

const show: CommandBody = (invocation, _words, options) =>
  withNetwork(invocation, options as FleetOptions, async (network) => {
    const { out } = invocation;
    const [view, status] = await Promise.all([readFleet(network), readFleetStatus(network)]);
    const records = [...view.servers.values()].map(({ value }) => value).sort((a, b) => (a.name < b.name ? -1 : 1));
    const shown = records.map((record) => [record.name, shownRecord(record)] as const);
    const mcpServers = Object.fromEntries(shown.map(([name, { entry }]) => [name, entry]));
    if (out.json) {
      const { fleet, placer, servers } = status;
      out.document({ fleet, placer: placer ?? null, mcpServers, servers });
      return undefined;
    }
    out.text(`${JSON.stringify({ mcpServers }, null, 2)}\n`);
    for (const { name, replicas } of status.servers) {
      for (const replica of replicas)
        out.say(visibleLine(`${name} ${replica.slot}: ${whereOf(replica, status.placer)}`));
    }
    const hidden = shown.filter(([, { hasSecrets }]) => hasSecrets).map(([name]) => name);
    if (hidden.length > 0) out.say(visibleLine(`Literal secrets are hidden: ${hidden.join(', ')}`));
    if (records.length === 0)
      out.say(`The fleet has no servers: \`${ownCommand} fleet apply FILE\` adds those of a config.`);
    else if (status.placer === undefined)
      out.say(`No node places servers: start one with \`${ownCommand} up --join\`.`);
    return undefined;
  });

function whereOf(replica: ReplicaStatus, placer: string | undefined): string {
  const { isInForce, node, generation, reason } = replica;
  if (!isInForce) return `runs nowhere: ${whyNowhere([replica], placer)}`;
  return `on node ${node}, generation ${generation}${reason === undefined ? '' : ` (cannot move: ${reason})`}`;
}

/** The entry with its `place`, as in `mcpServers`. Literal secrets are hidden. */
function shownRecord({ name, entry, place }: ServerRecord): { entry: Record<string, unknown>; hasSecrets: boolean } {
  const text = JSON.stringify({ mcpServers: { [name]: entry } });
  const form = readForm(parseDocument(text, 'fleet'), { file: 'fleet', origin: 'named', folder: '' }, 'linux');
  const secrets = form.drafts.flatMap(({ draft }) => literalSecrets(draft)).map((secret) => secret.text);
  const masked = (value: unknown): unknown => {
    if (typeof value === 'string') return secrets.includes(value) ? REDACTED : value;
    if (Array.isArray(value)) return value.map(masked);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, masked(each)]));
  };
  return { entry: { ...(masked(entry) as object), place }, hasSecrets: secrets.length > 0 };
}

function recordText(record: ServerRecord | undefined): string {
  if (!record) return '';
  const { name, lock } = record;
  const approved = lock && { lock: `${lock.mode} ${shortHash(JSON.stringify(lock))}` };
  return JSON.stringify({ [name]: { ...shownRecord(record).entry, ...approved } }, null, 2);
}
