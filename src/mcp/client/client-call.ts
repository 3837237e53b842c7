// The caller of a request that a `Client` makes: the options of this call and the handlers of the client.

import type { CancelSignal } from '../../base/cancel-signal.ts';
import type { Progress } from '../../wire/jsonrpc/conventions.ts';
import type { Caller, ClientFacts, Params, RequestLink } from '../service.ts';
import type { InputRequest, InputResponse } from '../types.ts';
import type { CallOptions, InputHandlers } from './options.ts';
import { askHandlers } from './session/inputs.ts';

/** The state that all calls of one client share. */
interface ClientCallOwner {
  readonly facts: ClientFacts;
  readonly handlers: InputHandlers;
  logged(params: Params): void;
}

export class ClientCall implements Caller {
  readonly client: ClientFacts;
  readonly options: CallOptions | undefined;
  readonly #owner: ClientCallOwner;

  constructor(owner: ClientCallOwner, options: CallOptions | undefined) {
    this.#owner = owner;
    this.options = options;
    this.client = options?.logLevel ? { ...owner.facts, logLevel: options.logLevel } : owner.facts;
  }

  get signal(): CancelSignal | undefined {
    return this.options?.signal;
  }

  get link(): RequestLink | undefined {
    return this.options?.link;
  }

  get wantsProgress(): boolean {
    return this.options?.onProgress !== undefined;
  }

  progress(params: Params): void {
    this.options?.onProgress?.(params as unknown as Progress);
  }

  log(params: Params): void {
    this.#owner.logged(params);
  }

  ask(question: InputRequest, _name?: string, signal?: AbortSignal): Promise<InputResponse> {
    return askHandlers(question, this.#owner.handlers, signal ?? new AbortController().signal);
  }
}
