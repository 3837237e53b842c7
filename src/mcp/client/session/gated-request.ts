// A request to a legacy server, while it waits to be sent and while it is pending: what is known about its questions.

import type { Caller, Params, WireName } from '../../service.ts';
import { SentRequest } from './session.ts';

/** Requests during which no server asks its client. */
const asksNothing = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'completion/complete',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
]);

export function mayAsk(method: string): boolean {
  return !asksNothing.has(method);
}

export class GatedRequest extends SentRequest {
  /** No call of another client may run beside it. */
  alone = false;
  /** Sent although others waited, because its client was being asked. */
  nested = false;
  /** A question came that was its own, or may have been. */
  asked = false;
  readonly #method: string;
  readonly #name: unknown;

  constructor(caller: Caller, wire: WireName | undefined, method: string, { name }: Params) {
    super(caller, wire);
    this.#method = method;
    this.#name = name;
  }

  get client(): string {
    return this.caller.client.identity.id;
  }

  /** What `AskingTools` knows it by. */
  get tool(): string {
    if (this.#method === 'tools/call') return String(this.#name);
    return this.#name === undefined ? this.#method : `${this.#method} ${String(this.#name)}`;
  }

  /** The time that it waited counts. */
  waited(ms: number, defaultTimeoutMs: number): void {
    this.timeoutMs = Math.max(1, (this.timeoutMs ?? defaultTimeoutMs) - ms);
    if (this.totalTimeoutMs !== undefined) this.totalTimeoutMs = Math.max(1, this.totalTimeoutMs - ms);
  }
}
