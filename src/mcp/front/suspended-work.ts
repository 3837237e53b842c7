// One request of 2026-07-28 with its unanswered questions, over all messages that carry it on.

import type { InboundCall } from '../../jsonrpc/inbound.ts';
import type { CallOptions } from '../meta.ts';
import type { ClientFacts, Result } from '../service.ts';
import type { InputRequest, InputResponse } from '../types.ts';
import type { Notifier } from './notifier.ts';
import { RequestCaller } from './request-caller.ts';

export interface Question {
  request: InputRequest;
  resolve: (response: InputResponse) => void;
  reject: (error: unknown) => void;
}

interface Asker {
  ask(work: Work, request: InputRequest, name?: string, signal?: AbortSignal): Promise<InputResponse>;
}

export class Work extends RequestCaller {
  result: Promise<Result> | undefined;
  isDone = false;
  /** What is kept of it while it sleeps. */
  bytes = 0;
  /** Method and parameters: a retry must be the same request. */
  identity = '';
  #questions: Map<string, Question> | undefined;
  asked = 0;
  onAsked: (() => void) | undefined;
  dueMs = 0;
  key = '';
  readonly #asker: Asker;

  constructor(
    first: InboundCall,
    client: ClientFacts,
    notifier: Notifier,
    options: CallOptions | undefined,
    asker: Asker,
  ) {
    super(first, client, notifier, options);
    this.#asker = asker;
  }

  protected put(request: InputRequest, name?: string, signal?: AbortSignal): Promise<InputResponse> {
    return this.#asker.ask(this, request, name, signal);
  }

  /** Made on first use: most requests ask nothing. */
  get questions(): Map<string, Question> {
    this.#questions ??= new Map();
    return this.#questions;
  }

  /** For a question without a name: one that no other has. */
  nextName(): string {
    let name: string;
    do name = `input-${++this.asked}`;
    while (this.questions.has(name));
    return name;
  }

  rejectQuestions(reason: unknown): void {
    for (const { reject } of this.questions.values()) reject(reason);
    this.questions.clear();
  }

  done(): void {
    this.isDone = true;
    // Left open: a handler that does not wait for an answer does not catch its failure either.
    this.#questions?.clear();
  }
}
