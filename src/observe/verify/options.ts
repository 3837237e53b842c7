// Options of a verification.

import type { Clock } from '../../base/clock.ts';
import type { Revision } from '../../mcp/revisions.ts';
import type { Service } from '../../mcp/service.ts';
import type { CassetteTarget } from '../replay/cassette.ts';
import type { SessionOptions } from '../replay/recorded-session.ts';
import type { VerifyResult } from './report.ts';
import type { VerifyRule } from './rules.ts';

/** A command, the address of a remote server, or a service of this program. */
export type VerifyTarget = CassetteTarget | Service;

/** A call that may run although its tool is not read-only. `*` in the name is a wildcard. */
export interface AllowedCall {
  readonly name: string;
  /** Allows only a call with these arguments. Default: any arguments. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** A value in place of the recorded one: `arguments.token`. */
export interface SetValue {
  /** A path in the parameters of requests, with wildcards as in rules. */
  readonly path: string;
  readonly value: unknown;
}

export interface VerifyOptions extends SessionOptions {
  /** Tools that are not read-only and may be called, and methods that MCP does not define. Names may have the wildcard `*`. */
  allowCalls?: readonly (string | AllowedCall)[] | undefined;
  /** Values that may differ, in addition to those of the rules file: rules, or texts such as `timestamp result.time`. */
  rules?: readonly (VerifyRule | string)[] | undefined;
  /** Default: the recording with the suffix `.rules.json`, if it exists. `false`: none. */
  rulesFile?: string | false | undefined;
  /** Runs the recording twice, and writes rules for the values that differ to the rules file. */
  learn?: boolean | undefined;
  /** Writes the new answers into the recording. */
  update?: boolean | undefined;
  /** Values that the recording hides. */
  set?: readonly SetValue[] | undefined;
  /** Limit for each answer. Default: 60 s, or twice the recorded time if that is longer. */
  timeoutMs?: number | undefined;
  /** An answer is slower if it takes this many times as long as the recorded one: 2. */
  slowerFactor?: number | undefined;
  /** And longer by this time: 500 ms. */
  slowerByMs?: number | undefined;
  /** The revision to use. Default: the recorded one. */
  revision?: Revision | undefined;
  /** Called with each result. */
  onResult?: ((result: VerifyResult, done: number, of: number) => void) | undefined;
  signal?: AbortSignal | undefined;
  clock?: Clock | undefined;
}
