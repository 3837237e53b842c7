// What a supervised server is made of: how it is opened, what its entry says, and what is called when its state changes.

import type { Clock } from '../../base/clock.ts';
import type { ServerConfig } from '../../config/server-config.ts';
import type { ServerLink } from './link.ts';
import type { StateChange } from './server-state.ts';
import type { SupervisionEvent } from './supervision-model.ts';

/** What an entry of the config says about supervision. */
export type SupervisedEntry = Pick<ServerConfig, 'enabled' | 'restart' | 'protocol' | 'pingTimeoutMs' | 'url'>;

/** Why the process ends, and what is wanted then. */
export type Replacement = Pick<SupervisionEvent & { type: 'replace' }, 'reason' | 'wanted' | 'held' | 'isUnused'>;

export interface SupervisedServerOptions<Client> {
  name: string;
  entry: SupervisedEntry;
  /** Starts a process and connects to it. When aborted, or when it fails, it rejects after the process is gone. */
  open: (signal: AbortSignal) => Promise<ServerLink<Client>>;
  /** Of the process that lives, connected or not. */
  pid: () => number | null;
  /** Where a remote server is reached, without credentials. */
  url?: () => string | undefined;
  /** Of one that other nodes of a fleet run: why it cannot be reached at the moment. */
  whyAway?: () => string | undefined;
  onStateChange: (change: StateChange) => void;
  clock: Clock;
  random?: () => number;
}
