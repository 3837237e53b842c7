// What a caller can say to `connect` and to a single call.

import type { Clock } from '../../base/clock.ts';
import type { Symptoms } from '../../diagnosis/symptoms.ts';
import type { Channel } from '../../jsonrpc/channel.ts';
import type { RequestOptions } from '../../jsonrpc/outbound.ts';
import type { Era, Revision } from '../revisions.ts';
import type {
  ClientCapabilities,
  ElicitParams,
  ElicitResult,
  Implementation,
  LogLevel,
  Meta,
  Root,
  SampleParams,
  SampleResult,
} from '../types.ts';
import type { EraMemory } from './era-memory.ts';
import type { Warning } from './warnings.ts';

/** What a client needs of a transport: the official SDK's interface, or ours. */
export interface ClientChannel extends Channel {
  setProtocolVersion?: ((version: string) => void) | undefined;
  /** Ours: what a diagnosis of a failed start looks at. */
  symptoms?(): Symptoms | undefined;
}

export type ElicitMode = 'form' | 'url';

export interface InputContext {
  /** Aborts when the server no longer waits, when the caller gives up, and when the connection ends. */
  signal: AbortSignal;
}

/** What the server may ask of us. Giving a handler declares the capability, in both eras. */
export interface InputHandlers {
  elicit?: (params: ElicitParams, context: InputContext) => ElicitResult | Promise<ElicitResult>;
  /** Only forms, unless said otherwise. */
  elicitModes?: readonly ElicitMode[];
  sample?: (params: SampleParams, context: InputContext) => SampleResult | Promise<SampleResult>;
  roots?: readonly Root[] | ((context: InputContext) => readonly Root[] | Promise<readonly Root[]>);
  /** To be declared as well: extensions, experimental ones, `sampling: { tools: {} }`. */
  capabilities?: ClientCapabilities;
}

export interface ClientOptions extends InputHandlers {
  info?: Implementation;
  /** `auto` finds out. */
  era?: 'auto' | Era;
  /** This revision or none. */
  revision?: Revision;
  /** Speak the dialect of transcript-dialect.ts without asking first. It is recognised anyway. */
  dialect?: 'transcript';
  /** How long the server may be silent about a request, unless the call says otherwise: 60 s. */
  requestTimeoutMs?: number;
  /** How long the start may take in all, the first answer included: 60 s. */
  startupTimeoutMs?: number;
  /** How long a server of unknown era may be silent before it is asked the legacy way as well: 1.5 s. */
  probeTimeoutMs?: number;
  /** How often one modern request may come back with questions: 10. */
  maxInputRounds?: number;
  /** How long a list may be: 1,000 pages, 100,000 entries and 256 MiB. */
  maxPages?: number;
  maxItems?: number;
  maxListBytes?: number;
  /** Whether structured results are checked against the schema of a tool that was listed before. On by default. */
  checkOutput?: boolean;
  eraMemory?: EraMemory;
  /** The key in the memory where the target is not a command. */
  eraKey?: string;
  /** What had to be bent, once for each kind. `client.warnings` keeps them too. */
  onWarning?: (warning: Warning) => void;
  /** Gives up the start; whatever was started is stopped before `connect` rejects. */
  signal?: AbortSignal;
  clock?: Clock;
}

export interface CallOptions extends Omit<RequestOptions, 'cancellable'> {
  /** Goes along as `_meta`. */
  meta?: Meta;
  /** The request may run twice: a host that lost its server repeats it. */
  repeatable?: boolean;
  /** 2026-07-28: which log messages this request may cause. Earlier revisions know only `setLogLevel`. */
  logLevel?: LogLevel;
}

/** Why notifications no longer come: the server ended the subscription, or the connection is over. */
export type NewsEnd = 'server' | 'connection';

export interface NewsOptions {
  /** Called when it ends without being stopped. It is not renewed by itself. */
  onClosed?: (why: NewsEnd) => void;
}

export interface ResourceUpdate {
  /** The resource, or a part of the one that was subscribed to. */
  uri: string;
  [key: string]: unknown;
}

export interface ListOptions extends CallOptions {
  /** Ask the server, whatever is remembered. */
  fresh?: boolean;
}
