// The Inspector's API, typed once for both ends: the page imports these types and nothing else of the package. Everything
// is JSON over HTTP on loopback; every request carries the token of the launch (`x-standpipe-token`, or `?token=` where a
// header cannot be set). Times are milliseconds on the clock of the flow.

import type { Evidence } from '../../base/errors.ts';
import type { FleetStatus } from '../../host/fleet/fleet-status.ts';
import type { ServerStatus } from '../../host/supervision/server-state.ts';
import type {
  CallToolResult,
  ElicitParams,
  ElicitResult,
  GetPromptResult,
  Implementation,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  SampleParams,
  SampleResult,
  ServerCapabilities,
  Tool,
} from '../../mcp/types.ts';
import type { ClientSummary } from '../../observe/analysis/clients.ts';
import type { MessageDescription } from '../../observe/analysis/describe-frame.ts';
import type { ExchangeOutcome, ExchangeTimes, HopTimes, Origin } from '../../observe/analysis/exchange.ts';
import type { LatencyPoint, LatencyRow } from '../../observe/analysis/latency.ts';
import type { Life } from '../../observe/analysis/lives.ts';
import type { Problem } from '../../observe/analysis/problems.ts';
import type { TaskForm } from '../../observe/analysis/task-forms.ts';
import type { SeenStatus, TaskChange } from '../../observe/analysis/tasks.ts';
import type { FlowDirection, FlowKind, HttpFact, HttpPlace } from '../../observe/flow/event.ts';
import type { Subscription } from './exercise-api.ts';

export type { ApiProblem } from '../../wire/http/http-problem.ts';
export type * from './exercise-api.ts';
export type { ClientSummary, ExchangeTimes, FleetStatus, HopTimes, LatencyRow, Life, Problem };

/** `GET /api/overview` */
export interface Overview {
  /** The inspected source: a running host, a tap, or a recording. */
  source: { kind: 'host' | 'tap' | 'recording'; title: string; startedAt: string; live: boolean };
  servers: InspectedServer[];
  /** The clients of the host that appear in the stored events. */
  clients: ClientSummary[];
  /** True if the page may call tools, start and stop. A tap or a recording can only be watched. */
  canAct: boolean;
  /** Events that the bounded store has dropped. */
  dropped: { events: number; bytes: number };
  totalEvents: number;
  problems: Problem[];
}

export interface InspectedServer {
  name: string;
  status?: ServerStatus;
  lives: Life[];
  /** How a terminal command reaches the server. Absent if it cannot: behind a tap, in a recording. */
  reach?: Reach;
}

/** How a terminal command reaches a server: `standpipe call [options] [server] … [-- command]`. */
export interface Reach {
  server?: string;
  /** The options before the server, for example `--config FILE`. */
  options: readonly string[];
  /** The command after `--`, for a server that is not in a config. */
  command?: readonly string[];
}

/** One row of the timeline. To keep rows small, the content of a frame is requested separately as `EventDetail`. */
export interface EventRow {
  seq: number;
  atMs: number;
  /** The server or the client that the event belongs to. */
  server: string;
  life: number;
  kind: FlowKind;
  direction?: FlowDirection;
  /** The client that the event belongs to, or on whose behalf it was sent. */
  client?: string;
  /** Type of a frame. `answers`: a batch that contains only answers. */
  type?: MessageDescription['kind'] | 'batch' | 'answers' | 'noise';
  method?: string;
  tool?: string;
  id?: string | number;
  size?: number;
  /** Set for an answer, and for an answered request. For the first message of a task: the time from the call to its end. */
  latencyMs?: number;
  /** `seq` of the counterpart: for a request, its answer; for an answer, a progress notification or a cancellation, its request. */
  pairSeq?: number;
  error?: string;
  /** An outcome that is not a failure: cancelled, or not supported by an older server. For a task: its status. */
  note?: string;
  /** The number of the task that the message belongs to (`TaskSummary.row`). */
  task?: number;
  /** The page caused the request: a call of its user (`page`), or lists that it or its host reads (`lists`). */
  origin?: Origin;
  summary: string;
}

/**
 * `GET /api/events?after=SEQ&before=SEQ&limit=N`, at most 5,000 rows, oldest first; without `after`, the newest rows. The same
 * rows are sent as they happen over `GET /api/live?after=SEQ` (server-sent events; their id is the newest `seq`).
 */
export interface EventPage {
  rows: EventRow[];
  /** Changes to earlier rows: answers change the rows of their requests. */
  updates?: LiveMessages['updates'];
  newest: number;
  oldest: number;
}

/**
 * `GET /api/search?text=TEXT&after=SEQ`: the events after `after` that contain the text anywhere. An answer covers a part of the
 * events; continue with `after=searchedSeq` until that is the newest.
 */
export interface SearchPage {
  found: number[];
  searchedSeq: number;
  newest: number;
}

/**
 * `POST /api/export`: the events with all their bytes, as a recording (docs/recordings.md), streamed. They are numbered from 1; a gap
 * in the numbers stands for events that the store has dropped.
 */
export interface ExportRequest {
  /** First and last `seq` of each range, ascending. */
  ranges: (readonly [first: number, last: number])[];
}

/**
 * Messages of `GET /api/live`: the name of the server-sent event, and its data. The stream starts with the servers, the problems, the
 * running calls and the pending questions. A page that was too slow gets `resync` and the end of the stream: it has missed events and
 * reads them by `GET /api/events`, as after any end of the stream.
 */
export interface LiveMessages {
  rows: EventRow[];
  /** Answers change the rows of their requests. */
  updates: Pick<EventRow, 'seq' | 'latencyMs' | 'pairSeq' | 'error' | 'note' | 'task'>[];
  servers: InspectedServer[];
  clients: ClientSummary[];
  problems: Problem[];
  call: CallUpdate;
  task: TaskSummary;
  subscription: Subscription;
  question: Question;
  answered: { id: string };
  /** Status of the fleet that the host has joined, sent whenever it changes. */
  fleet: FleetStatus;
}

/** `GET /api/events/SEQ` */
export interface EventDetail {
  row: EventRow;
  /** The bytes as they were on the pipe, or their beginning if `cut`. */
  base64: string;
  text: string | undefined;
  json: unknown;
  offset: number | undefined;
  cut: boolean;
  /** The last bytes of the frame, if it was cut. */
  tailBase64?: string;
  redacted: boolean;
  /** For a message over HTTP: its HTTP request, and the status of the response. */
  http?: HttpPlace | undefined;
  /** The HTTP request to a server that the event belongs to. */
  exchange?: HttpReport | undefined;
  /** Problems as text: invalid JSON, invalid shape, violations of the revision's schema. */
  problems: string[];
  evidence: Evidence | undefined;
}

/** One HTTP request to a server, with its response and its messages. Credentials are always masked. */
export interface HttpReport extends Omit<HttpFact, 'kind' | 'state'> {
  /** The event of the request with its headers, and the event of its end. */
  beganSeq?: number | undefined;
  endedSeq?: number | undefined;
  /** The first 50 messages of the request, and the number of all messages. */
  frames: readonly number[];
  frameCount: number;
}

/** `GET /api/exchanges/SEQ`: all requests related to that event, in the order in which they began. */
export interface ExchangeReport {
  /**
   * The requests; empty if the event belongs neither to a client's request nor to a request that another node answered.
   */
  requests: ExchangePart[];
  /** Breakdown of the time of the client's request, once it is answered. */
  times?: ExchangeTimes | undefined;
  /** The task that the event belongs to. */
  task?: TaskSummary | undefined;
}

/** One request with its answer: from the client, to a server, or a question. */
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
  /** Set for a request that another node of a fleet has answered. */
  hop?: HopTimes | undefined;
}

/** `GET /api/servers/NAME/offer`. For a server that can only be watched: what its recorded answers hold. */
export interface ServerOffer {
  tools: Tool[];
  resources: Resource[];
  resourceTemplates: ResourceTemplate[];
  prompts: Prompt[];
  instructions: string | undefined;
  revision: string;
  /** Name and version of the server, and its capabilities. Absent if the answer that holds them is not stored. */
  info?: Implementation | undefined;
  capabilities?: ServerCapabilities | undefined;
  /** True if the lists come from recorded answers. */
  recorded?: boolean;
  error: string | undefined;
}

/**
 * `POST /api/servers/NAME/call`: starts a call; answered at once with the id of its `call` updates. `argsText`: the JSON text of the
 * arguments, sent as written, for numbers and duplicate keys that JSON.parse does not preserve.
 */
export type CallRequest =
  | { kind: 'tool'; name: string; args: Record<string, unknown>; argsText?: string; timeoutMs?: number }
  | { kind: 'resource'; uri: string }
  | { kind: 'prompt'; name: string; args: Record<string, string> }
  /**
   * Any other request, or a recorded one with changes. `texts`: members of `params` as JSON text, which is sent as written where the server
   * allows that.
   */
  | { kind: 'request'; method: string; params: Record<string, unknown>; texts?: Record<string, string> };
export interface CallStarted {
  id: string;
}

/** `DELETE /api/calls/ID` cancels. `GET /api/calls` lists the newest calls, including finished ones. */
export interface CallUpdate {
  id: string;
  server: string;
  request: CallRequest;
  startedAtMs: number;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  progress?: { progress: number; total?: number; message?: string };
  /** Set if the server answered the call with a task. */
  task?: CallTask;
  durationMs?: number;
  result?: CallResult;
  /** `rpcCode` and `data`: of the JSON-RPC error that the server sent. */
  error?: { code: string; message: string; hint?: string; rpcCode?: number; data?: unknown };
  /** The events of the newest request to the server that the call led to, and of its answer. */
  requestSeq?: number;
  answerSeq?: number;
  /** What is wrong with the answer, although the call did not fail: it violates a schema. */
  violations?: string[];
}

export type CallResult = CallToolResult | ReadResourceResult | GetPromptResult | Record<string, unknown>;

/** The newest state of the task of a call. */
export interface CallTask {
  taskId: string;
  status: SeenStatus;
  statusMessage?: string | undefined;
  questions: Question[];
}

/** `GET /api/tasks`, oldest first: tasks in the stored traffic of all clients. `DELETE /api/tasks/ID` requests the cancellation of one. */
export interface TaskSummary {
  id: string;
  /** The id that the server assigned. */
  taskId: string;
  server: string;
  client?: string | undefined;
  /** Method of the request that became the task. Absent if the request is no longer stored. */
  method?: string | undefined;
  tool?: string | undefined;
  form: TaskForm;
  status: SeenStatus;
  statusMessage?: string | undefined;
  /** Why the task is not a success, as text. */
  failure?: string | undefined;
  startMs: number;
  endMs?: number | undefined;
  messages: number;
  polls: number;
  /** The number of changes. */
  changes: number;
  /** The number of pending questions of a task of 2026-07-28. */
  questions: number;
  /** Number of the task in the rows of the timeline. Absent if only a list of tasks names the task. */
  row?: number | undefined;
  /** Number of the task in the rows between the host and its client. */
  clientRow?: number | undefined;
  /** The call of the page that became the task. */
  callId?: string | undefined;
  /** Whether the page can cancel the task and answer its questions. */
  canAct: boolean;
}

/** `GET /api/tasks/ID` */
export interface TaskDetail extends TaskSummary {
  /** The first and the newest changes, oldest first. */
  history: Omit<TaskChange, 'seq'>[];
  asked: Question[];
  result?: CallToolResult | undefined;
  error?: CallUpdate['error'];
  /** Why the result or the questions cannot be shown. */
  missing?: string | undefined;
}

/** `POST /api/tasks/ID/answer` */
export interface TaskAnswer {
  key: string;
  answer: Answer;
}

/**
 * A question from a server. `POST /api/questions/ID` answers it with an `Answer`; a question of a task of 2026-07-28 is answered by
 * `POST /api/tasks/ID/answer`.
 */
export type Question = { id: string; server: string; task?: { id: string; key: string } } & (
  | { kind: 'elicit'; params: ElicitParams }
  | { kind: 'sample'; params: SampleParams }
);
export type Answer = ElicitResult | SampleResult | { refuse: string };

/** `POST /api/servers/NAME/start|stop|restart` */
export interface ActionResult {
  ok: boolean;
  error?: string;
}

/** `GET /api/latency` */
export interface LatencyReport {
  rows: LatencyRow[];
  /** Number of all responses. */
  total: number;
  /** Points of the plot: one for each answered request, at most the newest 5,000. */
  points: LatencyPoint[];
}

/** `GET /api/stderr?server=NAME&life=N&search=TEXT`: without `server`, the output of all servers in order of arrival. */
export interface StderrPage {
  lines: { seq: number; atMs: number; server: string; life: number; text: string }[];
  dropped: boolean;
}
