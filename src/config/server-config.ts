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
  /** The first wait; it doubles with every failure, up to `maxBackoffMs`. */
  backoffMs: number;
  maxBackoffMs: number;
  /** After this much uptime, earlier failures are forgotten. */
  resetAfterMs: number;
}

/** Who shares a process of the server. */
export const shareModes = ['all', 'principal', 'client', 'call'] as const;

export interface SharePolicy {
  /** One process for all clients, for each principal, for each client, or a new one for each call of a tool. */
  by: (typeof shareModes)[number];
  /** Not counting the process of the host itself, which answers what belongs to no client. */
  maxProcesses: number;
  /** A process of a principal or of a client ends when it was not used for this long. */
  idleMs: number;
}

/** On which nodes of a fleet a server runs, and how often. */
export interface Place {
  /** The node must have all of these. */
  labels: readonly string[];
  /** How many processes, on as many nodes where possible. */
  replicas: number;
  /** `nodes`: never two replicas on one node, even if some then run nowhere. `prefer`: on different nodes where possible. */
  spread: (typeof spreads)[number];
  /** Any replica may answer any request, and more than `replicas` processes do no harm. */
  stateless: boolean;
}

export const spreads = ['nodes', 'prefer'] as const;
/** Of a server. */
export const MOST_REPLICAS = 1_000;
/** Of a server, and of a node. */
export const MOST_LABELS = 100;

/** A server that is started as a command, or a remote one. */
export type ServerConfig = CommandConfig | RemoteConfig;

export interface CommandConfig extends ServerSettings {
  command: string;
  args: readonly string[];
  /** Added to the short list of inherited variables: the `envFile`, overridden by `env`. */
  env: Readonly<Record<string, string>>;
  /** Absolute. */
  cwd: string;
  protocol: 'mcp' | 'litemcp';
  /** A name for `framingByName`. Undefined: the framing of the protocol. */
  framing: string | undefined;
  /** Missing members are taken from `defaultStopWaits`. */
  stop: Readonly<Partial<StopWaits>>;
  /** Whether processes that left the session of the server keep running when it is stopped. */
  keepDaemons: boolean;
  /**
   * The session of the lease that its processes run under: they are killed if it is not renewed in time, and none is started
   * without it. Set by a fleet for what it runs here.
   */
  lease?: string | undefined;
  url?: undefined;
}

export interface RemoteConfig extends ServerSettings {
  url: string;
  /** `auto`: Streamable HTTP, and HTTP+SSE of 2024-11-05 where a server refuses that. */
  transport: RemoteTransport;
  /** Sent with every request. Their values are secrets. Credentials in the address of an entry become `Authorization`. */
  headers: Readonly<Record<string, string>>;
  /** What is known for logging in. False: a server that asks for it is refused. */
  oauth: Readonly<OAuthSettings> | false;
  /** A file with the certificates of the authorities to trust, instead of the known ones. Absolute. */
  ca: string | undefined;
  protocol: 'mcp';
  command?: undefined;
}

/** Of a server that other nodes of a fleet run: `nats://<fleet>/<name>`. No config file may contain one. */
export function isOfFleet({ url }: ServerConfig): boolean {
  return url?.startsWith('nats:') === true;
}

/** Undefined members are found out or asked for. */
export interface OAuthSettings {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  scopes?: readonly string[] | undefined;
  /** The https URL of a client-id metadata document, which is the client id where the authorization server supports it. */
  clientMetadataUrl?: string | undefined;
  /** The port of the redirect, for clients that are registered with one. */
  callbackPort?: number | undefined;
  /** `client_credentials`: the client logs in by itself, without a person. */
  grant?: (typeof oauthGrants)[number] | undefined;
}

export const oauthGrants = ['authorization_code', 'client_credentials'] as const;

export const remoteTransports = ['auto', 'http', 'sse'] as const;
export type RemoteTransport = (typeof remoteTransports)[number];

export interface ServerSettings {
  name: string;
  enabled: boolean;
  /** Started with the host; otherwise at first use. */
  autoStart: boolean;
  /** Of MCP. `auto` detects it; if `revision` is set, only that is tried. */
  era: 'auto' | Era;
  revision: Revision | undefined;
  startupTimeoutMs: number;
  requestTimeoutMs: number;
  /** Timeout of a ping after a request has timed out; then the server is restarted. 0: no ping. */
  pingTimeoutMs: number;
  /** The longest message that is read from the server. */
  maxFrameBytes: number;
  /** The most JSON values in a message that is read from the server. */
  maxFrameValues: number;
  restart: Readonly<RestartLimits>;
  share: Readonly<SharePolicy>;
  /** Which tools ask their client, or whether all do: no call of another client runs beside them. Others are found out. */
  asks: boolean | readonly string[];
  /** What clients may be asked for, announced to a server of a revision before 2026-07-28. */
  clientCapabilities: readonly InputCapability[];
  tools: ToolRules;
  /** Secret values in `command`, `args`, `cwd`, `url` or `oauth`, besides those of `env` and `headers`. */
  secrets: readonly string[];
  /** Not one of all servers as one, and without an address of its own on the gateway. Set by a fleet for what it runs here. */
  unlisted: boolean;
  /** The start of the entry. */
  source: Position;
}

export const inputCapabilities = ['elicitation', 'sampling', 'roots'] as const;
export type InputCapability = (typeof inputCapabilities)[number];

/** Globs: `*` matches any characters, `?` one. */
export interface ToolRules {
  /** Undefined: all tools. */
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

/** A process takes some 50 MB: the limit keeps those of one server below a gigabyte. */
export const defaultShare: Readonly<SharePolicy> = { by: 'all', maxProcesses: 16, idleMs: 5 * 60_000 };

export const defaultPlace: Readonly<Place> = { labels: [], replicas: 1, spread: 'prefer', stateless: false };

/** The settings of an entry that says only where the server is. */
export const defaultSettings: Readonly<Omit<ServerSettings, 'name' | 'source'>> = {
  enabled: true,
  autoStart: true,
  era: 'auto',
  revision: undefined,
  // A JVM, `npx` or `docker` may be slow, especially at the first start.
  startupTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  // Long enough for a server that computes without reading its input: only one that hangs should be restarted.
  pingTimeoutMs: 30_000,
  // All servers share one thread and one heap. A message within both limits takes at most about a quarter of a second and
  // 100 MB, whatever its content. The limits are a quarter of those of a client of one server.
  maxFrameBytes: 16 * 1024 * 1024,
  maxFrameValues: SHARED_MAX_FRAME_VALUES,
  restart: defaultRestart,
  share: defaultShare,
  asks: false,
  // Clients of a host differ; a question that its client cannot answer is refused when it comes.
  clientCapabilities: inputCapabilities,
  tools: {},
  secrets: [],
  unlisted: false,
};

/** In addition, of an entry with nothing but a command. */
export const defaultCommandSettings: Readonly<Omit<CommandConfig, keyof ServerSettings | 'command' | 'cwd' | 'url'>> = {
  args: [],
  env: {},
  protocol: 'mcp',
  framing: undefined,
  stop: {},
  keepDaemons: false,
};

/** In addition, of an entry with nothing but an address. */
export const defaultRemoteSettings: Readonly<Omit<RemoteConfig, keyof ServerSettings | 'command' | 'url'>> = {
  transport: 'auto',
  headers: {},
  oauth: {},
  ca: undefined,
  protocol: 'mcp',
};
