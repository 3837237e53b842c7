// Prints the report of the commands that change a config: `add`, `rm`, `import` and `export`.

import { shellWord } from '../../../base/command-line.ts';
import { maskValues } from '../../../base/secrets/mask-values.ts';
import { visible, visibleLine } from '../../../base/terminal/visible.ts';
import type { ChangedConfig } from '../../../config/edit/change-config.ts';
import type { ExchangedServer } from '../../../config/edit/import-export.ts';
import { withoutSecrets } from '../../../config/edit/spell-entry.ts';
import { modeForOthers } from '../../../config/edit/written-secrets.ts';
import type { HostProgram } from '../../../config/hosts/host-program.ts';
import { ExitCode } from '../exit-code.ts';
import { diffLines } from './diff-lines.ts';
import type { Output } from './output.ts';

type EditedServer = Omit<ExchangedServer, 'outcome'> & { outcome: ExchangedServer['outcome'] | 'removed' };

export interface Edited {
  changed: ChangedConfig;
  servers: readonly EditedServer[];
  dryRun: boolean;
  /** Files that servers were read from. */
  from?: readonly string[];
  /** Host whose config was written. Default: Standpipe. */
  host?: HostProgram | undefined;
  /** Advice about the written entries. */
  advice?: readonly string[];
  /** A command to run next. */
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
  for (const warning of warnings) out.say(`${out.paintError('yellow', 'warning:')} ${visibleLine(warning)}`);
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

/** Describes the references that `--secrets reference` has written. */
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
