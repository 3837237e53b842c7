// What `up` shows: the same news for three kinds of readers, a person, a log and a program.

import type { ServerStatus, StateChange } from '../../host/server-state.ts';

export interface UpView {
  /** The host is about to start its servers. */
  began(about: {
    config: string;
    servers: readonly string[];
    inspector: string | undefined;
    /** What other commands have to say to find this host: ` --config …`, or nothing. */
    sameConfig: string;
  }): void;
  changed(change: StateChange): void;
  note(text: string): void;
  /** What a person should do something about, a line each. */
  advise(lines: readonly string[]): void;
  stopping(): void;
  ended(): void;
}

export type ReadStatus = () => { servers: ServerStatus[]; advice: string[] };
