// What `standpipe show` shows: a recording, or a running tap or host, or one server of a running host.

import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { hintOfNames } from '../../../config/nearest.ts';
import { findLive } from '../../../observe/live/find-live.ts';
import type { LiveDescriptor } from '../../../observe/live/runtime-folder.ts';
import type { Settings } from '../invocation.ts';
import { existingRecording, namesRecording, noRecording } from '../servers/recording-file.ts';
import { controlPathOf, findRunningHost } from '../servers/running-host.ts';

/** `server`: the server of a running host, if only its traffic is shown. */
export type FoundTraffic = { file: string; live?: undefined } | { live: LiveDescriptor; server?: string };

const OTHERWISE = `\`${ownCommand} show\` without a name shows the running tap or host`;

export async function findTraffic(what: string | undefined, settings: Settings): Promise<FoundTraffic> {
  if (what === undefined) return { live: await onlyLive(settings) };
  const file = existingRecording(what);
  if (file !== undefined) return { file };
  if (namesRecording(what)) throw noRecording(what, OTHERWISE);
  const running = await findLive();
  const found = running.filter(({ name, pid }) => name === what || String(pid) === what);
  if (found.length > 1) throw several(found);
  if (found[0]) return { live: found[0] };
  const host = await findRunningHost(settings).catch(() => undefined); // several hosts are running: servers are not searched
  const servers = host ? (await host.status().finally(() => host.close())).servers.map(({ name }) => name) : [];
  const live = running.find(({ control }) => control !== undefined && control === host?.path);
  if (live && servers.includes(what)) return { live, server: what };
  throw new UsageError('NAME_UNKNOWN', `There is no recording, tap, host or server named "${what}"`, {
    hint: hintOfNames(what, [...running.map(({ name }) => name), ...servers], `${OTHERWISE}.`),
  });
}

/** The host of the config; without it, the only running tap or host. */
async function onlyLive(settings: Settings): Promise<LiveDescriptor> {
  const running = await findLive();
  const path = controlPathOf(settings);
  const host = path === undefined ? undefined : running.find(({ control }) => control === path);
  if (host) return host;
  const [only, ...others] = running;
  if (others.length > 0) throw several(running);
  if (only) return only;
  throw new UsageError('NOT_STARTED', 'No tap and no host is running', {
    hint: `Name a recording: ${ownCommand} show FILE. \`${ownCommand} tap -- <command …>\` and \`${ownCommand} up\` start what can be watched.`,
  });
}

function several(running: readonly LiveDescriptor[]): UsageError {
  const names = running.map(({ kind, name, pid }) => `${pid} (${kind} ${visibleLine(name)})`);
  return new UsageError(
    'INVALID_OPTION',
    `${running.length} taps and hosts are running: ${names.slice(0, 20).join(', ')}`,
    {
      hint: `Choose one by its process id: ${ownCommand} show ${running[0]!.pid}`,
    },
  );
}
