// How requests travel once the era is known. The client on top speaks of methods and their parameters only.

import type { Era, Revision } from '../revisions.ts';
import type { LogLevel } from '../types.ts';
import type { CallOptions } from './options.ts';

export type Result = Record<string, unknown>;

export interface Session {
  readonly era: Era;
  readonly revision: Revision;
  /**
   * What the server answered when the request was complete; whether it is what it should be is for the caller to look at.
   * `params` is handed over: the session may add to it.
   */
  request(method: string, params: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  /** Resolves when the server shows that it is there. */
  ping(options?: CallOptions): Promise<void>;
  setLogLevel(level: LogLevel, options?: CallOptions): Promise<void>;
}
