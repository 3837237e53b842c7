// What `tap install` and `share install` have in common: the command that they write into the config of a host, and their report.

import type { WrapResult } from '../../config/wrap/wrap-servers.ts';
import type { WrapOutcome } from '../../config/wrap/wrap-text.ts';
import { ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { mainFile } from '../main-file.ts';

/** Programs started from a desktop get a shorter PATH: the absolute path of this program is used, unless it is in the cache of npx. */
export function wrapperCommand(wrapper: 'tap' | 'connect'): string[] {
  const isCached = /[\\/](?:_npx|dlx(?:-[^\\/]*)?)[\\/]/.test(mainFile);
  return isCached ? ['npx', '-y', 'standpipe', wrapper] : [process.execPath, mainFile, wrapper];
}

export function named(servers: readonly string[]): { servers?: readonly string[] } {
  return servers.length > 0 ? { servers } : {};
}

export function tellWrapped(
  { out }: Invocation,
  { servers, backup }: WrapResult,
  words: Pick<Record<WrapOutcome, string>, 'done' | 'already'>,
): number {
  if (out.json) out.document({ servers, backup: backup ?? null });
  else {
    const all = { ...words, 'not-a-command': 'has no command, it is a remote server: unchanged' };
    for (const { name, outcome, reason } of servers) {
      out.write(`${name}\t${outcome === 'refused' ? `${reason}: unchanged` : all[outcome]}\n`);
    }
    if (backup) out.say(`Backup: ${backup}`);
    if (servers.some(({ outcome }) => outcome === 'done'))
      out.say('Restart the program that reads this config to apply the change.');
  }
  return ExitCode.done;
}
