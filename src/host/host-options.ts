// The options of a host and of its methods.

import type { Clock } from '../base/clock.ts';
import type { Evidence } from '../base/errors.ts';
import type { RemoteConfig } from '../config/server-config.ts';
import type { ClientLink } from '../mcp/client/connection.ts';
import type { EraMemory } from '../mcp/client/opening/era-memory.ts';
import type { CallOptions, ClientOptions, InputHandlers } from '../mcp/client/options.ts';
import type { Extension } from '../mcp/extensions/extension.ts';
import type { Service } from '../mcp/service.ts';
import type { FlowStore } from '../observe/flow/store.ts';
import type { WireObserver } from '../wire/wire.ts';
import type { StateChange } from './supervision/server-state.ts';

export interface HostOptions {
  /** Extensions that this host takes part in. All others pass through it unchanged. */
  extensions?: readonly Extension[];
  /** Handlers for requests from a server: elicitation, sampling, roots. */
  inputs?: (server: string) => InputHandlers;
  /** Stores all events in bounded memory. Created if not given. */
  flow?: FlowStore;
  onStateChange?: (change: StateChange) => void;
  /**
   * A server printed non-protocol text to stdout; `text` is the first such text. Called once per start, and again at 10, 100, 1000
   * and so on. Text printed before the server was ready counts as one.
   */
  onNoise?: (noise: { server: string; text: string; count: number }) => void;
  /** The service of a server that nodes of a fleet run (`isOfFleet`). Called for each connection; the service is not started yet. */
  serviceOf?: ServiceOf | undefined;
  /** Why a server of the fleet cannot be reached at the moment. Undefined if it can. */
  whyAway?: ((server: string) => string | undefined) | undefined;
  eraMemory?: EraMemory;
  clock?: Clock;
  random?: () => number;
}

export type ServiceOf = (
  config: RemoteConfig,
  options: { observer: WireObserver | undefined; client: ClientOptions },
) => StartedService | undefined;

/** A service with a beginning and an end. */
export interface StartedService extends Service, ClientLink {
  /** Resolves when the server has described itself. */
  start(): Promise<void>;
  evidence(): Evidence;
}

/** `repeatable`: the call may run twice, regardless of what the tool declares. */
export type HostCallOptions = CallOptions;

export interface HostUseOptions {
  /** Whether the call may run twice. */
  repeatable?: boolean;
  /** Whether it is counted in `calls` of the status. Default: true. */
  counts?: boolean;
  /** The caller's signal. A failure caused by it is not counted in `errors` of the status. */
  signal?: AbortSignal | undefined;
}
