// The options of a supervised server: how it is opened, its entry, and the callback for state changes.

import type { Clock } from '../../base/clock.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import type { ServerLink } from './link.ts';
import type { StateChange } from './server-state.ts';
import type { SupervisionEvent } from './supervision-model.ts';

/** The part of a config entry that concerns supervision. */
export type SupervisedEntry = Pick<ServerConfig, 'enabled' | 'restart' | 'protocol' | 'pingTimeoutMs' | 'url'>;

/** Why the process ends, and what is wanted afterwards. */
export type Replacement = Pick<SupervisionEvent & { type: 'replace' }, 'reason' | 'wanted' | 'held' | 'isUnused'>;

export interface SupervisedServerOptions<Client> {
  name: string;
  entry: SupervisedEntry;
  /** Starts a process and connects to it. If it is aborted or fails, it rejects after the process has exited. */
  open: (signal: AbortSignal) => Promise<ServerLink<Client>>;
  /** The pid of the running process, connected or not. */
  pid: () => number | null;
  /** Address of a remote server, without credentials. */
  url?: () => string | undefined;
  /** Why a server that other nodes of a fleet run cannot be reached at the moment. */
  whyAway?: () => string | undefined;
  onStateChange: (change: StateChange) => void;
  clock: Clock;
  random?: () => number;
}
