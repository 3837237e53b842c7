// Requests to the backend. An error has a reason: `refused` (invalid token), `gone` (the backend does not answer) or `failed`
// (the backend answered with an error).

import type {
  ActionResult,
  Answer,
  CallRequest,
  CallStarted,
  CallUpdate,
  CompletionReport,
  EventDetail,
  EventPage,
  ExchangeReport,
  ExportRequest,
  FramesReport,
  LatencyReport,
  LogPage,
  Overview,
  PingReport,
  RootsReport,
  SearchPage,
  ServerOffer,
  StderrPage,
  Subscription,
  TaskAnswer,
  TaskDetail,
  TaskSummary,
} from '../../../src/app/inspector/api.ts';
import { secretsShown } from '../state/secrets.ts';
import { token } from './token.ts';

export class ApiFailure extends Error {
  readonly kind: 'refused' | 'gone' | 'failed';

  constructor(kind: ApiFailure['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

async function request<T>(path: string, init: RequestInit = {}): Promise<T> {
  const text = await (await send(path, init)).text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const headers = { 'x-standpipe-token': token, ...(init.body ? { 'content-type': 'application/json' } : {}) };
  let response: Response;
  try {
    response = await fetch(withSecrets(`api/${path}`), { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiFailure('gone', 'The Inspector does not answer.');
  }
  if (response.status === 401 || response.status === 403) {
    throw new ApiFailure('refused', 'The Inspector does not accept this token.');
  }
  if (response.ok) return response;
  throw new ApiFailure('failed', messageOf(await response.text()) ?? `${response.status} ${response.statusText}`);
}

function withSecrets(path: string): string {
  if (!secretsShown) return path;
  return `${path}${path.includes('?') ? '&' : '?'}secrets=shown`;
}

function messageOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text);
    return typeof error === 'string' ? error : error?.message;
  } catch {
    return text.slice(0, 500) || undefined; // not JSON: the text is the message
  }
}

const post = <T>(path: string, body: unknown) => request<T>(path, { method: 'POST', body: JSON.stringify(body) });
const one = encodeURIComponent;

export const api = {
  overview: () => request<Overview>('overview'),
  events: (after: number, limit: number) => request<EventPage>(`events?after=${after}&limit=${limit}`),
  event: (seq: number, signal?: AbortSignal) => request<EventDetail>(`events/${seq}`, { signal }),
  exchange: (seq: number) => request<ExchangeReport>(`exchanges/${seq}`),
  search: (text: string, after: number, signal: AbortSignal) =>
    request<SearchPage>(`search?${new URLSearchParams({ text, after: String(after) })}`, { signal }),
  /** Streams the lines of a recording. */
  exportEvents: (wanted: ExportRequest, signal: AbortSignal) =>
    send('export', { method: 'POST', body: JSON.stringify(wanted), signal }),
  offer: (server: string) => request<ServerOffer>(`servers/${one(server)}/offer`),
  act: (server: string, action: 'start' | 'stop' | 'restart') =>
    post<ActionResult>(`servers/${one(server)}/${action}`, {}),
  complete: (server: string, body: { ref: object; argument: { name: string; value: string }; context?: object }) =>
    post<CompletionReport>(`servers/${one(server)}/complete`, body),
  ping: (server: string) => post<PingReport>(`servers/${one(server)}/ping`, {}),
  setLogLevel: (server: string, level: string) => post<unknown>(`servers/${one(server)}/log-level`, { level }),
  subscriptions: () => request<Subscription[]>('subscriptions'),
  subscribe: (server: string, uri: string) => post<Subscription>(`servers/${one(server)}/subscriptions`, { uri }),
  unsubscribe: (id: string) => request<unknown>(`subscriptions/${one(id)}`, { method: 'DELETE' }),
  roots: () => request<RootsReport>('roots'),
  setRoots: (roots: RootsReport['roots']) => post<RootsReport>('roots', { roots }),
  framesOfCall: (id: string) => request<FramesReport>(`calls/${one(id)}/frames`),
  framesOfEvent: (seq: number) => request<FramesReport>(`exchanges/${seq}/frames`),
  logs: (query: { server?: string; level?: string; search?: string }) => {
    const given = Object.entries(query).filter(([, value]) => value);
    return request<LogPage>(`logs?${new URLSearchParams(given)}`);
  },
  call: (server: string, call: CallRequest) => post<CallStarted>(`servers/${one(server)}/call`, call),
  calls: () => request<CallUpdate[]>('calls'),
  cancel: (id: string) => request<unknown>(`calls/${one(id)}`, { method: 'DELETE' }),
  answer: (id: string, answer: Answer) => post<unknown>(`questions/${one(id)}`, answer),
  tasks: () => request<TaskSummary[]>('tasks'),
  task: (id: string) => request<TaskDetail>(`tasks/${one(id)}`),
  cancelTask: (id: string) => request<unknown>(`tasks/${one(id)}`, { method: 'DELETE' }),
  answerTask: (id: string, answer: TaskAnswer) => post<unknown>(`tasks/${one(id)}/answer`, answer),
  latency: () => request<LatencyReport>('latency'),
  stderr: (query: { server?: string; life?: string; search?: string }) => {
    const given = Object.entries(query).filter(([, value]) => value);
    return request<StderrPage>(`stderr?${new URLSearchParams(given)}`);
  },
};
