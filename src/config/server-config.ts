// The settings of one server: validated, expanded, with all defaults. Plain data.

import { SHARED_MAX_FRAME_VALUES } from '../base/count-json-values.ts';
import type { Era, Revision } from '../mcp/revisions.ts';
import type { StopWaits } from '../wire/process/tree/stop-ladder.ts';
import type { Position } from './problem.ts';

export const restartPolicies = ['always', 'on-failure', 'never'] as const;

export interface RestartLimits {
  /** `always`: after every exit that was not requested. `on-failure`: not after exit code 0. `never`. */
  policy: (typeof restartPolicies)[number];
  /** At most this many restarts within `periodMs`. */
  maxRestarts: number;
  periodMs: number;
  /** Delay before the first restart. It doubles with every failure, up to `maxBackoffMs`. */
  backoffMs: number;
  maxBackoffMs: number;
  /** After this much uptime, earlier failures are forgotten. */
  resetAfterMs: number;
}

/** Which clients share a process of the server. */
export const shareModes = ['all', 'principal', 'client', 'call'] as const;

export interface SharePolicy {
  /** One process for all clients, for each principal, for each client, or a new one for each call of a tool. */
  by: (typeof shareModes)[number];
  /** Does not count the process of the host itself, which answers requests unrelated to a client. */
  maxProcesses: number;
  /** A process of a principal or client is stopped after this time without use. */
  idleMs: number;
}

/** Nodes and number of replicas of a server in a fleet. */
export interface Place {
  /** Labels that a node must have, all of them. */
  labels: readonly string[];
  /** Number of processes, on different nodes where possible. */
  replicas: number;
  /** `nodes`: never two replicas on one node, even if some then run nowhere. `prefer`: on different nodes where possible. */
  spread: (typeof spreads)[number];
  /** Any replica may answer any request, and more than `replicas` processes may run at a time. */
  stateless: boolean;
}

export const spreads = ['nodes', 'prefer'] as const;
/** Limit for the replicas of a server. */
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
  /** Absolute. */
  cwd: string;
  protocol: 'mcp' | 'litemcp';
  /** Name for `framingByName`. Default: the framing of the protocol. */
  framing: string | undefined;
  /** Missing members default to `defaultStopWaits`. */
  stop: Readonly<Partial<StopWaits>>;
  /** Whether processes that left the session of the server keep running when it is stopped. */
  keepDaemons: boolean;
  /**
   * Session of the lease of its processes. They are killed if the lease is not renewed in time, and are not started without it. Set
   * by a fleet for the servers that it runs here.
   */
  lease?: string | undefined;
  url?: undefined;
}

export interface RemoteConfig extends ServerSettings {
  url: string;
  /** `auto`: Streamable HTTP, then HTTP+SSE of 2024-11-05 if the server refuses it. */
  transport: RemoteTransport;
  /** Sent with every request. Their values are secrets. Credentials in the address of an entry become `Authorization`. */
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
  /** The https URL of a client-id metadata document. It is used as the client id if the authorization server supports that. */
  clientMetadataUrl?: string | undefined;
  /** Port of the redirect address, for clients that are registered with a fixed port. */
  callbackPort?: number | undefined;
  /** `client_credentials`: the client logs in without user interaction. */
  grant?: (typeof oauthGrants)[number] | undefined;
}

export const oauthGrants = ['authorization_code', 'client_credentials'] as const;

export const remoteTransports = ['auto', 'http', 'sse'] as const;
export type RemoteTransport = (typeof remoteTransports)[number];

export interface ServerSettings {
  name: string;
  enabled: boolean;
  /** Start with the host; otherwise at first use. */
  autoStart: boolean;
  /** MCP era. `auto` detects it. If `revision` is set, only that revision is tried. */
  era: 'auto' | Era;
  revision: Revision | undefined;
  startupTimeoutMs: number;
  requestTimeoutMs: number;
  /** Timeout of a ping after a request has timed out; then the server is restarted. 0: no ping. */
  pingTimeoutMs: number;
  /** Limit for a message from the server, in bytes. */
  maxFrameBytes: number;
  /** Limit for JSON values in a message from the server. */
  maxFrameValues: number;
  restart: Readonly<RestartLimits>;
  share: Readonly<SharePolicy>;
  /** Tools that send requests to their client, or true for all. Their calls never overlap with another client. Others are detected. */
  asks: boolean | readonly string[];
  /** Client capabilities to announce to a server of a revision before 2026-07-28. */
  clientCapabilities: readonly InputCapability[];
  tools: ToolRules;
  /** Secret values in `command`, `args`, `cwd`, `url` or `oauth`, besides those of `env` and `headers`. */
  secrets: readonly string[];
  /** Excluded from the combined server, and without an address on the gateway. Set by a fleet for the servers that it runs here. */
  unlisted: boolean;
  /** Position of the entry. */
  source: Position;
}

export const inputCapabilities = ['elicitation', 'sampling', 'roots'] as const;
export type InputCapability = (typeof inputCapabilities)[number];

/** Globs: `*` matches any characters, `?` one. */
export interface ToolRules {
  /** Default: all tools. */
  allow?: readonly string[];
  /** Takes precedence over `allow`. */
  deny?: readonly string[];
}

/**
 * A server that exits without being stopped is restarted, whatever its exit code. With four restarts in half a minute, a server
 * that exits immediately is started five times.
 */
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

export const defaultPlace: Readonly<Place> = { labels: [], replicas: 1, spread: 'prefer', stateless: false };

/** Default settings of every entry. */
export const defaultSettings: Readonly<Omit<ServerSettings, 'name' | 'source'>> = {
  enabled: true,
  autoStart: true,
  era: 'auto',
  revision: undefined,
  // A JVM, `npx` or `docker` may be slow, especially at the first start.
  startupTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  // Long enough for a server that computes without reading its input: only a server that hangs must be restarted.
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
  tools: {},
  secrets: [],
  unlisted: false,
};

/** Additional defaults of a local server. */
export const defaultCommandSettings: Readonly<Omit<CommandConfig, keyof ServerSettings | 'command' | 'cwd' | 'url'>> = {
  args: [],
  env: {},
  protocol: 'mcp',
  framing: undefined,
  stop: {},
  keepDaemons: false,
};

/** Additional defaults of a remote server. */
export const defaultRemoteSettings: Readonly<Omit<RemoteConfig, keyof ServerSettings | 'command' | 'url'>> = {
  transport: 'auto',
  headers: {},
  oauth: {},
  ca: undefined,
  protocol: 'mcp',
};
