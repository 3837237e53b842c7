// The context of a handler while it runs: questions to the client, progress, log messages, and a signal for
// cancellation. It is the same for every revision and every caller.

import { toAbortSignal } from '../../base/cancel-signal.ts';
import { metaOf } from '../../base/json-object.ts';
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
  /**
   * The key of the question in `inputRequests` (2026-07-28). By default a name with a number is generated; older
   * revisions have no key.
   */
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

  /** The client as it described itself. */
  get client(): ClientFacts {
    return this.#caller.client;
  }

  get revision(): Revision {
    return this.#caller.client.revision;
  }

  /** The id of the request; 0 if it did not arrive as a message. */
  get requestId(): RequestId {
    return this.#caller.request?.id ?? 0;
  }

  get meta(): Meta | undefined {
    return metaOf(this.#caller.request?.params ?? this.#params);
  }

  /** Aborts when the client cancels the request or disconnects. */
  get signal(): AbortSignal {
    const { signal } = this.#caller;
    this.#signal ??= signal ? toAbortSignal(signal) : new AbortController().signal;
    return this.#signal;
  }

  /**
   * Does nothing if the client did not request progress. MCP forbids values that do not increase, and progress after
   * the answer: those are not sent.
   */
  progress(progress: number, total?: number, message?: string): void {
    if (!this.#caller.wantsProgress) return;
    const params: Params = { progress };
    if (total !== undefined) params.total = total;
    if (message !== undefined) params.message = message;
    this.#caller.progress(params);
  }

  /** Sends the message only if the client wants messages of its level. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    this.#caller.log(logger === undefined ? { level, data } : { level, logger, data });
  }

  /** Asks the user, with a form or a web page. */
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
