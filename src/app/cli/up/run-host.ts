// Runs `up`: claims the socket of the config, starts the servers, watches the config, and stops everything at the end.

import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { shellWord } from '../../../base/command-line.ts';
import { durationText } from '../../../base/duration.ts';
import { toError } from '../../../base/errors.ts';
import type { Redact } from '../../../base/secrets/redact.ts';
import { shortHash } from '../../../base/short-hash.ts';
import type { ConfigDiff } from '../../../config/files/diff-configs.ts';
import type { Config, LoadOptions } from '../../../config/files/load-config.ts';
import { type ConfigWatch, watchConfig } from '../../../config/files/watch-config.ts';
import { type ConfigProblem, problemText } from '../../../config/problem.ts';
import { userEraMemory } from '../../../connect/file-era-memory.ts';
import { type ControlOptions, type ControlServer, serveControl } from '../../../host/control/control-server.ts';
import { SharedServers } from '../../../host/control/shared-servers.ts';
import { Host, type HostOptions } from '../../../host/host.ts';
import { isAway, type ServerStatus, type StateChange } from '../../../host/supervision/server-state.ts';
import { ensureRuntimeFolder, runtimeFolder } from '../../../observe/live/runtime-folder.ts';
import type { Recorder } from '../../../observe/record/recorder.ts';
import { BoundedLog } from '../../../wire/process/files/bounded-log.ts';
import { stateFolder } from '../../../wire/process/files/cache-folder.ts';
import { reportStart } from '../../../wire/process/launch/start-detached.ts';
import { untilAborted } from '../exit-code.ts';
import { type JoinFlags, readJoinOptions, settingsOfNode } from '../fleet/fleet-options.ts';
import { UpFleet } from '../fleet/up-fleet.ts';
import { DEFAULT_IDLE_MS, type Invocation, type Settings } from '../invocation.ts';
import { openPage } from '../open-page.ts';
import { configOptions, controlPathOf } from '../servers/running-host.ts';
import { noiseText } from '../servers/server-reports.ts';
import { ServerSecrets, showTraffic } from '../servers/show-traffic.ts';
import { type AuditFlags, auditHost } from './audit-host.ts';
import { logStderr } from './host-log.ts';
import { hostTelemetry } from './host-telemetry.ts';
import { type HostServing, type HttpOptions, readHttpOptions, serveHost } from './serve-http.ts';
import { adviceFor, errorLine, jsonView, logView, screenView, type UpView } from './view.ts';
import { Viewers } from './viewers.ts';

export interface UpOptions extends HttpOptions, RecordOptions, AuditFlags, JoinFlags {
  watch: boolean;
  inspector: boolean;
  port?: number;
  open?: boolean;
  /** Time in ms without clients on its socket after which the host ends. */
  idle?: number;
  onDemand?: boolean;
  /** Set for a background host: stdout and stderr are written to this file. */
  log?: string;
}

const noConfig = { servers: [], files: [], problems: [] };

export async function runHost({ settings: given, out, signal }: Invocation, options: UpOptions): Promise<void> {
  const joining = readJoinOptions(options);
  const plan = readHttpOptions(options, joining !== undefined);
  const settings = settingsOfNode(given, joining);
  const fleet = joining && new UpFleet(joining);
  const load: LoadOptions = { file: settings.config, discover: settings.discover };
  let view: UpView | undefined;
  const tell = (text: string) => view?.note(text);
  const viewers = new Viewers(tell);
  const sameConfig = sameOptions(settings);
  const adviceOf = (status: ServerStatus) => adviceFor(status, placeOf(settings, host, status.name), sameConfig);
  const isRepeated = repeatedFailures();
  const controlPath = controlPathOf(settings); // undefined without a config, which `Host.open` reports
  const audit = auditHost(options, { redact: (text) => secrets.redact(text), node: settings.node, note: tell });
  const { telemetry, notes } = await hostTelemetry(tell);
  const hostOptions: HostOptions = {
    layers: (server, facts) => [
      ...(audit ? [audit.layers.ofServer(server)] : []),
      ...(telemetry ? [telemetry.ofServer(server, facts)] : []),
    ],
    eraMemory: userEraMemory(),
    // The socket admits one host at a time.
    ...(controlPath && { stateFile: join(stateFolder(), `${shortHash(controlPath)}.records`) }),
    onStateFileProblem: ({ message }) => tell(`${message}. Tasks of this host may end with it`),
    serviceOf: fleet?.serviceOf,
    whyAway: fleet?.whyAway,
    recordsOf: fleet?.recordsOf,
    ...(options.inspector && { inputs: viewers.questions.inputs }),
    onUnapproved: ({ server, message }) => tell(`${server}: ${message}`),
    onNoise: ({ server, text, count }) =>
      tell(
        count === 1
          ? `${noiseText(server, text)} (stdout is for protocol messages only)`
          : `${server} printed non-protocol text to stdout ${count} times so far`,
      ),
    onStateChange: (change) => {
      const isNew = !isRepeated(change);
      if (isNew || out.json) view?.changed(change);
      const failed = isNew && isAway(change.to) && host.status().find(({ name }) => name === change.server);
      if (failed) view?.advise(adviceOf(failed));
    },
  };
  const isWithoutConfig = settings.shared || settings.node !== undefined;
  const host = isWithoutConfig ? new Host([], hostOptions) : await Host.open(load, hostOptions);
  const { config } = host; // read here, before a client can add a server
  const { servers, files: configFiles, problems } = config ?? noConfig;
  const secrets = new ServerSecrets(servers);
  const { idle } = options;
  const shared = new SharedServers(host, {
    clock: systemClock,
    idleMs: idle ?? DEFAULT_IDLE_MS,
    onAdd: (all) => secrets.learn(all),
  });
  await fleet?.connect();
  // Claim the socket before starting servers: a second host of the same config must not start any.
  const asked = new AbortController();
  const ending = AbortSignal.any([signal, asked.signal]);
  const control = await openControl(host, controlPath!, {
    onDown: () => asked.abort(),
    shareServer: settings.shared ? (brought) => shared.share(brought) : undefined,
    fleet: fleet?.control,
    layers: telemetry && [telemetry.ofSocket()],
    idleMs: idle,
    onIdle: () => {
      tell(`no client was connected for ${durationText(idle!)}`);
      asked.abort();
    },
  }).catch(async (error: unknown) => {
    await fleet?.leave();
    throw error;
  });
  const read = () => ({ servers: host.status(), advice: host.status().flatMap(adviceOf) });
  const log = options.log === undefined ? undefined : new BoundedLog(options.log, 1);
  if (log) logStderr(host.flow, log, secrets.redact);
  const shown = out.json ? jsonView(out) : out.onTerminal ? screenView(out, read) : logView(log ?? out);
  view = shown;
  if (settings.verbose) showTraffic(host.flow, out, secrets.redact);
  const files = settings.shared
    ? 'standpipe connect'
    : configFiles.map(({ file }) => file).join(', ') || (fleet?.title ?? '');
  const recorder = await recordHost(host, { name: files, cwd: process.cwd() }, options, secrets.redact, tell);
  const trouble = await viewers.open(host, files, control.path, secrets.redact, configOptions(settings), {
    ...options,
    fleet: fleet?.control.status,
  });
  let http: HostServing | undefined;
  let watching: ConfigWatch | undefined;
  let started: Promise<unknown> | undefined;
  const end = async () => {
    await watching?.close();
    await Promise.all([http?.close(), fleet?.retire()]);
    await control.close();
    await fleet?.leave();
    await host.stop();
    await started;
    // Viewers close last, so that they get the final events.
    await viewers.close();
    // The host is stopped after the Inspector, which can start servers until it is closed.
    await host.stop();
    await Promise.all([recorder?.close(), audit?.log.close(), telemetry?.close()]);
  };
  try {
    await audit?.log.open();
    const ownerFile = join(runtimeFolder(), `${basename(control.path, '.sock')}.token`);
    http = plan && (await serveHost(host, plan, ownerFile, tell, { fleet, audit, telemetry }));
    shown.began({ config: files, servers: host.names, inspector: viewers.url, http: http?.url, sameConfig });
    for (const text of [...trouble, ...notes]) shown.note(text);
    if (http) shown.note(`MCP over HTTP at ${http.url} (one server: ${http.url}/<server>). ${http.clients}`);
    if (await recorder?.open()) shown.note(`All traffic is recorded to ${recorder!.file}`);
    if (audit) shown.note(`Calls are recorded in the audit trail ${audit.log.file}`);
    tellProblems(problems, shown);
    let failure: unknown;
    const failed = (error: unknown) => {
      failure = error;
      asked.abort();
    };
    await fleet?.join(host, { url: http?.url, note: tell, learn: (all) => secrets.learn(all), failed });
    const take = (changed: Config) => fleet?.reload(changed) ?? host.reload(changed);
    watching =
      options.watch && config
        ? watchConfig(config, load, ({ config: changed }) => reload(host, changed, take, secrets, shown), {
            onError: (error) => shown.note(`The config could not be reloaded: ${errorLine(error)}`),
          })
        : undefined;
    if (options.log !== undefined) await reportStart({});
    started = ending.aborted || options.onDemand ? undefined : host.start();
    if (options.open && viewers.url) openPage(viewers.url, 'Standpipe Inspector');
    await untilAborted(ending);
    if (failure) throw failure;
    shown.stopping();
  } finally {
    await end();
  }
  shown.ended();
}

async function openControl(host: Host, path: string, options: ControlOptions): Promise<ControlServer> {
  ensureRuntimeFolder(runtimeFolder());
  return serveControl(host, path, options);
}

async function reload(
  host: Host,
  config: Config,
  take: (config: Config) => Promise<ConfigDiff>,
  secrets: ServerSecrets,
  view: UpView,
): Promise<void> {
  secrets.learn(config.servers);
  const before = host.config?.problems ?? [];
  try {
    const { added, removed, changed } = await take(config);
    const what = [
      ...added.map(({ name }) => `${name} added`),
      ...removed.map(({ name }) => `${name} removed`),
      ...changed.map(({ after }) => `${after.name} changed`),
    ];
    if (what.length > 0) view.note(`The config has changed: ${what.join(', ')}`);
    tellProblems(newProblems(before, config.problems), view);
  } catch (error) {
    view.note(`The config change could not be applied: ${errorLine(toError(error))}`);
  }
}

function tellProblems(problems: readonly ConfigProblem[], view: UpView): void {
  for (const problem of problems) {
    view.note(`${problem.severity}: ${problemText(problem)}. ${problem.suggestion ?? ''}`.trimEnd());
  }
}

function sameOptions({ shared, node, config }: Settings): string {
  if (shared) return ' --shared';
  if (node !== undefined) return ` --node ${node}`;
  return config === undefined ? '' : ` --config ${shellWord(relative(process.cwd(), config))}`;
}

function placeOf({ shared }: Settings, host: Host, name: string): string {
  if (shared) return 'its entry in the config of the program that starts it';
  const config = host.config?.servers.find((server) => server.name === name);
  if (!config) return 'the config';
  const { file, line } = config.source;
  return isAbsolute(file) ? `${file}:${line}` : file; // a server of a fleet has no file
}

const whileAway = new Set(['unreachable', 'stopped', 'starting']);

/**
 * An unreachable server is retried repeatedly, but only the first failure and the recovery are reported. The returned function is called
 * with each change and returns whether the change repeats what was reported.
 */
function repeatedFailures(): (change: StateChange) => boolean {
  const away = new Set<string>();
  return ({ server, owner, from, to }) => {
    const key = JSON.stringify([server, owner]);
    const isRepeated = away.has(key) && whileAway.has(to) && from !== 'stopping';
    if (to === 'unreachable') away.add(key);
    else if (!isRepeated) away.delete(key);
    return isRepeated;
  };
}

interface RecordOptions {
  record?: string;
  maxFileBytes?: number;
  maxFiles?: number;
}

/** A failed write does not affect the traffic: it is reported, and recording is tried again. */
async function recordHost(
  host: Host,
  about: { name: string; cwd: string },
  { record: file, maxFileBytes, maxFiles }: RecordOptions,
  redact: Redact,
  note: (text: string) => void,
): Promise<Recorder | undefined> {
  if (file === undefined) return undefined;
  const { record } = await import('../../../observe/record/recorder.ts');
  return record(host.flow, {
    file: resolve(file),
    redact,
    maxFileBytes,
    maxFiles,
    about: { kind: 'host', ...about, record: resolve(file) },
    onFailure: ({ message }) => note(`Cannot record to ${file}: ${message}`),
  });
}

/**
 * Returns the problems that are new since the last load. A problem that only moved to another line is not new; a syntax
 * error at another position is.
 */
export function newProblems(before: readonly ConfigProblem[], now: readonly ConfigProblem[]): ConfigProblem[] {
  const known = new Set(before.map(identity));
  return now.filter((problem) => !known.has(identity(problem)));
}

function identity({ severity, file, server, message, line, column }: ConfigProblem): string {
  const isOfWholeFile = severity === 'error' && server === undefined;
  return JSON.stringify([severity, file, server, message, ...(isOfWholeFile ? [line, column] : [])]);
}
