// The options of a host and of its methods.

import type { Clock } from '../base/clock.ts';
import type { RemoteConfig } from '../config/server-config.ts';
import type { FlowStore } from '../flow/store.ts';
import type { EraMemory } from '../mcp/client/opening/era-memory.ts';
import type { CallOptions, ClientChannel, InputHandlers } from '../mcp/client/options.ts';
import type { WireObserver } from '../transport/wire.ts';
import type { StateChange } from './supervision/server-state.ts';

export interface HostOptions {
  /** Handlers for requests of a server: elicitation, sampling, roots. */
  inputs?: (server: string) => InputHandlers;
  /** Stores all events in bounded memory. One is made unless given. */
  flow?: FlowStore;
  onStateChange?: (change: StateChange) => void;
  /**
   * A server printed non-protocol text to stdout; `text` is the first of it. Called once per start, and again after 10, 100,
   * 1000 and so on. What it printed before it was ready counts as one.
   */
  onNoise?: (noise: { server: string; text: string; count: number }) => void;
  /** The channel to a server that other nodes of a fleet run (`isOfFleet`). Made for each connection, and not started yet. */
  channelTo?: ChannelTo | undefined;
  /** Why such a server cannot be reached at the moment. Undefined: it can. */
  whyAway?: ((server: string) => string | undefined) | undefined;
  eraMemory?: EraMemory;
  clock?: Clock;
  random?: () => number;
}

export type ChannelTo = (
  config: RemoteConfig,
  options: { observer: WireObserver | undefined; clock: Clock },
) => ClientChannel | undefined;

/** `repeatable`: the call may run twice, regardless of what the tool declares. */
export type HostCallOptions = CallOptions;

export interface HostUseOptions {
  /** It may run twice. */
  repeatable?: boolean;
  /** Whether it counts as one of the `calls` of the status: true by default. */
  counts?: boolean;
  /** Of the caller: a failure caused by it does not count as one of the `errors` of the status. */
  signal?: AbortSignal | undefined;
}
