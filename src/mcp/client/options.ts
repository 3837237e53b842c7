// Options of `connect` and of a single call.

import type { Clock } from '../../base/clock.ts';
import type { HttpSymptoms } from '../../wire/diagnosis/http.ts';
import type { Symptoms } from '../../wire/diagnosis/symptoms.ts';
import type { Channel } from '../../wire/jsonrpc/channel.ts';
import type { RequestOptions } from '../../wire/jsonrpc/outbound.ts';
import type { Extension } from '../extensions/extension.ts';
import type { RunBounded } from '../json-schema.ts';
import type { Era, Revision } from '../revisions.ts';
import type { ClientIdentity, RequestLink } from '../service.ts';
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

/** The transport interface that a client needs: that of the official SDK, or ours. */
export interface ClientChannel extends Channel {
  setProtocolVersion?: ((version: string) => void) | undefined;
  /** Input for the diagnosis of a failed start. Absent in transports of the official SDK. */
  symptoms?(): Symptoms | undefined;
  /** Input for the diagnosis of a remote server. Absent in transports of the official SDK. */
  httpSymptoms?(): HttpSymptoms | undefined;
}

export type ElicitMode = 'form' | 'url';

export interface InputContext {
  /** Aborts when the server no longer waits, when the caller gives up, and when the connection ends. */
  signal: AbortSignal;
}

/** Handlers for questions from the server. A handler declares its capability, in both eras. */
export interface InputHandlers {
  elicit?: (params: ElicitParams, context: InputContext) => ElicitResult | Promise<ElicitResult>;
  /** The supported modes of elicitation. Default: forms only. */
  elicitModes?: readonly ElicitMode[];
  sample?: (params: SampleParams, context: InputContext) => SampleResult | Promise<SampleResult>;
  roots?: readonly Root[] | ((context: InputContext) => readonly Root[] | Promise<readonly Root[]>);
  /** Whether questions can be answered now. If not, their capabilities are not declared to servers before 2026-07-28. */
  isAnswered?: () => boolean;
  /** Further capabilities to declare: unregistered extensions, experimental ones, `sampling: { tools: {} }`. */
  capabilities?: ClientCapabilities;
}

export interface ClientOptions extends InputHandlers {
  /** Extensions that this client declares and handles, in addition to the built-in ones. */
  extensions?: readonly Extension[];
  info?: Implementation;
  /** `auto` detects the era. */
  era?: 'auto' | Era;
  /** The only revision to use. */
  revision?: Revision;
  /** Forces the dialect of transcript-dialect.ts. By default it is detected. */
  dialect?: 'transcript';
  /** The default of a call's `timeoutMs`: 60 s. */
  requestTimeoutMs?: number;
  /** The maximum time of the whole start, including the first answer: 60 s. */
  startupTimeoutMs?: number;
  /** How long to wait for the answer to `server/discover` before `initialize` is sent as well: 1.5 s, over HTTP 3 s. */
  probeTimeoutMs?: number;
  /** How often one modern request may return a question: 10. */
  maxInputRounds?: number;
  /** The maximum length of a list: 1,000 pages, 100,000 entries and 256 MiB. */
  maxPages?: number;
  maxItems?: number;
  maxListBytes?: number;
  /** Whether structured results are checked against the schema of a tool that was listed before. Default: true. */
  checkOutput?: boolean;
  /** @internal Aborts validation if a schema of the server takes too long. */
  runBounded?: RunBounded;
  /** @internal Identifies the client to services that keep clients apart. */
  identity?: ClientIdentity;
  eraMemory?: EraMemory;
  /** The key for the era memory. The default is derived from a command or a URL. */
  eraKey?: string;
  /** Called once for each kind of tolerated deviation. `client.warnings` has the same warnings. */
  onWarning?: (warning: Warning) => void;
  /** @internal Set if other clients use the connection too. */
  shared?: SharedSession;
  /** Cancels the start; a server that was started is stopped before `connect` rejects. */
  signal?: AbortSignal;
  clock?: Clock;
}

/** @internal A connection that any number of clients use. */
export interface SharedSession {
  /** The capabilities that clients may have. They are declared to a legacy server in addition to those of the handlers. */
  capabilities: ClientCapabilities;
  /** The record of asking tools, shared by all processes of the server. */
  asking: AskingTools;
}

export interface CallOptions extends Omit<RequestOptions, 'cancellable'> {
  /** Members of `_meta` in the request. */
  meta?: Meta;
  /**
   * Option of `Client.request`: a result of an extension is returned as the server sent it, and the call is not
   * continued.
   */
  unfinished?: boolean;
  /** Whether the request may run twice: a host repeats it if its server exited. */
  repeatable?: boolean;
  /** @internal Called with the result of `callTool` as the server sent it, before deviations are corrected. */
  onAnswer?: (result: unknown) => void;
  /** @internal Observer hooks: gets the requests to servers that the call leads to. */
  link?: RequestLink;
  /** 2026-07-28: the least severe level of log messages for this request. Earlier revisions have only `setLogLevel`. */
  logLevel?: LogLevel;
}

/** The reason why notifications ended: the server ended the subscription, or the connection ended. */
export type SubscriptionEnd = 'server' | 'connection';

export interface ListenerOptions {
  /** Called when the subscription ends without being stopped. It is not renewed. */
  onClosed?: (why: SubscriptionEnd) => void;
}

export interface ResourceUpdate {
  /** The subscribed resource, or a part of it. */
  uri: string;
  [key: string]: unknown;
}

export interface ListOptions extends CallOptions {
  /** Reads the list again instead of using the cache. */
  fresh?: boolean;
}
