// `standpipe recordings`: the recordings of `tap --keep`.

import { counted } from '../../../base/terminal/counted.ts';
import { findLive } from '../../../observe/live/find-live.ts';
import {
  type KeptRecording,
  keptFolder,
  keptRecordings,
  pruneKept,
  removeKept,
  usualLimits,
} from '../../../observe/record/kept-recordings.ts';
import { type CommandBody, type CommandModule, invalidOption } from '../invocation.ts';
import { printRows, shownPath } from '../output/table.ts';
import { countOf, help } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command.command('ls', { isDefault: true }).description('list the recordings, oldest first').action(run(list));
  command
    .command('rm')
    .description('remove recordings')
    .argument('<recording...>', 'name in the list')
    .action(run(remove));
  command
    .command('prune')
    .description('remove the oldest recordings until the limits are met')
    .option('--most <number>', 'keep at most this number of recordings', countOf('--most'))
    .option('--max-bytes <number>', 'keep at most this number of bytes', countOf('--max-bytes'))
    .action(run(prune));
  const { mostRecordings, mostBytes } = usualLimits;
  help(
    command,
    `Their names can be used wherever a command takes a recording: show, inspect,
replay, verify, diff and convert. A new recording of \`tap --keep\` removes the
oldest if there are more than ${mostRecordings}, or ${mostBytes / 1024 ** 3} GiB. One that a running tap
writes is kept.`,
    'recordings ls',
    'show weather-3 --errors',
    'recordings rm weather-1 weather-2',
    'recordings prune --most 10',
  );
};

const list: CommandBody = async ({ out }) => {
  const kept = await keptRecordings();
  if (out.json) {
    out.document({ folder: keptFolder(), recordings: kept.map(documentOf) });
    return undefined;
  }
  if (out.onTerminal) out.say(`${counted(kept.length, 'recording')} in ${shownPath(keptFolder(), out)}`);
  const rows = kept.map((each) => [each.name, each.changedAt.toISOString(), sizeText(each.bytes)]);
  printRows(out, ['RECORDING', 'CHANGED', 'SIZE'], rows);
  return undefined;
};

const remove: CommandBody = async ({ out }, names) => {
  for (const name of names) await removeKept(name);
  if (out.json) out.document({ removed: names });
  else out.say(`Removed ${names.join(', ')}`);
  return undefined;
};

const prune: CommandBody = async ({ out }, _words, options) => {
  const { most, maxBytes } = options as { most?: number; maxBytes?: number };
  if (most === undefined && maxBytes === undefined) throw invalidOption('prune needs --most or --max-bytes');
  const used = new Set((await findLive()).map(({ record }) => record));
  const limits = { mostRecordings: most ?? Number.POSITIVE_INFINITY, mostBytes: maxBytes ?? Number.POSITIVE_INFINITY };
  const removed = await pruneKept(limits, (file) => used.has(file));
  if (out.json) out.document({ removed: removed.map(({ name }) => name) });
  else out.say(`Removed ${counted(removed.length, 'recording')}`);
  return undefined;
};

function documentOf({ name, file, bytes, changedAt }: KeptRecording): object {
  return { name, file, bytes, changedAt: changedAt.toISOString() };
}

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
