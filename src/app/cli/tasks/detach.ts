// `call --detach`: leaves the task running and prints its handle. The server must outlive the command.

import { resolve } from 'node:path';
import { shellWords } from '../../../base/command-line.ts';
import { toError, UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { readHeader, secretsInAddress, showsSecret } from '../../../config/expand/address.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';
import type { CallHandle } from '../../../mcp/extensions/default-extensions.ts';
import { TASKS } from '../../../mcp/extensions/tasks/wire-forms.ts';
import { isModernRevision, type Revision } from '../../../mcp/revisions.ts';
import { ExitCode } from '../exit-code.ts';
import type { FleetOptions } from '../fleet/fleet-options.ts';
import { type Invocation, invalidOption } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import { askPerson } from '../servers/ask-person.ts';
import type { Reached } from '../servers/reach-host.ts';
import { configOptions } from '../servers/running-host.ts';
import type { ServerCommandOptions } from '../servers/server-command.ts';
import {
  argumentOf,
  type DetachedTask,
  detachedTasks,
  prepareTasksFolder,
  type ServerPlace,
  shownId,
  storeTask,
} from './detached-tasks.ts';

type Options = ServerCommandOptions & FleetOptions;

/** Checks before a server is started whether the call can be detached, if that is known then. */
export async function prepareDetach(
  { serverCommand, out }: Invocation,
  options: Options,
  { host, running, unanswered }: Reached,
  [first = '']: readonly string[],
): Promise<void> {
  if (serverCommand) {
    throw invalidOption(
      '--detach cannot be used with a command after --: the task would end with the server, which this command stops',
      `Add the server to the config and start a host: ${ownCommand} add <name> -- <command …>, then ${ownCommand} up --background`,
    );
  }
  refuseSecrets(options);
  prepareTasksFolder();
  const { servers } = await host.status();
  const named = servers.find(({ name }) => name === first || first.startsWith(`${name}/`));
  if (!running && !(named ? [named] : servers).some(isRemote)) throw noHost(named?.name);
  // Questions of the task wait for `tasks answer`; those before it are asked here.
  host.inputs = (server) => askPerson(server, out, unanswered);
}

function isRemote({ url }: ServerStatus): boolean {
  return url !== undefined;
}

function noHost(server?: string): UsageError {
  const what = server === undefined ? 'a task' : `a task of "${server}"`;
  return new UsageError('NOT_STARTED', `No host is running for this config: ${what} would end with this command`, {
    hint: `Start a host, which keeps the servers running, and repeat the call: ${ownCommand} up --background`,
  });
}

/** Later commands need the address and the headers, so they are stored. */
function refuseSecrets({ url, header = [] }: Options): void {
  const inAddress = url !== undefined && !url.includes('${') && secretsInAddress(url).length > 0;
  if (!inAddress && !header.map(readHeader).some(showsSecret)) return;
  throw invalidOption(
    '--detach stores the address and the headers for later commands, and they contain a secret',
    "Set a variable and write '${NAME}' in single quotes: Standpipe expands it, and stores the name.",
  );
}

/** How later commands reach the server. Throws if the server has no tasks, or if they would end with this command. */
export async function lastingPlace(
  { settings }: Invocation,
  options: Options,
  reached: Reached,
  server: string,
): Promise<ServerPlace> {
  const { host, running } = reached;
  const find = async () => (await host.status()).servers.find(({ name }) => name === server)!;
  if (!running && !isRemote(await find())) throw noHost(server);
  const { extensions, tasks } = (await host.service(server).describe()).capabilities;
  const status = await find();
  if (running && mayEndBefore(status)) {
    const message = `A process of "${server}" may end before its tasks: its "share" is "${status.share}"`;
    throw new UsageError('NOT_SUPPORTED', message, {
      hint: 'Set "share" of its entry to "all", so that its process runs without clients too.',
    });
  }
  const hasTasks = extensions?.[TASKS] !== undefined || (!running && tasks?.requests?.tools?.call !== undefined);
  if (hasTasks) return placeOf(options, reached, status.source.file, configOptions(settings));
  const entry = '"tasks": {"after": "1s"} in its entry';
  throw new UsageError('NOT_SUPPORTED', `"${server}" has no tasks, so its calls cannot be detached`, {
    hint: running
      ? `Set ${entry}: the host then answers slow calls with tasks.`
      : `Add it to the config with ${entry}, and start a host, which then answers slow calls with tasks: ${ownCommand} up --background`,
  });
}

/**
 * A process that is not shared by all clients ends when its client disconnects, when it is idle, or when another client needs its slot,
 * even if it runs tasks. A server before 2026-07-28 has no tasks that outlive a call: for it, the host has the tasks, and keeps the
 * process until their calls end.
 */
function mayEndBefore({ share, revision }: ServerStatus): boolean {
  return share !== 'all' && isModernRevision(revision as Revision | undefined);
}

/** Stores and prints the handle of a running task. Must not fail, because no other program has the handle. */
export function leaveTask(handle: CallHandle, server: string, place: ServerPlace, out: Output): number {
  const saved = handle.toJSON();
  const detached: DetachedTask = { ...saved, server, place, detachedMs: Date.now() };
  out.activity.end();
  let isStored = true;
  try {
    storeTask(detached);
  } catch (error) {
    isStored = false;
    const message = `The task runs, but \`${ownCommand} tasks\` will not find it: ${toError(error).message}`;
    out.tell('warning', visibleLine(out.json ? message : `${message}. Its handle: ${JSON.stringify(saved)}`));
  }
  if (out.json) out.document({ server, ...saved });
  else out.write(`${visibleLine(argumentOf(handle.taskId))}\n`);
  const follow = shellWords(['tasks', 'wait', shownId(detached, detachedTasks())]);
  if (isStored && !out.json) out.say(`The task continues. Follow it: ${ownCommand} ${visibleLine(follow)}`);
  return ExitCode.done;
}

function placeOf(options: Options, reached: Reached, source: string, start: string[]): ServerPlace {
  const { url, header, transport, era, revision, join, fleet } = options;
  const { natsCreds, natsCa, natsCert, natsKey } = options;
  if (url !== undefined) return { settings: {}, options: { url, header, transport, era, revision } as Options };
  if (join !== undefined) {
    const files = Object.entries({ natsCreds, natsCa, natsCert, natsKey }).flatMap(([name, file]) =>
      file === undefined ? [] : [[name, resolve(file)]],
    );
    return { settings: {}, options: { join, ...(fleet && { fleet }), ...Object.fromEntries(files) } };
  }
  if (reached.control !== undefined) return { settings: { control: reached.control }, options: {}, start };
  return { settings: { config: source, alone: true }, options: {} };
}
