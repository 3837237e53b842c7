// What a handler holds while it works on one request: the way to ask its client back, to report progress, to log, and to
// learn that nobody waits any more. The same for every revision: how a question travels is the asker's business.

import type { InboundCall } from '../../jsonrpc/inbound.ts';
import { reaches } from '../meta.ts';
import { missingCapability } from '../protocol-errors.ts';
import { has, type Revision } from '../revisions.ts';
import type {
  ClientCapabilities,
  ElicitParams,
  ElicitResult,
  Implementation,
  InputRequest,
  InputResponse,
  LogLevel,
  Meta,
  RequestId,
  Root,
  SampleParams,
  SampleResult,
} from '../types.ts';

/** Who asks, and under which rules. One object serves all requests of a legacy session. */
export interface ClientContext {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly info: Implementation | undefined;
  /** The least level of log messages that the client wants; none if it wants none. */
  readonly logLevel: LogLevel | undefined;
}

/** How a call reaches its client. */
export interface CallLink {
  progress(inbound: InboundCall, params: Record<string, unknown>): void;
  log(params: Record<string, unknown>): void;
  ask(call: Call, request: InputRequest, name: string | undefined): Promise<InputResponse>;
}

export interface QuestionOptions {
  /** The key of the question in `inputRequests` (2026-07-28). A number is used unless given; older revisions have none. */
  name?: string;
}

export class Call {
  /** The request that began it: its signal is the one that handlers hold. */
  readonly #first: InboundCall;
  #inbound: InboundCall;
  #client: ClientContext;
  readonly #link: CallLink;
  #lastProgress = Number.NEGATIVE_INFINITY;

  constructor(inbound: InboundCall, client: ClientContext, link: CallLink) {
    this.#first = inbound;
    this.#inbound = inbound;
    this.#client = client;
    this.#link = link;
  }

  /** The client, as it presented itself. */
  get client(): ClientContext {
    return this.#client;
  }

  get revision(): Revision {
    return this.#client.revision;
  }

  get requestId(): RequestId {
    return this.#inbound.id;
  }

  get meta(): Meta | undefined {
    return this.#inbound.request.params?._meta as Meta | undefined;
  }

  /** Aborts when the client cancels or goes away. */
  get signal(): AbortSignal {
    return this.#first.signal;
  }

  /**
   * Does nothing where the client did not ask for progress. MCP forbids values that do not grow, and any after the answer:
   * those are not sent.
   */
  progress(progress: number, total?: number, message?: string): void {
    const progressToken = this.meta?.progressToken;
    const { cancelled, settled } = this.#inbound;
    if (progressToken === undefined || cancelled || settled || progress <= this.#lastProgress) return;
    this.#lastProgress = progress;
    const params: Record<string, unknown> = { progressToken, progress };
    if (total !== undefined) params.total = total;
    if (message !== undefined && has(this.revision, 'progressMessage')) params.message = message;
    this.#link.progress(this.#inbound, params);
  }

  /** Sent only to a client that wants messages of this level. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    const wanted = this.#client.logLevel;
    if (wanted === undefined || !reaches(level, wanted) || this.#inbound.cancelled) return;
    this.#link.log(logger === undefined ? { level, data } : { level, logger, data });
  }

  /** Asks the user, by a form or by a web page. */
  async elicit(params: ElicitParams, options?: QuestionOptions): Promise<ElicitResult> {
    const mode = params.mode ?? 'form';
    this.#require(canElicit(this.#client, mode), { elicitation: { [mode]: {} } });
    return this.#ask({ method: 'elicitation/create', params }, options) as Promise<ElicitResult>;
  }

  /** Asks the client's language model. */
  async sample(params: SampleParams, options?: QuestionOptions): Promise<SampleResult> {
    const { sampling } = this.#client.capabilities;
    const wantsTools = params.tools !== undefined || params.toolChoice !== undefined;
    const able = wantsTools ? sampling?.tools && has(this.revision, 'samplingTools') : sampling;
    this.#require(able, { sampling: wantsTools ? { tools: {} } : {} });
    return this.#ask({ method: 'sampling/createMessage', params }, options) as Promise<SampleResult>;
  }

  /** The folders that the client works in. */
  async roots(options?: QuestionOptions): Promise<Root[]> {
    this.#require(this.#client.capabilities.roots, { roots: {} });
    const { roots } = (await this.#ask({ method: 'roots/list' }, options)) as { roots: Root[] };
    return roots;
  }

  #ask(request: InputRequest, options: QuestionOptions | undefined): Promise<InputResponse> {
    return this.#link.ask(this, request, options?.name);
  }

  #require(able: unknown, capability: ClientCapabilities): void {
    if (!able) throw missingCapability(capability);
  }

  /** 2026-07-28: the same work goes on under the request that brought the answers. */
  continueUnder(inbound: InboundCall, client: ClientContext): void {
    inbound.signal.addEventListener('abort', () => this.abort(inbound.signal.reason), { once: true });
    this.#inbound = inbound;
    this.#client = client;
    this.#lastProgress = Number.NEGATIVE_INFINITY;
  }

  abort(reason: unknown): void {
    this.#first.cancel(reason);
  }
}

/** `{}` means forms alone, in every revision that has elicitation. */
function canElicit({ capabilities, revision }: ClientContext, mode: 'form' | 'url'): boolean {
  const { elicitation } = capabilities;
  if (!elicitation || !has(revision, 'elicitation')) return false;
  if (mode === 'url') return elicitation.url !== undefined && has(revision, 'urlElicitation');
  return elicitation.form !== undefined || elicitation.url === undefined;
}
