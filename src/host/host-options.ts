// What a host, and what is done with it, can be told.

import type { Clock } from '../base/clock.ts';
import type { FlowStore } from '../flow/store.ts';
import type { EraMemory } from '../mcp/client/opening/era-memory.ts';
import type { CallOptions, InputHandlers } from '../mcp/client/options.ts';
import type { StateChange } from './server-state.ts';

export interface HostOptions {
  /** What servers may ask: forms to fill in, text from a model, folders. By server. */
  inputs?: (server: string) => InputHandlers;
  /** Where everything that happens is told; bounded. One is made unless given. */
  flow?: FlowStore;
  onStateChange?: (change: StateChange) => void;
  /**
   * A server has printed something to stdout that is no message. `text` is the first of it. Called once for each of its
   * starts, and again when there were 10, 100, 1000 and so on; what it printed before it was ready counts as one.
   */
  onNoise?: (noise: { server: string; text: string; count: number }) => void;
  eraMemory?: EraMemory;
  clock?: Clock;
  random?: () => number;
}

/** `repeatable`: the call does no harm when it runs twice, whatever the tool says about itself. */
export type HostCallOptions = CallOptions;

export interface HostUseOptions {
  /** It reads only, or does no harm when it runs twice. */
  repeatable?: boolean;
  /** Whether it is one of the `calls` of the status. It is unless said otherwise. */
  counts?: boolean;
  /** Of the caller: what fails by it is none of the `errors` of the status. */
  signal?: AbortSignal | undefined;
}
