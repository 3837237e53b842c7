// The options of `connect` and of a single call.

import type { Clock } from '../../base/clock.ts';
import type { HttpSymptoms } from '../../diagnosis/http.ts';
import type { Symptoms } from '../../diagnosis/symptoms.ts';
import type { Channel } from '../../jsonrpc/channel.ts';
import type { RequestOptions } from '../../jsonrpc/outbound.ts';
import type { RunBounded } from '../json-schema.ts';
import type { Era, Revision } from '../revisions.ts';
import type { ClientIdentity } from '../service.ts';
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
import type { EraMemory } from './opening/era-memory.ts';
import type { AskingTools } from './session/asking-tools.ts';
import type { Warning } from './warnings.ts';

/** What a client needs of a transport: the official SDK's interface, or ours. */
export interface ClientChannel extends Channel {
  setProtocolVersion?: ((version: string) => void) | undefined;
  /** Ours: the input of the diagnosis of a failed start. */
  symptoms?(): Symptoms | undefined;
  /** Ours: the same of a remote server. */
  httpSymptoms?(): HttpSymptoms | undefined;
}

export type ElicitMode = 'form' | 'url';

export interface InputContext {
  /** Aborts when the server no longer waits, when the caller gives up, and when the connection ends. */
  signal: AbortSignal;
}

/** What the server may ask. A handler declares its capability, in both eras. */
export interface InputHandlers {
  elicit?: (params: ElicitParams, context: InputContext) => ElicitResult | Promise<ElicitResult>;
  /** Only forms by default. */
  elicitModes?: readonly ElicitMode[];
  sample?: (params: SampleParams, context: InputContext) => SampleResult | Promise<SampleResult>;
  roots?: readonly Root[] | ((context: InputContext) => readonly Root[] | Promise<readonly Root[]>);
  /** Whether somebody can answer now. Otherwise servers before 2026-07-28 are not announced that they may ask. */
  isAnswered?: () => boolean;
  /** Further capabilities to declare: extensions, experimental ones, `sampling: { tools: {} }`. */
  capabilities?: ClientCapabilities;
}

export interface ClientOptions extends InputHandlers {
  info?: Implementation;
  /** `auto` detects it. */
  era?: 'auto' | Era;
  /** The only revision to use. */
  revision?: Revision;
  /** Use the dialect of transcript-dialect.ts without detection. It is detected otherwise. */
  dialect?: 'transcript';
  /** Default of `timeoutMs` of a call: 60 s. */
  requestTimeoutMs?: number;
  /** How long the start may take in all, the first answer included: 60 s. */
  startupTimeoutMs?: number;
  /** How long to wait for the answer to `server/discover` before `initialize` is sent as well: 1.5 s, over HTTP 3 s. */
  probeTimeoutMs?: number;
  /** How often the result of one modern request may be a question: 10. */
  maxInputRounds?: number;
  /** How long a list may be: 1,000 pages, 100,000 entries and 256 MiB. */
  maxPages?: number;
  maxItems?: number;
  maxListBytes?: number;
  /** Whether structured results are checked against the schema of a tool that was listed before. On by default. */
  checkOutput?: boolean;
  /** @internal Cuts off validation by a schema of the server that takes too long. */
  runBounded?: RunBounded;
  /** @internal Which client it is, for services that keep clients apart. */
  identity?: ClientIdentity;
  eraMemory?: EraMemory;
  /** The key in the memory if the target is not a command. */
  eraKey?: string;
  /** Called once for each kind of tolerated deviation. `client.warnings` has them too. */
  onWarning?: (warning: Warning) => void;
  /** @internal Other clients than this one use the connection as well. */
  shared?: SharedSession;
  /** Cancels the start; a server that was started is stopped before `connect` rejects. */
  signal?: AbortSignal;
  clock?: Clock;
}

/** @internal A connection that is used by any number of clients. */
export interface SharedSession {
  /** What clients may have: declared to a server of the legacy era, in addition to what the handlers declare. */
  capabilities: ClientCapabilities;
  /** Of all processes of the server. */
  asking: AskingTools;
}

export interface CallOptions extends Omit<RequestOptions, 'cancellable'> {
  /** Sent as `_meta`. */
  meta?: Meta;
  /** The request may run twice: a host whose server exited repeats it. */
  repeatable?: boolean;
  /** @internal Called with the result of `callTool` as the server sent it, before deviations are corrected. */
  onAnswer?: (result: unknown) => void;
  /** 2026-07-28: the least level of log messages of this request. Earlier revisions have only `setLogLevel`. */
  logLevel?: LogLevel;
}

/** Why notifications ended: the server ended the subscription, or the connection ended. */
export type NewsEnd = 'server' | 'connection';

export interface NewsOptions {
  /** Called when it ends without being stopped. It is not renewed. */
  onClosed?: (why: NewsEnd) => void;
}

export interface ResourceUpdate {
  /** The resource, or a part of the one that was subscribed to. */
  uri: string;
  [key: string]: unknown;
}

export interface ListOptions extends CallOptions {
  /** Bypass the cache. */
  fresh?: boolean;
}
