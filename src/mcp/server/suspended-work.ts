// One handler of 2026-07-28 with its unanswered questions, over all requests that carry it on.

import type { InboundCall } from '../../jsonrpc/inbound.ts';
import type { InputRequest, InputResponse } from '../types.ts';
import { Call, type CallLink, type ClientContext } from './call.ts';
import type { Notifier } from './notifier.ts';

export interface Question {
  request: InputRequest;
  resolve: (response: InputResponse) => void;
  reject: (error: Error) => void;
}

type Ask = (work: Work, request: InputRequest, name: string | undefined) => Promise<InputResponse>;

export class Work implements CallLink {
  readonly call: Call;
  /** What began it; the call holds on to it. */
  readonly first: InboundCall;
  /** Of the connection that its last request came on, which is also what tells the connections apart. */
  owner: Notifier;
  result: Promise<unknown> | undefined;
  isDone = false;
  /** What is kept of it while it sleeps. */
  bytes = 0;
  /** Method and parameters: a retry must be the same request. */
  request = '';
  questions = new Map<string, Question>();
  asked = 0;
  onAsked: (() => void) | undefined;
  dueMs = 0;
  key = '';
  readonly #ask: Ask;

  constructor(first: InboundCall, client: ClientContext, owner: Notifier, ask: Ask) {
    this.call = new Call(first, client, this);
    this.first = first;
    this.owner = owner;
    this.#ask = ask;
  }

  progress(inbound: InboundCall, params: Record<string, unknown>): void {
    this.owner.progress(inbound, params);
  }

  log(params: Record<string, unknown>): void {
    this.owner.log(params);
  }

  ask(_call: Call, request: InputRequest, name: string | undefined): Promise<InputResponse> {
    return this.#ask(this, request, name);
  }

  /** For a question without a name: one that no other has. */
  nextName(): string {
    let name: string;
    do name = `input-${++this.asked}`;
    while (this.questions.has(name));
    return name;
  }

  rejectQuestions(reason: Error): void {
    for (const { reject } of this.questions.values()) reject(reason);
    this.questions.clear();
  }

  done(): void {
    this.isDone = true;
    // Left open: a handler that does not wait for an answer does not catch its failure either.
    this.questions.clear();
  }
}
