// `standpipe fleet apply` and `diff`. Each server is written by compare-and-set, so that a concurrent change is not lost.

import { createInterface } from 'node:readline/promises';
import { toError, UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { decodeFile, fromDisk } from '../../../config/files/disk.ts';
import { problemError, problemText } from '../../../config/problem.ts';
import type { ClusterNetwork, ServerRecord } from '../../../host/fleet/cluster-network.ts';
import { carryOut, changesTo, type FleetServerChange } from '../../../host/fleet/place/change-fleet.ts';
import { readFleet } from '../../../host/fleet/place/fleet-state.ts';
import { readFleetEntries } from '../../../host/fleet/place/read-entries.ts';
import { ExitCode } from '../exit-code.ts';
import type { CommandBody, Invocation } from '../invocation.ts';
import { diffLines } from '../output/diff-lines.ts';
import type { Output } from '../output/output.ts';
import { hasTerminal } from '../servers/server-reports.ts';
import type { FleetOptions } from './fleet-options.ts';
import { withNetwork } from './open-fleet.ts';
import { recordText } from './shown-records.ts';

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

export const apply: CommandBody = async (invocation, [file], given) => {
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
      hint: `Its changes were kept. Show the difference: ${ownCommand} fleet diff FILE.`,
    });
  });
};

export const diff: CommandBody = async (invocation, [file], given) => {
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
  const { servers, problems } = await readFleetEntries(text, file, { allowLiterals });
  const [first, ...others] = problems.filter(({ severity }) => severity === 'error');
  for (const problem of problems.filter((each) => each !== first)) {
    const isError = others.includes(problem);
    const word = isError ? out.paintError('red', 'error:') : out.paintError('yellow', 'warning:');
    out.say(`${word} ${visibleLine(problemText(problem))}`);
    if (problem.suggestion) out.say(`${out.paintError('cyan', 'hint:')} ${visibleLine(problem.suggestion)}`);
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
