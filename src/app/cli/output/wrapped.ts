// Prints the report of `tap install`, `share install` and the matching `uninstall` commands.

import { maskValues } from '../../../base/secrets/mask-values.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { WrapOutcome } from '../../../config/wrap/wrap-text.ts';
import { ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import type { Wrapped } from '../wrap/host-config.ts';
import { diffLines } from './diff-lines.ts';

export function tellWrapped(
  { out }: Invocation,
  { file, servers, backup, before, after, secrets, warnings, dryRun }: Wrapped,
  words: Pick<Record<WrapOutcome, string>, 'done' | 'already'>,
): number {
  const mask = maskValues({}, secrets);
  const diff = diffLines(before, after).map((line) => visibleLine(mask(line)));
  if (out.json) {
    const planned = dryRun ? { dryRun, diff: diff.join('\n') } : {};
    out.document({ file, servers, backup: backup ?? null, warnings, ...planned });
    return ExitCode.done;
  }
  if (dryRun && diff.length > 0) {
    out.write(`--- ${visibleLine(file)}\n+++ ${visibleLine(file)}\n${diff.join('\n')}\n`);
  }
  const all = { ...words, 'not-a-command': 'is a remote server without a command: unchanged' };
  for (const { name, outcome, reason } of servers) {
    const line = `${visibleLine(name)}\t${outcome === 'refused' ? `${reason}: unchanged` : all[outcome]}`;
    if (!dryRun) out.write(`${line}\n`);
    else if (outcome !== 'done') out.say(line);
  }
  for (const warning of warnings) out.say(`${out.paintError('yellow', 'warning:')} ${visibleLine(warning)}`);
  if (dryRun) out.say(diff.length > 0 ? 'Nothing was written (--dry-run).' : 'Nothing would change.');
  else if (after !== before) out.say(`Changed ${visibleLine(file)}`);
  if (backup) out.say(`Backup: ${visibleLine(backup)}`);
  if (!dryRun && after !== before) out.say('Restart the program that reads this config to apply the change.');
  return ExitCode.done;
}
