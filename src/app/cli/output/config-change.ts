// Reports of the commands that change a config: `add`, `rm`, `import` and `export`; `tap install`, `share install` and their `uninstall`.

import { shellWord } from '../../../base/command-line.ts';
import { maskValues } from '../../../base/secrets/mask-values.ts';
import { visible, visibleLine } from '../../../base/terminal/visible.ts';
import type { ChangedConfig } from '../../../config/edit/change-config.ts';
import type { ExchangedServer } from '../../../config/edit/import-export.ts';
import { withoutSecrets } from '../../../config/edit/spell-entry.ts';
import { modeForOthers } from '../../../config/edit/written-secrets.ts';
import type { HostProgram } from '../../../config/hosts/host-program.ts';
import type { WrapOutcome } from '../../../config/wrap/wrap-servers.ts';
import { ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import type { Wrapped } from '../wrap/host-config.ts';
import type { Output } from './output.ts';

type EditedServer = Omit<ExchangedServer, 'outcome'> & { outcome: ExchangedServer['outcome'] | 'removed' };

interface Edited {
  changed: ChangedConfig;
  servers: readonly EditedServer[];
  dryRun: boolean;
  from?: readonly string[];
  /** Host whose config was written. Default: Standpipe. */
  host?: HostProgram | undefined;
  advice?: readonly string[];
  next?: string | undefined;
}

export function tellEdited(out: Output, { changed, servers, dryRun, from, host, advice = [], next }: Edited): number {
  const { file, isNew, before, after, backup, problems, secrets } = changed;
  const mask = maskValues({}, secrets);
  const diff = diffLines(before, after).map((line) => visible(mask(line)));
  const warnings = [
    ...problems.map(({ server, message, suggestion }) =>
      [`"${server}": ${message}.`, ...(suggestion ? [suggestion] : [])].join(' '),
    ),
    ...servers.flatMap(({ name, secrets = [] }) =>
      secrets.length > 0 ? secretsWarning(name, secrets, file, host) : [],
    ),
    ...(servers.some(({ secrets }) => secrets) ? fileWarnings(changed) : []),
  ];
  const isRefused = servers.some(({ outcome }) => outcome === 'refused' || outcome === 'exists');
  if (out.json) {
    out.document({
      ...(from ? { from } : {}),
      file,
      created: isNew && after !== before,
      servers,
      backup: backup ?? null,
      warnings: [...warnings, ...referenceLines(servers, changed), ...advice],
      next,
      ...(dryRun ? { dryRun, diff: diff.join('\n') } : {}),
    });
    return isRefused ? ExitCode.usage : ExitCode.done;
  }
  for (const each of from ?? []) out.say(out.paintError('dim', `From ${visibleLine(each)}`));
  if (dryRun) {
    if (diff.length > 0) out.write(`--- ${visibleLine(file)}\n+++ ${visibleLine(file)}\n${diff.join('\n')}\n`);
    else out.say('Nothing would change.');
  }
  for (const { name, outcome, reason, lost = [], relative = [] } of servers) {
    const why = reason === undefined ? '' : `: ${visibleLine(reason)}`;
    if (!dryRun || outcome === 'refused' || outcome === 'exists')
      out.say(`${visibleLine(name)}: ${words[outcome]}${why}`);
    if (lost.length > 0) out.say(`${visibleLine(name)}: without ${lost.join(', ')}, which the host does not support`);
    if (relative.length > 0)
      out.say(
        visibleLine(`${name}: the host may start it in another folder; write the full path of ${relative.join(', ')}`),
      );
  }
  for (const warning of warnings) out.tell('warning', visibleLine(warning));
  if (servers.length === 0) out.say('There are no servers.');
  if (!dryRun && after !== before) {
    out.say(`${isNew ? 'Created' : 'Changed'} ${visibleLine(file)}${backup ? `; backup: ${visibleLine(backup)}` : ''}`);
  }
  for (const line of [...referenceLines(servers, changed), ...advice]) out.say(visibleLine(line));
  if (next !== undefined && !dryRun && after !== before) out.say(`Next: ${visibleLine(next)}`);
  return isRefused ? ExitCode.usage : ExitCode.done;
}

function secretsWarning(name: string, secrets: readonly string[], file: string, host?: HostProgram): string {
  return `"${name}" has secrets in plain text in ${file}: ${secrets.join(', ')}. To keep them out of the file, ${withoutSecrets(host)}.`;
}

/** Warnings about who else can read a file with secrets. */
export function fileWarnings({ file, isNew, scope }: Pick<ChangedConfig, 'file' | 'isNew' | 'scope'>): string[] {
  const mode = isNew ? undefined : modeForOthers(file);
  return [
    ...(mode === undefined
      ? []
      : [`Other users of this machine can read ${file} (mode ${mode}). Run: chmod 600 ${shellWord(file)}`]),
    ...(scope === 'project' ? [`${file} belongs to the project: do not commit it with secrets.`] : []),
  ];
}

function referenceLines(servers: readonly EditedServer[], { inputs }: ChangedConfig): string[] {
  return servers.flatMap(({ name, references = [] }) => {
    if (references.length === 0) return [];
    const list = references.join(', ');
    return inputs
      ? [`${name}: secrets were replaced by inputs; the host prompts for them: ${list}`]
      : [`${name}: secrets were replaced by references; set these variables in the environment of the host: ${list}`];
  });
}

const words: Readonly<Record<EditedServer['outcome'], string>> = {
  added: 'added',
  already: 'already present',
  replaced: 'replaced',
  removed: 'removed',
  exists: 'not changed: a server of this name exists (--force replaces it)',
  refused: 'not written',
};

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
  for (const warning of warnings) out.tell('warning', visibleLine(warning));
  if (dryRun) out.say(diff.length > 0 ? 'Nothing was written (--dry-run).' : 'Nothing would change.');
  else if (after !== before) out.say(`Changed ${visibleLine(file)}`);
  if (backup) out.say(`Backup: ${visibleLine(backup)}`);
  if (!dryRun && after !== before) out.say('Restart the program that reads this config to apply the change.');
  return ExitCode.done;
}

const CONTEXT = 3;

/** One block in the style of `diff -u`, from the first line that differs to the last one: changes of a config are close together. */
export function diffLines(before: string, after: string): string[] {
  if (before === after) return [];
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const from = Math.max(0, start - CONTEXT);
  const around = Math.min(end, CONTEXT);
  return [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
    ...now.slice(now.length - end, now.length - end + around).map((line) => ` ${line}`),
  ];
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
