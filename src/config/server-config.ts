// The settings of one server: validated, expanded, with all defaults. Plain data. read/keys.ts describes the keys for users.

import { SHARED_MAX_FRAME_VALUES } from '../base/count-json-values.ts';
import { UsageError } from '../base/errors.ts';
import { globMatcher } from '../base/glob.ts';
import type { Era, Revision } from '../mcp/revisions.ts';
import type { StopWaits } from '../wire/process/tree/stop-ladder.ts';
import type { LockMode, ServerLock } from './lock/server-lock.ts';
import type { Position } from './problem.ts';

export const restartPolicies = ['always', 'on-failure', 'never'] as const;

export interface RestartLimits {
  policy: (typeof restartPolicies)[number];
  maxRestarts: number;
  periodMs: number;
  backoffMs: number;
  maxBackoffMs: number;
  resetAfterMs: number;
}

export const shareModes = ['all', 'principal', 'client', 'call'] as const;

export interface SharePolicy {
  by: (typeof shareModes)[number];
  /** Does not count the process of the host itself, which answers requests unrelated to a client. */
  maxProcesses: number;
  idleMs: number;
}

/** The host's own tasks, for clients that declare the extension Tasks and a server that does not have it. */
export interface TaskSettings {
  /** How long a call may run before it is answered with a task. */
  afterMs: number;
}

/** Nodes and number of replicas of a server in a fleet. */
export interface Place {
  labels: readonly string[];
  replicas: number;
  spread: (typeof spreads)[number];
  stateless: boolean;
}

export const spreads = ['nodes', 'prefer'] as const;
export const MOST_REPLICAS = 1_000;
/** Limit for the labels of a server or a node. */
export const MOST_LABELS = 100;

/** A local server, started as a command, or a remote server. */
export type ServerConfig = CommandConfig | RemoteConfig;

export interface CommandConfig extends ServerSettings {
  command: string;
  args: readonly string[];
  /** Variables of the `envFile`, overridden by `env`. They are added to the short list of inherited variables. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  protocol: 'mcp' | 'litemcp';
  /** Name for `framingByName`. Default: the framing of the protocol. */
  framing: string | undefined;
  /** Missing members default to `defaultStopWaits`. */
  stop: Readonly<Partial<StopWaits>>;
  keepDaemons: boolean;
  /** Set by a fleet: the session of the lease. Processes are killed if the lease is not renewed in time, and are not started without it. */
  lease?: string | undefined;
  url?: undefined;
}

export interface RemoteConfig extends ServerSettings {
  url: string;
  transport: RemoteTransport;
  /**
   * Headers of every request. Their values are secrets. Credentials in the address of an entry become `Authorization`.
   */
  headers: Readonly<Record<string, string>>;
  /** Login settings. False disables logins: a server that requires one cannot be used. */
  oauth: Readonly<OAuthSettings> | false;
  /** Absolute path of a file with trusted CA certificates, which replace the default ones. */
  ca: string | undefined;
  protocol: 'mcp';
  command?: undefined;
}

/** Address of a server on other nodes of a fleet: `nats://<fleet>/<name>`. Config files must not contain one. */
export function isOfFleet({ url }: ServerConfig): boolean {
  return url?.startsWith('nats:') === true;
}

/** Undefined members are discovered or requested from the user. */
export interface OAuthSettings {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  scopes?: readonly string[] | undefined;
  clientMetadataUrl?: string | undefined;
  callbackPort?: number | undefined;
  grant?: (typeof oauthGrants)[number] | undefined;
}

export const oauthGrants = ['authorization_code', 'client_credentials'] as const;

export const remoteTransports = ['auto', 'http', 'sse'] as const;
export type RemoteTransport = (typeof remoteTransports)[number];

export interface ServerSettings {
  name: string;
  enabled: boolean;
  autoStart: boolean;
  era: 'auto' | Era;
  revision: Revision | undefined;
  startupTimeoutMs: number;
  requestTimeoutMs: number;
  pingTimeoutMs: number;
  maxFrameBytes: number;
  maxFrameValues: number;
  restart: Readonly<RestartLimits>;
  share: Readonly<SharePolicy>;
  /**
   * Tools that send requests to their client, or true for all. Their calls never overlap with another client. Such
   * requests of other tools are detected.
   */
  asks: boolean | readonly string[];
  clientCapabilities: readonly InputCapability[];
  /** The settings of tasks of the host; if undefined, calls of the server never become tasks of the host. */
  tasks: Readonly<TaskSettings> | undefined;
  tools: ToolRules;
  /** What to do with definitions that the lock does not approve. Default: `hide` if there is a lock beside the config. */
  locked: LockMode | undefined;
  /** The part of the lock for this server. Undefined: its definitions are not checked. */
  lock?: ServerLock | undefined;
  /** Secret values in `command`, `args`, `cwd`, `url` or `oauth`, besides those of `env` and `headers`. */
  secrets: readonly string[];
  /** Set by a fleet: excluded from the combined server, and without an address on the gateway. */
  unlisted: boolean;
  source: Position;
}

export const inputCapabilities = ['elicitation', 'sampling', 'roots'] as const;
export type InputCapability = (typeof inputCapabilities)[number];

export interface ToolRules {
  allow?: readonly string[];
  deny?: readonly string[];
}

export const defaultRestart: Readonly<RestartLimits> = {
  policy: 'always',
  maxRestarts: 4,
  periodMs: 30_000,
  backoffMs: 250,
  maxBackoffMs: 30_000,
  resetAfterMs: 60_000,
};

/** A process needs about 50 MB, so the limit keeps the processes of one server below 1 GB. */
export const defaultShare: Readonly<SharePolicy> = { by: 'all', maxProcesses: 16, idleMs: 5 * 60_000 };

/** The default time is long enough for most calls, and far below the 60 s after which many clients give up. */
export const defaultTasks: Readonly<TaskSettings> = { afterMs: 10_000 };

export const defaultPlace: Readonly<Place> = { labels: [], replicas: 1, spread: 'prefer', stateless: false };

export const defaultSettings: Readonly<Omit<ServerSettings, 'name' | 'source'>> = {
  enabled: true,
  autoStart: true,
  era: 'auto',
  revision: undefined,
  // A JVM, `npx` or `docker` may be slow, especially at the first start.
  startupTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  // The timeout is long enough for a server that computes without reading its input: only a server that hangs must be
  // restarted.
  pingTimeoutMs: 30_000,
  // All servers share one thread and one heap. A message within both limits takes at most about a quarter of a second and
  // 100 MB, whatever its content. The limits are a quarter of those of a client of one server.
  maxFrameBytes: 16 * 1024 * 1024,
  maxFrameValues: SHARED_MAX_FRAME_VALUES,
  restart: defaultRestart,
  share: defaultShare,
  asks: false,
  // Clients of a host differ in capabilities. A server request that the client cannot answer is refused.
  clientCapabilities: inputCapabilities,
  // A task outlives its request, and its result takes memory until its TTL ends: the owner of the server decides that.
  tasks: undefined,
  tools: {},
  locked: undefined,
  secrets: [],
  unlisted: false,
};

export const defaultCommandSettings: Readonly<Omit<CommandConfig, keyof ServerSettings | 'command' | 'cwd' | 'url'>> = {
  args: [],
  env: {},
  protocol: 'mcp',
  framing: undefined,
  stop: {},
  keepDaemons: false,
};

export const defaultRemoteSettings: Readonly<Omit<RemoteConfig, keyof ServerSettings | 'command' | 'url'>> = {
  transport: 'auto',
  headers: {},
  oauth: {},
  ca: undefined,
  protocol: 'mcp',
};

export function toolFilter({ allow, deny = [] }: ToolRules): (tool: string) => boolean {
  const allowed = allow?.map(globMatcher);
  const denied = deny.map(globMatcher);
  return (tool) => (allowed?.some((matches) => matches(tool)) ?? true) && !denied.some((matches) => matches(tool));
}

export function notAllowed(server: string, tool: string): UsageError {
  return new UsageError('TOOL_NOT_ALLOWED', `The config does not allow the tool "${tool}" of server "${server}"`, {
    hint: 'See "tools" (allow, deny) in its entry.',
  });
}
