// One server of a config as everything else sees it: checked, expanded, with every default filled in. Plain data.

import type { Era, Revision } from '../mcp/revisions.ts';
import type { StopWaits } from '../process/tree/stop-ladder.ts';
import type { Position } from './problem.ts';

export interface RestartLimits {
  /** `always`: whenever it ends without being told to. `on-failure`: not after exit code 0. `never`. */
  policy: 'always' | 'on-failure' | 'never';
  /** At most this many restarts within `periodMs`. */
  maxRestarts: number;
  periodMs: number;
  /** The first wait; it doubles with every failure, up to `maxBackoffMs`. */
  backoffMs: number;
  maxBackoffMs: number;
  /** After this much uptime, failures before do not count. */
  resetAfterMs: number;
}

export interface ServerConfig {
  name: string;
  command: string;
  args: readonly string[];
  /** What the entry adds to the short list of inherited variables: its `envFile`, and over that its `env`. */
  env: Readonly<Record<string, string>>;
  /** Absolute. */
  cwd: string;
  enabled: boolean;
  /** Started with the host; otherwise at first use. */
  autoStart: boolean;
  protocol: 'mcp' | 'litemcp';
  /** A name that `framingByName` knows. Undefined: what the protocol prescribes. */
  framing: string | undefined;
  /** Of MCP. `auto` finds out; `revision` is tried alone. */
  era: 'auto' | Era;
  revision: Revision | undefined;
  startupTimeoutMs: number;
  requestTimeoutMs: number;
  /** How long a ping may stay unanswered after a request timed out, before the server is restarted. 0: it is not asked. */
  pingTimeoutMs: number;
  /** The longest message that is read from the server. */
  maxFrameBytes: number;
  /** The most JSON values in a message that is read from the server. */
  maxFrameValues: number;
  restart: Readonly<RestartLimits>;
  /** What is not given here is as in `defaultStopWaits`. */
  stop: Readonly<Partial<StopWaits>>;
  /** Whether processes that left the server's session live on when it is stopped. */
  keepDaemons: boolean;
  tools: ToolRules;
  /** Values that stand in `command`, `args` or `cwd` and must be shown to nobody, besides those of `env`. */
  secrets: readonly string[];
  /** Where the entry begins. */
  source: Position;
}

/** Globs: `*` stands for any characters, `?` for one. */
export interface ToolRules {
  /** Undefined: all of them. */
  allow?: readonly string[];
  /** Wins over `allow`. */
  deny?: readonly string[];
}

/** A JVM, `npx` or `docker` may take its time, the first time above all. */
export const defaultStartupTimeoutMs = 60_000;
export const defaultRequestTimeoutMs = 60_000;
/** Long enough for one that computes without looking at its input: only one that is lost should be restarted. */
export const defaultPingTimeoutMs = 30_000;

/**
 * All servers share one thread and one heap. A message within both limits takes at most about a quarter of a second and
 * 100 MB, however it is made: a quarter of what a client of one server reads.
 */
export const defaultMaxFrameBytes = 16 * 1024 * 1024;
export const defaultMaxFrameValues = 250_000;

/**
 * A server that ends without being told to comes back, whatever its exit code: it was wanted. With four restarts in half a
 * minute, one that falls at once is started five times and then left alone.
 */
export const defaultRestart: Readonly<RestartLimits> = {
  policy: 'always',
  maxRestarts: 4,
  periodMs: 30_000,
  backoffMs: 250,
  maxBackoffMs: 30_000,
  resetAfterMs: 60_000,
};
