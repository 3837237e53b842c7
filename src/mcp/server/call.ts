// What a handler holds while it works on one request: the way to ask its client back, to report progress, to log, and to
// learn that the client no longer waits. The same for every revision and every caller.

import { toAbortSignal } from '../../base/cancel-signal.ts';
import type { Revision } from '../revisions.ts';
import type { Caller, ClientFacts, Params } from '../service.ts';
import type {
  ElicitParams,
  ElicitResult,
  InputRequest,
  LogLevel,
  Meta,
  RequestId,
  Root,
  SampleParams,
  SampleResult,
} from '../types.ts';

export interface QuestionOptions {
  /** The key of the question in `inputRequests` (2026-07-28). A number is used unless given; older revisions have none. */
  name?: string;
}

export class Call {
  #signal: AbortSignal | undefined;
  readonly #caller: Caller;
  readonly #params: Params;

  constructor(caller: Caller, params: Params) {
    this.#caller = caller;
    this.#params = params;
  }

  /** The client, as it presented itself. */
  get client(): ClientFacts {
    return this.#caller.client;
  }

  get revision(): Revision {
    return this.#caller.client.revision;
  }

  /** 0 for a request that did not come as a message. */
  get requestId(): RequestId {
    return this.#caller.request?.id ?? 0;
  }

  get meta(): Meta | undefined {
    return (this.#caller.request?.params ?? this.#params)._meta as Meta | undefined;
  }

  /** Aborts when the client cancels or goes away. */
  get signal(): AbortSignal {
    const { signal } = this.#caller;
    this.#signal ??= signal ? toAbortSignal(signal) : new AbortController().signal;
    return this.#signal;
  }

  /**
   * Does nothing where the client did not ask for progress. MCP forbids values that do not grow, and any after the answer:
   * those are not sent.
   */
  progress(progress: number, total?: number, message?: string): void {
    if (!this.#caller.wantsProgress) return;
    const params: Params = { progress };
    if (total !== undefined) params.total = total;
    if (message !== undefined) params.message = message;
    this.#caller.progress(params);
  }

  /** Sent only to a client that wants messages of this level. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    this.#caller.log(logger === undefined ? { level, data } : { level, logger, data });
  }

  /** Asks the user, by a form or by a web page. */
  elicit(params: ElicitParams, options?: QuestionOptions): Promise<ElicitResult> {
    return this.#ask({ method: 'elicitation/create', params }, options) as Promise<ElicitResult>;
  }

  /** Asks the client's language model. */
  sample(params: SampleParams, options?: QuestionOptions): Promise<SampleResult> {
    return this.#ask({ method: 'sampling/createMessage', params }, options) as Promise<SampleResult>;
  }

  /** The folders that the client works in. */
  async roots(options?: QuestionOptions): Promise<Root[]> {
    const { roots } = (await this.#ask({ method: 'roots/list' }, options)) as { roots: Root[] };
    return roots;
  }

  #ask(request: InputRequest, options: QuestionOptions | undefined) {
    return this.#caller.ask(request, options?.name);
  }
}
