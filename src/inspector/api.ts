// The Inspector's API, typed once for both ends: the page imports these types and nothing else of the package. Everything
// is JSON over HTTP on loopback; every request carries the token of the launch (`x-standpipe-token`, or `?token=` where a
// header cannot be set). Times are milliseconds on the clock of the flow.

import type { ClientSummary } from '../analysis/clients.ts';
import type { MessageDescription } from '../analysis/describe-frame.ts';
import type { ExchangeOutcome } from '../analysis/exchange.ts';
import type { ExchangeTimes } from '../analysis/exchange-times.ts';
import type { HopTimes } from '../analysis/hop-times.ts';
import type { LatencyPoint, LatencyRow } from '../analysis/latency.ts';
import type { Life } from '../analysis/lives.ts';
import type { Problem } from '../analysis/problems.ts';
import type { Evidence } from '../base/errors.ts';
import type { FleetStatus } from '../fleet/fleet-status.ts';
import type { FlowDirection, FlowKind, HttpFact, HttpPlace } from '../flow/event.ts';
import type { ServerStatus } from '../host/supervision/server-state.ts';
import type {
  CallToolResult,
  ElicitParams,
  ElicitResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  SampleParams,
  SampleResult,
  Tool,
} from '../mcp/types.ts';

export type { ApiProblem } from '../http/http-problem.ts';
export type { ClientSummary, ExchangeTimes, FleetStatus, HopTimes, LatencyRow, Life, Problem };

/** `GET /api/overview` */
export interface Overview {
  /** What is inspected: a running host, a tap, or a recording. */
  source: { kind: 'host' | 'tap' | 'recording'; title: string; startedAt: string; live: boolean };
  servers: InspectedServer[];
  /** The clients of the host, as far as the events that are stored show them. */
  clients: ClientSummary[];
  /** Where the page may act: call tools, start and stop. A tap or a recording can only be watched. */
  canAct: boolean;
  /** What the bounded store no longer has. */
  dropped: { events: number; bytes: number };
  totalEvents: number;
  problems: Problem[];
}

export interface InspectedServer {
  name: string;
  /** Absent for a tap or a recording. */
  status?: ServerStatus;
  lives: Life[];
  /** Absent where the command line cannot reach it: behind a tap, in a recording. */
  reach?: Reach;
}

/** How a command of a terminal reaches a server: `standpipe call [options] [server] … [-- command]`. */
export interface Reach {
  /** Its name in the config. */
  server?: string;
  /** Such as `--config FILE`. */
  options: readonly string[];
  /** The command after `--`, for a server that is in no config. */
  command?: readonly string[];
}

/** One row of the timeline. Small: what a frame holds is asked for by `EventDetail`. */
export interface EventRow {
  seq: number;
  atMs: number;
  /** The server, or the client that the event is of. */
  server: string;
  life: number;
  kind: FlowKind;
  direction?: FlowDirection;
  /** The client that it is of, or on whose behalf it was sent. */
  client?: string;
  /** Of a frame: what it is. `answers`: a batch that holds nothing else. */
  type?: MessageDescription['kind'] | 'batch' | 'answers' | 'noise';
  method?: string;
  tool?: string;
  id?: string | number;
  size?: number;
  /** Of an answer, and of a request that was answered. */
  latencyMs?: number;
  /** The other half: the answer of a request, the request of an answer, progress or cancel. */
  pairSeq?: number;
  error?: string;
  /** The outcome, if it is not a failure: cancelled, or not supported by an older server. */
  note?: string;
  /** One line of text. */
  summary: string;
}

/**
 * `GET /api/events?after=SEQ&before=SEQ&limit=N`, at most 5,000 rows, oldest first; without `after` the newest — and the same
 * rows, as they happen, over `GET /api/live?after=SEQ` (server-sent events; their id is the newest `seq`).
 */
export interface EventPage {
  rows: EventRow[];
  /** What these rows change in rows that came before them: answers change their requests. */
  updates?: LiveMessages['updates'];
  /** The newest sequence number there is. */
  newest: number;
  /** Rows before this one are gone. */
  oldest: number;
}

/**
 * `GET /api/search?text=TEXT&after=SEQ`: the events behind `after` that hold the text, anywhere in them. An answer covers a
 * part of what there is; the rest is asked for with `after=searchedSeq`, until that is the newest.
 */
export interface SearchPage {
  /** Numbers of events, rising. */
  found: number[];
  searchedSeq: number;
  newest: number;
}

/**
 * `POST /api/export`: these events with all their bytes, as a recording (docs/recordings.md), streamed. They are numbered from 1 on;
 * a gap in the numbers stands for events that the store has dropped.
 */
export interface ExportRequest {
  /** First and last `seq` of each, rising. */
  ranges: (readonly [first: number, last: number])[];
}

/**
 * Messages of `GET /api/live`: the name of the server-sent event, and its data. At the start come the servers, the problems,
 * the calls that run and the questions that are open. A page that was too slow gets `resync` and the end of the stream: it
 * has missed events and reads them by `GET /api/events`, like after any end of the stream.
 */
export interface LiveMessages {
  rows: EventRow[];
  /** Answers change the rows of their requests. */
  updates: Pick<EventRow, 'seq' | 'latencyMs' | 'pairSeq' | 'error' | 'note'>[];
  servers: InspectedServer[];
  clients: ClientSummary[];
  problems: Problem[];
  call: CallUpdate;
  question: Question;
  answered: { id: string };
  /** If the host has joined a fleet: its status, whenever it has changed. */
  fleet: FleetStatus;
}

/** `GET /api/events/SEQ` */
export interface EventDetail {
  row: EventRow;
  /** The bytes as they were on the pipe, or their beginning where `cut`. */
  base64: string;
  text: string | undefined;
  json: unknown;
  offset: number | undefined;
  cut: boolean;
  /** Its last bytes, where it was cut. */
  tailBase64?: string;
  redacted: boolean;
  /** Of a message over HTTP: which HTTP request it belongs to, and the status of the response. */
  http?: HttpPlace | undefined;
  /** The HTTP request to a server that it belongs to. */
  exchange?: HttpReport | undefined;
  /** What is wrong with it, in words: bad JSON, bad shape, violations of the revision's schema. */
  problems: string[];
  evidence: Evidence | undefined;
}

/** One HTTP request to a server, with its response and its messages. Credentials are masked, whatever a page asks for. */
export interface HttpReport extends Omit<HttpFact, 'kind' | 'state'> {
  /** The event that has its headers, and that of its end. */
  beganSeq?: number | undefined;
  endedSeq?: number | undefined;
  /** Its messages, the first 50, and how many there are. */
  frames: readonly number[];
  frameCount: number;
}

/** `GET /api/exchanges/SEQ`: all requests that belong together with that event, in the order in which they began. */
export interface ExchangeReport {
  /** Empty where the event belongs to no request of a client, and to none that another node has answered. */
  requests: ExchangePart[];
  /** Where the time of the client's request went, once it is answered. */
  times?: ExchangeTimes | undefined;
}

/** One request with its answer: of the client, to a server, or a question. */
export interface ExchangePart {
  server: string;
  life: number;
  direction: FlowDirection;
  method: string;
  tool: string | undefined;
  requestSeq: number;
  answerSeq: number | undefined;
  startMs: number;
  endMs: number | undefined;
  outcome: ExchangeOutcome;
  failed: boolean;
  /** Of a request that another node of a fleet has answered. */
  hop?: HopTimes | undefined;
}

/** `GET /api/servers/NAME/offer` */
export interface ServerOffer {
  tools: Tool[];
  resources: Resource[];
  resourceTemplates: ResourceTemplate[];
  prompts: Prompt[];
  instructions: string | undefined;
  revision: string;
  error: string | undefined;
}

/**
 * `POST /api/servers/NAME/call`: what to do; answered at once with the id under which `call` updates come. `argsText`: the JSON
 * text of the arguments, sent as it is written; for numbers and repeated keys that do not survive JSON.parse.
 */
export type CallRequest =
  | { kind: 'tool'; name: string; args: Record<string, unknown>; argsText?: string; timeoutMs?: number }
  | { kind: 'resource'; uri: string }
  | { kind: 'prompt'; name: string; args: Record<string, string> };
export interface CallStarted {
  id: string;
}

/** `DELETE /api/calls/ID` cancels. `GET /api/calls` lists the newest, finished ones too. */
export interface CallUpdate {
  id: string;
  server: string;
  request: CallRequest;
  startedAtMs: number;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  progress?: { progress: number; total?: number; message?: string };
  durationMs?: number;
  result?: CallToolResult | ReadResourceResult | GetPromptResult;
  error?: { code: string; message: string; hint?: string };
}

/** A server asks. `POST /api/questions/ID` answers with an `Answer`. */
export type Question =
  | { id: string; server: string; kind: 'elicit'; params: ElicitParams }
  | { id: string; server: string; kind: 'sample'; params: SampleParams };
export type Answer = ElicitResult | SampleResult | { refuse: string };

/** `POST /api/servers/NAME/start|stop|restart` */
export interface ActionResult {
  ok: boolean;
  error?: string;
}

/** `GET /api/latency` */
export interface LatencyReport {
  rows: LatencyRow[];
  /** For the plot: one point an answered request, the newest at most 5,000. */
  points: LatencyPoint[];
}

/** `GET /api/stderr?server=NAME&life=N&search=TEXT`: without `server`, of all of them, in the order they came. */
export interface StderrPage {
  lines: { seq: number; atMs: number; server: string; life: number; text: string }[];
  dropped: boolean;
}
