// The output of `up`, implemented for a terminal, a log and JSON.

import type { ServerStatus, StateChange } from '../../../host/supervision/server-state.ts';

export interface UpView {
  /** The host is about to start its servers. */
  began(about: {
    config: string;
    servers: readonly string[];
    inspector: string | undefined;
    /** The URL of all servers over HTTP. */
    http: string | undefined;
    /** Options with which other commands find this host: ` --config …`, or empty. */
    sameConfig: string;
  }): void;
  changed(change: StateChange): void;
  note(text: string): void;
  /** Problems that need action, one line each. */
  advise(lines: readonly string[]): void;
  stopping(): void;
  ended(): void;
}

export type ReadStatus = () => { servers: ServerStatus[]; advice: string[] };
