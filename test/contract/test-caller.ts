// A caller and a subscriber that record what they receive, for tests of services.

import {
  type Caller,
  type ClientFacts,
  newClient,
  type Params,
  type Watcher,
  type WatchFilter,
} from '../../src/mcp/service.ts';
import type { InputRequest, InputResponse } from '../../src/mcp/types.ts';

class Waits {
  readonly #looks = new Set<() => void>();

  /** Resolves when the condition holds. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return;
        this.#looks.delete(look);
        resolve();
      };
      this.#looks.add(look);
      look();
    });
  }

  protected changed(): void {
    for (const look of [...this.#looks]) look();
  }
}

type Answer = (question: InputRequest) => Promise<InputResponse>;

export class TestCaller extends Waits implements Caller {
  readonly client: ClientFacts = {
    identity: newClient(),
    revision: '2026-07-28',
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
    info: { name: 'test-caller', version: '1.0.0' },
    logLevel: 'debug',
  };
  readonly wantsProgress = true;
  readonly progressed: Params[] = [];
  readonly logged: Params[] = [];
  readonly asked: InputRequest[] = [];
  readonly #abort = new AbortController();
  readonly #answer: Answer;

  constructor(answer: Answer = () => Promise.reject(new Error('This caller expects no question'))) {
    super();
    this.#answer = answer;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  cancel(): void {
    this.#abort.abort(new Error('The test cancels'));
  }

  progress(params: Params): void {
    this.progressed.push(params);
    this.changed();
  }

  log(params: Params): void {
    this.logged.push(params);
    this.changed();
  }

  ask(question: InputRequest): Promise<InputResponse> {
    this.asked.push(question);
    this.changed();
    return this.#answer(question);
  }
}

export class TestWatcher extends Waits implements Watcher {
  readonly filter: WatchFilter;
  readonly heard: { method: string; params: Params | undefined }[] = [];
  isEnded = false;

  constructor(filter: WatchFilter) {
    super();
    this.filter = filter;
  }

  notified(method: string, params: Params | undefined): void {
    this.heard.push({ method, params });
    this.changed();
  }

  ended(): void {
    this.isEnded = true;
    this.changed();
  }
}
