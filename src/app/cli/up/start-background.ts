// Starts the host of a config in the background. If several programs do so at once, one starts it and the others wait for its
// socket. The host does not keep the terminal or the folder of that program. It gets only the environment variables that servers
// inherit, those of OpenTelemetry, and those that the config refers to.

import { closeSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { shellWords } from '../../../base/command-line.ts';
import { durationText } from '../../../base/duration.ts';
import { type ErrorDescription, errorFrom } from '../../../base/error-json.ts';
import { ProcessError, toError, UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { ensureRuntimeFolder, runtimeFolder } from '../../../observe/live/runtime-folder.ts';
import { tryFileLock } from '../../../wire/process/files/file-lock.ts';
import { openPrivateSync } from '../../../wire/process/files/private-file.ts';
import { getDefaultEnvironment } from '../../../wire/process/launch/environment.ts';
import { type DetachedStart, startDetached } from '../../../wire/process/launch/start-detached.ts';
import { isServed } from '../../../wire/transport/local-socket.ts';
import { mainFile } from '../../built-files.ts';
import type { Settings } from '../invocation.ts';
import { certainControlPath, configFileOf, configOptions, controlNameOf } from '../servers/running-host.ts';
import { auditFile } from './audit-host.ts';
import { hostLogFile } from './host-log.ts';
import { telemetryVariables } from './host-telemetry.ts';

export interface BackgroundOptions {
  /** Time in ms without clients after which the host ends. */
  idleMs?: number | undefined;
  /** Options of `up`, relative to the current folder. Without them each server starts at its first use. */
  words?: readonly string[];
  /** The host joins a fleet, whose servers may refer to any variable. */
  hasFleet?: boolean;
}

export interface BackgroundHost {
  pid: number;
  log: string;
  stop: string;
  text: string;
}

const LOOK_MS = 50;

export type StartReport = { error?: ErrorDescription };

/** Resolves when the host is running. Undefined if another program has started it. */
export async function startInBackground(
  settings: Settings,
  options: BackgroundOptions,
): Promise<BackgroundHost | undefined> {
  const folder = runtimeFolder();
  ensureRuntimeFolder(folder);
  const path = certainControlPath(settings);
  const lock = join(folder, `${controlNameOf(settings)}.start`);
  for (;;) {
    if (await isServed(path)) return undefined;
    const done = await tryFileLock(lock, async () => ((await isServed(path)) ? undefined : start(settings, options)));
    if (done) return done.result;
    await new Promise<void>((again) => systemClock.after(LOOK_MS * (0.5 + Math.random()), again));
  }
}

async function start(
  settings: Settings,
  { idleMs, words, hasFleet }: BackgroundOptions,
): Promise<BackgroundHost | undefined> {
  if (settings.discover) {
    throw new UsageError('NOT_SUPPORTED', 'A background host needs one config file', {
      hint: 'Name the file with --config FILE.',
    });
  }
  const file = configFileOf(settings);
  const log = hostLogFile(settings)!;
  const options = words ?? ['--on-demand', '--no-inspector', '--idle', durationText(idleMs!)];
  const audit = options.includes('--audit') ? undefined : auditFile(undefined);
  const audited = audit === undefined ? [] : ['--audit', resolve(audit)];
  const args = ['up', ...configOptions(settings), '--log', log, ...audited, ...options];
  const output = openPrivateSync(log);
  let started: DetachedStart;
  try {
    const needed = file === undefined ? {} : variablesOf(file);
    const env = hasFleet
      ? ({ ...process.env } as Record<string, string>)
      : { ...getDefaultEnvironment(), ...telemetryVariables(), ...needed };
    const cwd = words ? process.cwd() : file === undefined ? homedir() : projectFolder(file);
    started = await startDetached([mainFile, ...args], { cwd, env, output });
  } catch (cause) {
    throw new ProcessError('SPAWN_FAILED', `The host could not be started: ${toError(cause).message}`, { cause });
  } finally {
    closeSync(output);
  }
  const { pid, report, end } = started;
  if (report === undefined) {
    throw new ProcessError('PROCESS_EXITED', `The host exited during its start (${end})`, { hint: `See ${log}.` });
  }
  const { error } = report as StartReport;
  if (error?.code === 'HOST_ALREADY_RUNNING') return undefined;
  if (error) throw errorFrom(error);
  const stop = `${ownCommand} ${shellWords(['down', ...configOptions(settings)])}`;
  const ends = idleMs === undefined ? '' : `; it ends ${durationText(idleMs)} after its last client disconnects`;
  const text = `started a host in the background (process ${pid}). Log: ${log}. Stop it with \`${stop}\`${ends}.`;
  return { pid, log, stop, text };
}

/** The folder in which the host of a config is started, and the base of relative paths in the config. */
function projectFolder(file: string): string {
  const folder = dirname(file);
  return ['.cursor', '.vscode'].includes(basename(folder)) ? dirname(folder) : folder;
}

/** Variables of this process that the config refers to: `${env:NAME}`, `${NAME}`, and those of inputs. */
function variablesOf(file: string): Record<string, string> {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // the host reports the error
  }
  const names = new Set([...text.matchAll(/\$\{(?:env:)?([A-Za-z_][\w.()]*)/g)].map(([, name]) => name!));
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (names.has(entry[0]) || entry[0].startsWith('STANDPIPE_INPUT_')),
    ),
  );
}
