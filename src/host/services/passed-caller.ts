// A caller that delegates to another one, for subclasses that change one property.

import type { CancelSignal } from '../../base/cancel-signal.ts';
import type { CallLimits } from '../../mcp/meta.ts';
import type { Caller, ClientFacts, Params, RequestLink } from '../../mcp/service.ts';
import type { InputRequest, InputResponse } from '../../mcp/types.ts';

export class PassedCaller implements Caller {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  get client(): ClientFacts {
    return this.#caller.client;
  }

  get request(): Caller['request'] {
    return this.#caller.request;
  }

  get requestBytes(): number | undefined {
    return this.#caller.requestBytes;
  }

  get asksInResult(): boolean | undefined {
    return this.#caller.asksInResult;
  }

  get signal(): CancelSignal | undefined {
    return this.#caller.signal;
  }

  get options(): CallLimits | undefined {
    return this.#caller.options;
  }

  get wantsProgress(): boolean {
    return this.#caller.wantsProgress;
  }

  get progressUntil(): CancelSignal | undefined {
    return this.#caller.progressUntil;
  }

  progress(params: Params): void {
    this.#caller.progress(params);
  }

  continues(): void {
    this.#caller.continues?.();
  }

  log(params: Params): void {
    this.#caller.log(params);
  }

  get link(): RequestLink | undefined {
    return this.#caller.link;
  }

  keeps(bytes: number): void {
    this.#caller.keeps?.(bytes);
  }

  ask(question: InputRequest, name?: string, signal?: AbortSignal): Promise<InputResponse> {
    return this.#caller.ask(question, name, signal);
  }
}
